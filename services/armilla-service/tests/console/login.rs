//! Logins: who is let in, for how long, and what they may do.

use super::https::{Folder, connect};
use super::{eventually, half};
use armilla_security::{
    AccessFile, AccessRules, Audit, AuditOptions, Limits, OnFailure, PasswordFile, Totp,
};
use armilla_service::axum::Router;
use armilla_service::axum::routing::{get, post};
use armilla_service::{
    Console, ConsoleAccess, ConsoleLimits, ConsoleOptions, Lifecycle, Upkeep, Visitor,
};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The pages of a service: one that tells who asks, and one that changes something.
fn pages() -> Router {
    let who = |visitor: Visitor| async move {
        let may_change = visitor.may_change(|_| false);
        let caller = visitor.caller().map(ToString::to_string).unwrap_or_default();
        format!("{} may_change={may_change}", caller.split(" at ").next().unwrap_or_default())
    };
    Router::new().route("/who", get(who)).route("/change", post(|| async { "changed" }))
}

/// A folder with a file of users: ann, and bob, who has a second factor.
struct Users {
    folder: Folder,
    file: PasswordFile,
    bobs: Totp,
}

impl Users {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        let path = folder.certificate("page").with_file_name("passwords");
        let mut file = PasswordFile::create(path).unwrap();
        file.set(&"ann@bank".parse().unwrap(), b"correct horse").unwrap();
        let bob = "bob@bank".parse().unwrap();
        file.set(&bob, b"battery staple").unwrap();
        let bobs = Totp::generate().unwrap();
        file.set_second_factor(&bob, Some(bobs.clone())).unwrap();
        Self { folder, file, bobs }
    }

    fn access(&self) -> ConsoleAccess {
        ConsoleAccess::new().passwords(self.file.clone(), "bank").unwrap()
    }

    fn console(&self, access: ConsoleAccess, limits: ConsoleLimits) -> Console {
        let console = Console::builder("127.0.0.1:0").access(access).limits(limits);
        console.pages(pages()).start(&Lifecycle::new()).unwrap()
    }
}

fn ask(console: &Console, request: &str) -> (u16, String) {
    super::ask(console, request)
}

/// A GET with a cookie.
fn view(console: &Console, path: &str, cookie: &str) -> (u16, String) {
    ask(console, &format!("GET {path} HTTP/1.1\nHost: localhost\nCookie: a=b; {cookie}"))
}

/// Sends the form of the login; the answer, and the cookie without its attributes.
fn log_in(console: &Console, fields: &str, more: &str) -> (u16, String, String) {
    let head = format!(
        "POST /login HTTP/1.1\nHost: localhost\nContent-Type: application/x-www-form-urlencoded\n\
         Content-Length: {}{more}",
        fields.len()
    );
    let (status, answer) = super::ask_with(console, &head, fields.as_bytes());
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|cookie| cookie.split(';').next()).unwrap_or_default().to_owned();
    (status, answer, cookie)
}

const ANN: &str = "user=ann&password=correct+horse";

#[test]
fn nobody_sees_anything_before_the_login_and_afterwards_who_has_logged_in() {
    let users = Users::new("login");
    let console = users.console(users.access(), ConsoleLimits::default());
    for path in ["/who", "/healthz", "/metrics", "/events", "/session"] {
        assert_eq!(view(&console, path, "x=y").0, 401, "{path}");
    }
    let page = "GET /who?a=b HTTP/1.1\nHost: localhost\nAccept: text/html";
    let (status, answer) = ask(&console, page);
    assert!(status == 303 && answer.contains("location: /login?then=/who%3Fa%3Db\r\n"), "{answer}");
    let (status, answer) = view(&console, "/login?then=/who", "x=y");
    assert!(status == 200 && answer.contains("type=\"password\""), "{answer}");
    let (status, answer, cookie) = log_in(&console, &format!("{ANN}&then=/who%3Fa=b"), "");
    assert!(status == 303 && answer.contains("location: /who?a=b\r\n"), "{answer}");
    assert!(cookie.starts_with(&format!("__Host-armilla-{}=", console.address().port())));
    assert!(answer.contains("; Path=/; Secure; HttpOnly; SameSite=Strict\r\n"), "{answer}");
    let (status, answer) = view(&console, "/who", &cookie);
    assert!(status == 200 && answer.ends_with("ann@bank by password may_change=true"), "{answer}");
    assert!(answer.contains("cache-control: no-store"), "{answer}");
    let session = view(&console, "/session", &cookie).1;
    assert!(session.ends_with(r#"{"user":"ann@bank","by_password":true}"#), "{session}");
    assert!(view(&console, "/metrics", &cookie).1.contains("armilla_page_sessions 1\n"));
    // The cookie alone changes nothing: another site may make the browser send it.
    let change = |more: &str| {
        let head = format!("POST /change HTTP/1.1\nHost: localhost\nCookie: {cookie}\n");
        ask(&console, &format!("{head}Content-Length: 0{more}")).0
    };
    assert_eq!((change(""), change("\nX-Armilla-Console: 1")), (403, 200));
    let out = format!("POST /logout HTTP/1.1\nHost: localhost\nCookie: {cookie}");
    let (status, answer) =
        ask(&console, &format!("{out}\nX-Armilla-Console: 1\nContent-Length: 0"));
    assert!(status == 204 && answer.contains("Max-Age=0"), "{answer}");
    assert_eq!(view(&console, "/who", &cookie).0, 401);
}

#[test]
fn a_wrong_password_and_an_unknown_user_get_the_same_answer() {
    let users = Users::new("login-wrong");
    let console = users.console(users.access(), ConsoleLimits::default());
    let body = |fields: &str| {
        let (status, answer, cookie) = log_in(&console, fields, "");
        assert!(cookie.is_empty(), "{fields}");
        let body = answer.split_once("\r\n\r\n").unwrap().1.to_owned();
        (status, body)
    };
    let wrong = body("user=ann&password=wrong");
    assert!(wrong.0 == 401 && wrong.1.contains("The user, the password or the code is wrong"));
    for fields in [
        "user=eve&password=wrong",
        "user=%00&password=wrong",
        "user=&password=",
        "user=ann%40elsewhere&password=correct+horse",
        "user=bob&password=battery+staple",
        "user=bob&password=battery+staple&code=000000",
        "user=bob&password=wrong&code=000000",
    ] {
        assert_eq!(body(fields), wrong, "{fields}");
    }
    let code = users.bobs.code(SystemTime::now());
    let fields = format!("user=bob&password=battery+staple&code={}", &*code);
    assert_eq!(log_in(&console, &fields, "").0, 303);
    // What another site sends is no login; a form of this one is.
    let from = |origin: &str| log_in(&console, ANN, &format!("\nOrigin: {origin}")).0;
    assert_eq!((from("https://evil.example.org"), from("null")), (403, 403));
    assert_eq!(from("http://localhost"), 303);
    // Guesses end, and then the right password does not help either.
    while log_in(&console, "user=ann&password=guess", "").0 == 401 {}
    assert_eq!(log_in(&console, ANN, "").0, 429);
}

#[test]
fn a_login_gets_a_new_secret_and_the_old_one_counts_no_more() {
    let users = Users::new("login-fixed");
    let console = users.console(users.access(), ConsoleLimits::default());
    let port = console.address().port();
    let planted = format!("__Host-armilla-{port}={}", "7".repeat(64));
    let (_, _, first) = log_in(&console, ANN, &format!("\nCookie: {planted}"));
    assert_ne!(first, planted);
    assert_eq!(view(&console, "/who", &planted).0, 401);
    let (_, _, second) = log_in(&console, ANN, &format!("\nCookie: {first}"));
    assert_ne!(first, second);
    assert_eq!((view(&console, "/who", &first).0, view(&console, "/who", &second).0), (401, 200));
    // A change of the passwords ends what has begun with the old ones.
    let mut file = users.file.clone();
    file.set(&"ann@bank".parse().unwrap(), b"another horse").unwrap();
    assert_eq!(view(&console, "/who", &second).0, 401);
    assert_eq!(log_in(&console, ANN, "").0, 401);
}

#[test]
fn a_page_that_follows_changes_hears_no_more_once_its_session_ends() {
    let users = Users::new("login-events");
    let mut limits = ConsoleLimits::default();
    limits.session_idle = Duration::from_secs(2);
    let console = users.console(users.access(), limits);
    let open = |cookie: &str| {
        let head = format!("GET /events HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n");
        let stream = half(&console, head.as_bytes());
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        assert_eq!(lines.next().as_deref(), Some("HTTP/1.1 200 OK"));
        lines
    };
    // By logging out, and by doing nothing.
    let (_, _, cookie) = log_in(&console, ANN, "");
    let lines = open(&cookie);
    let out = format!("POST /logout HTTP/1.1\nHost: localhost\nCookie: {cookie}");
    ask(&console, &format!("{out}\nX-Armilla-Console: 1\nContent-Length: 0"));
    assert!(lines.last().is_some(), "the stream has ended");
    let (_, _, cookie) = log_in(&console, ANN, "");
    assert!(open(&cookie).last().is_some(), "the stream has ended");
    eventually(|| console.events().readers() == 0);
    assert_eq!(view(&console, "/who", &cookie).0, 401);
}

#[test]
fn rules_say_who_may_look_and_who_may_change_and_the_record_who_did() {
    let users = Users::new("login-rules");
    let rules: AccessRules = "[[rule]]\nallow = \"ann@bank\"\npoa = \"page\"\n\
        [[rule]]\nallow = \"authenticated\"\npoa = \"page\"\nobject = \"/who\"\n\
        operation = \"view\"\n"
        .parse()
        .unwrap();
    let record = users.folder.file("record", "");
    let audit = Audit::open(&record, AuditOptions::default()).unwrap();
    let access = users.access().rules(AccessFile::from(rules)).audit(audit).open_health();
    let console = users.console(access, ConsoleLimits::default());
    let (_, _, ann) = log_in(&console, ANN, "");
    let code = users.bobs.code(SystemTime::now());
    let fields = format!("user=bob&password=battery+staple&code={}", &*code);
    let (_, _, bob) = log_in(&console, &fields, "");
    log_in(&console, "user=ann&password=guess", "");
    assert!(view(&console, "/who", &ann).1.ends_with("ann@bank by password may_change=true"));
    assert!(view(&console, "/who", &bob).1.ends_with("bob@bank by password may_change=false"));
    assert_eq!((view(&console, "/events", &bob).0, view(&console, "/metrics", "").0), (403, 200));
    let change = |cookie: &str| {
        let head = format!("POST /change HTTP/1.1\nHost: localhost\nCookie: {cookie}\n");
        ask(&console, &format!("{head}X-Armilla-Console: 1\nContent-Length: 0")).0
    };
    assert_eq!((change(&ann), change(&bob)), (200, 403));
    assert_eq!(view(&console, "/session", &bob).0, 200, "the way out is nobody's to deny");
    let record = std::fs::read_to_string(record).unwrap();
    let lines: Vec<(bool, bool, bool)> = record
        .lines()
        .map(|line| {
            let has = |part: &str| line.contains(part);
            (has("\"caller\":\"ann@bank\""), has("\"outcome\":\"ok\""), has("\"poa\":\"page\""))
        })
        .collect();
    let of = |line: usize, part: &str| assert!(record.lines().nth(line).unwrap().contains(part));
    assert_eq!(
        lines,
        [
            (true, true, true),
            (false, true, true),
            (true, false, true),
            (false, false, true),
            (true, true, true),
            (false, false, true),
        ],
        "{record}"
    );
    of(2, "\"proof\":\"none\"");
    of(2, "\"outcome\":\"refused\"");
    of(3, "\"outcome\":\"denied\"");
    of(4, "\"object\":\"/change\",\"operation\":\"change\"");
    of(5, "\"outcome\":\"denied\"");
}

#[test]
fn a_certificate_takes_the_place_of_a_password() {
    let folder = Folder::new("login-certificate");
    let start = |options: ConsoleOptions| {
        let started = options.start(&Lifecycle::new(), |console| console.pages(pages()));
        started.map(Option::unwrap)
    };
    let options = ConsoleOptions::from("0.0.0.0:0");
    let options = options.certificate(folder.certificate("page"), None::<PathBuf>);
    let refused = start(options.clone()).unwrap_err().to_string();
    assert!(refused.contains("--passwords") && refused.contains("--http-roots"), "{refused}");
    let roots = folder.file("roots.pem", &folder.authority.own().certificate);
    let console = start(options.roots(roots)).unwrap();
    let who = "GET /who HTTP/1.1\nHost: localhost";
    let ann = folder.issue("ann");
    let ask = |own| super::https::ask(connect(&console, &folder.authority, own), who);
    let (status, answer) = ask(Some(&ann));
    assert!(
        status == 200 && answer.ends_with("dn:CN=ann by certificate may_change=true"),
        "{answer}"
    );
    assert_eq!(ask(None).0, 401);
    let other = Folder::new("login-certificate-of-others");
    let mut stream = connect(&console, &folder.authority, Some(&other.issue("ann")));
    let sent = stream.write_all(format!("{who}\r\n\r\n").replace('\n', "\r\n").as_bytes());
    let mut answer = String::new();
    assert!(sent.is_err() || stream.read_to_string(&mut answer).is_err(), "{answer}");
}

#[test]
fn sessions_are_bounded_and_so_is_what_a_login_sends() {
    let users = Users::new("login-bounds");
    let mut limits = ConsoleLimits::default();
    limits.sessions_per_user = 2;
    let console = users.console(users.access(), limits);
    let cookies: Vec<String> = (0..3).map(|_| log_in(&console, ANN, "").2).collect();
    let open = cookies.iter().filter(|cookie| view(&console, "/who", cookie).0 == 200).count();
    assert_eq!(open, 2);
    assert_eq!(log_in(&console, &format!("user={}", "a".repeat(9 << 10)), "").0, 413);
    let mut stream = TcpStream::connect(console.address()).unwrap();
    let head = format!("GET /who HTTP/1.1\r\nHost: localhost\r\nCookie: {}\r\n", "; ".repeat(9000));
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}

#[test]
fn who_asks_too_much_is_told_so_by_host_and_by_user() {
    let users = Users::new("shares");
    let upkeep = Upkeep::new();
    upkeep.limits(Limits::new("user-calls=3,burst=0".parse().unwrap()));
    let console = Console::builder("127.0.0.1:0").access(users.access()).upkeep(&upkeep);
    let console = console.service("naming").pages(pages()).start(&Lifecycle::new()).unwrap();
    assert!(view(&console, "/login", "x=y").1.contains("Armilla naming"), "it says which service");
    let cookie = log_in(&console, ANN, "").2;
    let answers: Vec<_> = (0..20).map(|_| view(&console, "/who", &cookie)).collect();
    let refused = answers.iter().find(|(status, _)| *status == 429).expect("three in a second");
    assert!(refused.1.contains("retry-after: 1\r\n") && refused.1.contains("user-calls"));
    assert_eq!(view(&console, "/login", "x=y").0, 200, "the host has no limit");

    let upkeep = Upkeep::new();
    upkeep.limits(Limits::new("calls=1,burst=0".parse().unwrap()));
    let console = Console::builder("127.0.0.1:0").upkeep(&upkeep).start(&Lifecycle::new()).unwrap();
    let all: Vec<_> =
        (0..20).map(|_| ask(&console, "GET /healthz HTTP/1.1\nHost: localhost").0).collect();
    assert!(all.contains(&429), "{all:?}");
}

#[test]
fn health_tells_of_files_that_are_wrong_and_of_a_record_that_is_not_written() {
    let users = Users::new("upkeep");
    let path = users.folder.certificate("page").with_file_name("passwords");
    let record = users.folder.certificate("page").with_file_name("record");
    std::fs::create_dir(&record).unwrap();
    let (upkeep, lifecycle) = (Upkeep::new(), Lifecycle::new());
    upkeep.file("the passwords", users.file.clone());
    let mut options = AuditOptions::default();
    (options.size, options.on_failure) = (1, OnFailure::Refuse);
    let audit = Audit::open(record.join("audit"), options).unwrap();
    upkeep.audit(audit.clone());
    lifecycle.set_ready();
    let console = Console::builder("127.0.0.1:0").upkeep(&upkeep).start(&lifecycle).unwrap();
    let health = || ask(&console, "GET /healthz HTTP/1.1\nHost: localhost");
    assert_eq!(health().0, 200);
    let before = std::fs::read(&path).unwrap();
    std::fs::write(&path, "ann").unwrap();
    upkeep.reload();
    let (status, text) = health();
    assert!(status == 200 && text.contains("warning: the passwords: "), "{text}");
    assert!(text.contains("passwords:1: a line is USER:HASH"), "{text}");
    std::fs::write(&path, before).unwrap();
    upkeep.reload();
    assert!(!health().1.contains("warning"));

    std::fs::remove_dir_all(&record).unwrap();
    note(&audit);
    note(&audit);
    let (status, text) = health();
    assert!(status == 503 && text.contains("cannot be recorded, and are refused"), "{text}");
    let metrics = ask(&console, "GET /metrics HTTP/1.1\nHost: localhost").1;
    for line in ["armilla_audit_failing 1\n", "armilla_reloads_total 2\n", "armilla_healthy 0\n"] {
        assert!(metrics.contains(line), "{line}{metrics}");
    }
    std::fs::create_dir(&record).unwrap();
    assert_eq!(health().0, 200, "it is written again");
}

fn note(audit: &Audit) {
    audit.note(&armilla_security::AuditRecord {
        caller: None,
        address: &armilla_ipc::Address::tcp("192.0.2.1", 1),
        adapter: "page",
        object: "/",
        operation: "view",
        outcome: armilla_security::AuditOutcome::Ok,
        duration: Duration::ZERO,
    });
}
