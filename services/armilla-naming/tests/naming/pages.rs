//! The web page of a server, as a browser asks for it, and the checks in the background.

use crate::served;
use armilla_cos_naming::{NamingContext, NamingContextExt};
use armilla_naming::Store;
use armilla_naming::access::Rules;
use armilla_naming::client::Liveness;
use armilla_naming::model::{Found, ROOT, ReferenceOctets, Target, parse_name};
use armilla_naming::server::{CheckSettings, Server, ServerBuilder};
use armilla_store::faults::{Fault, Faults};
use served::{name, object};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn start(builder: ServerBuilder) -> Server {
    let builder = builder.console("127.0.0.1:0");
    let server = builder.start(|orb| orb.listen("iiop://127.0.0.1:0")).unwrap();
    server.orb().perform_work().unwrap();
    server
}

fn unchecked() -> ServerBuilder {
    Server::builder().checks(None)
}

fn send(server: &Server, request: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.console().unwrap().address()).unwrap();
    let length = body.len();
    let head = format!("{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let kind = "Content-Type: application/json\r\nX-Armilla-Console: 1\r\n";
    let rest = format!("Content-Length: {length}\r\n\r\n{body}");
    stream.write_all((head + kind + &rest).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

fn get(server: &Server, path: &str) -> (u16, String) {
    send(server, &format!("GET {path}"), "")
}

fn post(server: &Server, path: &str, body: &str) -> (u16, String) {
    send(server, &format!("POST {path}"), body)
}

#[test]
fn names_are_bound_shown_searched_renamed_and_unbound() {
    let server = start(unchecked());
    assert_eq!(post(&server, "/context", r#"{"name":"a&b"}"#).0, 204);
    let bound = r#"{"context":"a&b","name":"vega.star","reference":"corbaloc::host:9/key%00"}"#;
    assert_eq!(post(&server, "/bind", bound).0, 204);
    let (status, page) = get(&server, "/");
    assert!(status == 200 && page.contains("a&amp;b/"), "{page}");
    let (_, page) = get(&server, "/?name=a%26b");
    assert!(page.contains("vega.star") && page.contains("host:9"), "{page}");
    let (_, page) = get(&server, "/binding?name=a%26b%2Fvega.star");
    assert!(page.contains(r"key\x00") && page.contains("IOR:"), "{page}");
    let (_, page) = get(&server, "/?q=VEG");
    assert!(page.contains("name=a%26b%2Fvega%2Estar"), "{page}");
    assert!(!get(&server, "/?q=deneb").1.contains("vega"));
    assert_eq!(post(&server, "/rename", r#"{"from":"a&b/vega.star","to":"deneb"}"#).0, 204);
    assert!(server.service().root().resolve(&name("deneb")).is_ok());
    assert_eq!(get(&server, "/binding?name=a%26b%2Fvega.star").0, 404);
    assert_eq!(post(&server, "/unbind", r#"{"name":"deneb"}"#).0, 204);
    assert!(server.service().root().resolve(&name("deneb")).is_err());
    server.orb().shutdown();
}

#[test]
fn a_form_gets_the_reason_of_a_failure() {
    let server = start(unchecked());
    for (path, body, status, said) in [
        ("/bind", r#"{"name":"a//b","reference":"IOR:00"}"#, 400, "empty"),
        ("/bind", r#"{"name":"a","reference":"file:///etc/passwd"}"#, 400, "IOR: or corbaloc:"),
        ("/bind", r#"{"name":"a","reference":"IOR:zz"}"#, 400, "IOR"),
        ("/bind", r#"{"name":"o","reference":"corbaloc::h/k"}"#, 204, ""),
        ("/bind", r#"{"name":"o/b","reference":"corbaloc::h/k"}"#, 409, "not to a context"),
        ("/unbind", r#"{"name":"a"}"#, 409, "not bound"),
        ("/rename", r#"{"from":"a","to":"b"}"#, 409, "not bound"),
        ("/bind", "nonsense", 400, ""),
    ] {
        let (found, answer) = post(&server, path, body);
        assert!(found == status && answer.contains(said), "{path} {body}: {answer}");
    }
    assert_eq!(get(&server, "/?name=a//b").0, 400);
    assert_eq!(get(&server, "/?name=absent").0, 404);
    server.orb().shutdown();
}

#[test]
fn contexts_on_the_way_are_made_and_go_with_what_only_they_lead_to() {
    let server = start(unchecked());
    let root = server.service().root();
    let bound = r#"{"name":"x/y/z","reference":"corbaloc::h/k"}"#;
    assert_eq!(post(&server, "/bind", bound).0, 204);
    assert_eq!(post(&server, "/context", r#"{"name":"x/a/b"}"#).0, 204);
    assert!(root.resolve(&name("x/y/z")).is_ok() && root.resolve(&name("x/a/b")).is_ok());
    let shared = root.resolve(&name("x/a")).unwrap().assume();
    root.bind_context(&name("kept"), &shared).unwrap();

    let (status, said) = post(&server, "/unbind", r#"{"name":"x"}"#);
    assert!(
        status == 428 && said.contains("Only this name leads to 3 names in 2 contexts"),
        "{said}"
    );
    assert_eq!(post(&server, "/unbind", r#"{"name":"x","confirmed":"yes"}"#).0, 204);
    assert!(root.resolve(&name("x")).is_err());
    assert!(root.resolve(&name("kept/b")).is_ok(), "another name leads there");
    let tree = server.service().store().read();
    assert_eq!((tree.contexts(), tree.bindings(), tree.orphans()), (3, 2, Vec::new()));
    drop(tree);
    server.orb().shutdown();
}

#[test]
fn a_search_shows_whole_names_and_contexts_have_no_state() {
    let server = start(unchecked());
    for site in ["a", "b"] {
        let bound = format!(r#"{{"name":"{site}/dome.device","reference":"corbaloc::h/k"}}"#);
        assert_eq!(post(&server, "/bind", &bound).0, 204);
    }
    let (_, page) = get(&server, "/?q=dome");
    assert!(page.contains(">a/dome.device<") && page.contains(">b/dome.device<"), "{page}");
    let (_, page) = get(&server, "/");
    assert!(!page.contains("State"), "{page}");
    server.orb().shutdown();
}

#[test]
fn a_service_whose_store_cannot_be_written_is_not_healthy() {
    let directory = served::Directory::new("health");
    let faults = Faults::below(directory.path()).unwrap();
    let server = start(unchecked().store(Store::open(directory.path()).unwrap()));
    // It is not told to run, which is no fault of the store.
    assert!(!get(&server, "/healthz").1.contains("names.redb"));
    faults.fail(Fault::Full, 0, true);
    // An answer holds for a while.
    eventually(|| get(&server, "/healthz").1.contains("names.redb"));
    assert_eq!(get(&server, "/healthz").0, 503);
    assert!(get(&server, "/metrics").1.contains("armilla_healthy 0"));
    faults.heal();
    while get(&server, "/healthz").1.contains("names.redb") {
        std::thread::sleep(Duration::from_millis(20));
    }
    server.orb().shutdown();
}

#[test]
fn a_console_changes_only_what_it_may() {
    let server = start(unchecked().read_only_console());
    assert_eq!(post(&server, "/context", r#"{"name":"a"}"#).0, 403);
    assert!(!get(&server, "/").1.contains("New context"));
    server.orb().shutdown();
    let rules: Rules = "deny change /a from any\ndeny read /b from any".parse().unwrap();
    let server = start(unchecked().rules(rules));
    assert_eq!(post(&server, "/context", r#"{"name":"a"}"#).0, 403);
    assert_eq!(post(&server, "/context", r#"{"name":"b"}"#).0, 204);
    assert_eq!(get(&server, "/?name=b").0, 403);
    server.orb().shutdown();
}

#[test]
fn a_page_moves_nothing_out_of_the_reach_of_the_rules() {
    let store = Store::in_memory();
    let made = |text: &str| {
        store.change(|tree| tree.bind_new_context(ROOT, &parse_name(text).unwrap(), 0))
    };
    ["a", "a/secret", "b"].into_iter().for_each(|text| drop(made(text).unwrap()));
    let rules = "deny any /a/secret from any\ndeny read /b/hidden from any";
    let server = start(unchecked().store(store).rules(rules.parse().unwrap()));
    let hidden = object(server.orb(), "hidden");
    server.service().root().bind(&name("b/hidden"), &hidden).unwrap();
    for (path, body) in [
        ("/rename", r#"{"from":"a","to":"c"}"#),
        ("/rename", r#"{"from":"a","to":"b/a"}"#),
        ("/rename", r#"{"from":"a/secret","to":"c"}"#),
        ("/rename", r#"{"from":"b/hidden","to":"b/shown"}"#),
        ("/unbind", r#"{"name":"a"}"#),
        ("/unbind", r#"{"name":"a/secret"}"#),
        ("/context", r#"{"name":"a/secret/x"}"#),
    ] {
        assert_eq!(post(&server, path, body).0, 403, "{path} {body}");
    }
    let (_, page) = get(&server, "/?name=b");
    assert!(page.contains("hidden") && !page.contains("127.0.0.1:1"), "{page}");
    assert_eq!(post(&server, "/rename", r#"{"from":"b","to":"c"}"#).0, 403, "b/hidden goes along");
    assert_eq!(post(&server, "/unbind", r#"{"name":"b/hidden"}"#).0, 204);
    server.orb().shutdown();
}

#[test]
fn open_pages_hear_of_changes_by_any_client() {
    let server = start(unchecked());
    let mut stream = TcpStream::connect(server.console().unwrap().address()).unwrap();
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.is_empty()));
    server.service().root().bind_new_context(&name("a")).unwrap();
    assert!(lines.any(|line| line == "event: change"));
    server.orb().shutdown();
}

#[test]
fn metrics_tell_of_names_and_calls() {
    let server = start(unchecked());
    let client = armilla::Orb::new().unwrap();
    let root: armilla_cos_naming::NamingContextExtRef =
        client.resolve(server.service().url()).unwrap();
    root.bind_new_context(&name("a")).unwrap();
    root.to_name("a").unwrap();
    let (_, text) = get(&server, "/metrics");
    for line in ["armilla_naming_contexts 2\n", "armilla_naming_bindings 1\n", "bind_new_context"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    server.orb().shutdown();
}

/// The reference that is bound to a name.
fn reference(server: &Server, text: &str) -> Option<ReferenceOctets> {
    let name = parse_name(text).unwrap();
    match server.service().store().read().resolve(ROOT, &name).ok()? {
        Found::Here(bound) => match bound.target {
            Target::Object(reference) => Some(reference),
            _ => None,
        },
        Found::Foreign { .. } => None,
    }
}

/// Waits for what a background thread does.
fn eventually(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn objects_are_checked_and_only_a_rule_sweeps() {
    let mut checks = CheckSettings::default();
    checks.interval = Duration::from_millis(20);
    checks.rate = 1000;
    let rules: Rules = "sweep gone after 2 /swept".parse().unwrap();
    let server = start(Server::builder().checks(Some(checks)).rules(rules));
    let root = server.service().root();
    root.bind_new_context(&name("swept")).unwrap();
    let alive = object(server.orb(), "unused");
    let own = server.orb().object_to_string(root).unwrap();
    let own = server.orb().string_to_object(&own).unwrap();
    let url = server.service().url().replace("NameService", "nobody");
    let gone = armilla::Orb::new().unwrap().string_to_object(&url).unwrap();
    root.bind(&name("alive"), &own).unwrap();
    root.bind(&name("gone"), &gone).unwrap();
    root.bind(&name("swept/gone"), &gone).unwrap();
    root.bind(&name("swept/unreachable"), &alive).unwrap();
    eventually(|| reference(&server, "swept/gone").is_none());
    let found = |text| {
        let status = server.service().status(&reference(&server, text)?)?;
        Some(status.liveness)
    };
    eventually(|| found("alive") == Some(Liveness::Alive));
    eventually(|| matches!(found("swept/unreachable"), Some(Liveness::Unreachable(_))));
    assert_eq!(found("gone"), Some(Liveness::Gone), "no rule is about this name");
    let (_, page) = get(&server, "/");
    assert!(page.contains("alive") && page.contains("gone"), "{page}");
    server.orb().shutdown();
}
