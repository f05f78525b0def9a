//! The web page of a server, as a browser asks for it: what its forms do, and for whom.

use armilla::Orb;
use armilla_cos_trading::LookupRef;
use armilla_cos_trading::link::LinkInfo;
use armilla_cos_trading::repos::service_type_repository::PropertyMode;
use armilla_cos_trading::repos::{ServiceTypeRepository, ServiceTypeRepositoryRef};
use armilla_cos_trading::{FollowOption, SupportAttributes, register::OfferInfo};
use armilla_trader::Store;
use armilla_trader::server::{Server, ServerBuilder};
use std::io::{Read, Write};
use std::net::TcpStream;

const OBJECT: &str = "corbaloc::printers.invalid/key";

fn start(builder: ServerBuilder) -> Server {
    let listen = |orb: armilla::OrbBuilder| orb.listen("iiop://127.0.0.1:0");
    let server =
        builder.console("127.0.0.1:0").start(listen, |orb| Ok(Store::memory(orb)?)).unwrap();
    server.orb().perform_work().unwrap();
    let types: ServiceTypeRepositoryRef =
        server.trader().lookup().type_repos().unwrap().narrow().unwrap();
    let properties = [
        crate::served::declared("name", armilla::TypeCode::String(0), PropertyMode::PropMandatory),
        crate::served::declared("price", armilla::TypeCode::Double, PropertyMode::PropNormal),
    ];
    types.add_type("Printer", "", &properties, &[]).unwrap();
    server
}

fn send(server: &Server, request: &str, header: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.console().unwrap().address()).unwrap();
    let length = body.len();
    let head = format!("{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}");
    let rest = format!("Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all((head + &rest).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

fn get(server: &Server, path: &str) -> String {
    let (status, page) = send(server, &format!("GET {path}"), "", "");
    assert_eq!(status, 200, "{page}");
    page
}

fn post(server: &Server, path: &str, body: &str) -> (u16, String) {
    send(server, &format!("POST {path}"), "X-Armilla-Console: 1\r\n", body)
}

fn offers(server: &Server) -> Vec<OfferInfo> {
    server.trader().read(|model| {
        let ids = model.offers().map(|offer| offer.id());
        ids.map(|id| model.describe(&id).unwrap()).collect()
    })
}

fn links(server: &Server) -> Vec<(String, LinkInfo)> {
    server
        .trader()
        .read(|model| model.links().map(|(name, link)| (name.to_owned(), link.clone())).collect())
}

fn export(price: &str) -> String {
    format!(
        r#"{{"type":"Printer","reference":"{OBJECT}","property:name":"laser","property:price":"{price}"}}"#
    )
}

#[test]
fn an_offer_is_exported_by_a_form_with_a_field_for_each_property() {
    let server = start(Server::builder());
    let page = get(&server, "/offers?type=Printer");
    assert!(page.contains("property:name") && page.contains("double"), "{page}");
    assert!(!get(&server, "/offers").contains("/export"), "only a type has properties");
    let (status, said) = post(&server, "/export", &export("12.5"));
    assert_eq!(status, 201, "{said}");
    let [offer] = &offers(&server)[..] else { panic!("{:?}", offers(&server)) };
    let values: Vec<String> = offer.properties.iter().map(|it| format!("{:?}", it.value)).collect();
    assert_eq!(offer.properties.len(), 2, "{values:?}");
    assert!(get(&server, "/offers?type=Printer").contains("price = 12.5"));
    // A field that is empty is a property that the offer lacks.
    assert_eq!(post(&server, "/export", &export("")).0, 201);
    assert_eq!(offers(&server)[1].properties.len(), 1);
    server.orb().shutdown();
}

#[test]
fn a_link_is_made_changed_and_removed_by_forms() {
    let (server, other) = (start(Server::builder()), start(Server::builder()));
    let ior = other.orb().object_to_string(other.trader().lookup()).unwrap();
    let rules = r#""default":"local_only","limit":"always""#;
    let link = format!(r#"{{"name":"far","reference":"{ior}",{rules}}}"#);
    assert_eq!(post(&server, "/link", &link).0, 204);
    assert!(get(&server, "/links").contains(">far<"));
    let [(_, made)] = &links(&server)[..] else { panic!("one link") };
    assert_eq!(made.limiting_follow_rule, FollowOption::Always);
    assert!(!made.target_reg.is_nil(), "the other trader was asked");
    let changed = r#"{"name":"far","default":"if_no_local","limit":"if_no_local"}"#;
    assert_eq!(post(&server, "/relink", changed).0, 204);
    assert_eq!(links(&server)[0].1.def_pass_on_follow_rule, FollowOption::IfNoLocal);
    assert_eq!(post(&server, "/unlink", r#"{"name":"far"}"#).0, 204);
    assert!(links(&server).is_empty());

    // One that does not answer may do so later, and the reader is told.
    let silent = format!(r#"{{"name":"off","reference":"corbaloc::127.0.0.1:1/k",{rules}}}"#);
    let (status, said) = post(&server, "/link", &silent);
    assert!(status == 201 && said.contains("does not answer now"), "{said}");
    // What is no trader is none.
    let types = other.trader().lookup().type_repos().unwrap();
    let ior = other.orb().object_to_string(&types).unwrap();
    let (status, said) =
        post(&server, "/link", &format!(r#"{{"name":"x","reference":"{ior}",{rules}}}"#));
    assert!(status == 409 && said.contains("no CosTrading::Lookup"), "{said}");
    [server, other].iter().for_each(|server| server.orb().shutdown());
}

#[test]
fn a_form_gets_the_reason_of_a_refusal() {
    let server = start(Server::builder());
    let reference = |text: &str| format!(r#"{{"type":"Printer","reference":"{text}"}}"#);
    let link = |rules: &str| format!(r#"{{"name":"x","reference":"{OBJECT}",{rules}}}"#);
    for (path, body, status, said) in [
        ("/export", reference("file:///etc/passwd"), 400, "IOR: or corbaloc:"),
        ("/export", reference("http://localhost/ior"), 400, "IOR: or corbaloc:"),
        ("/export", reference("IOR:zz"), 400, "IOR"),
        ("/export", reference(OBJECT), 409, "Printer needs the property name"),
        ("/export", export("dear"), 400, "the value of price"),
        (
            "/export",
            export("1").replace("price", "colour"),
            400,
            "declares no property \\\"colour\\\"",
        ),
        ("/export", export("1").replace("Printer", "Plotter"), 409, "no service type \"Plotter\""),
        ("/link", link(r#""default":"always","limit":"local_only""#), 409, "exceeds the limit"),
        ("/link", link(r#""default":"often","limit":"always""#), 400, "local_only, if_no_local"),
        ("/relink", link(r#""default":"always","limit":"always""#), 409, "no link \"x\""),
        ("/unlink", link(r#""a":"b""#), 409, "no link \"x\""),
        ("/withdraw", r#"{"id":"0000000000000001"}"#.to_owned(), 409, "no offer"),
    ] {
        let (found, answer) = post(&server, path, &body);
        let said = said.replace('\\', "");
        assert!(found == status && answer.contains(&said), "{path} {body}: {answer}");
    }
    assert!(offers(&server).is_empty() && links(&server).is_empty());
    server.orb().shutdown();
}

#[test]
fn who_may_not_change_anything_gets_no_form_and_is_refused() {
    let server = start(Server::builder().read_only_console());
    assert!(!get(&server, "/offers?type=Printer").contains("/export"));
    assert!(!get(&server, "/links").contains("/link\""));
    let link =
        format!(r#"{{"name":"x","reference":"{OBJECT}","default":"local_only","limit":"always"}}"#);
    for (path, body) in [("/export", export("1")), ("/link", link.clone()), ("/relink", link)] {
        assert_eq!(post(&server, path, &body).0, 403, "{path}");
    }
    assert!(offers(&server).is_empty() && links(&server).is_empty());
    server.orb().shutdown();

    // A page of another site cannot send the header of the console.
    let server = start(Server::builder());
    assert_eq!(send(&server, "POST /export", "", &export("1")).0, 403);
    assert!(offers(&server).is_empty());
    server.orb().shutdown();
}

/// The `Lookup` of a server is reached as clients do.
#[test]
fn an_offer_of_the_page_is_found_by_clients() {
    use armilla_cos_trading::Lookup;
    let server = start(Server::builder());
    assert_eq!(post(&server, "/export", &export("2")).0, 201);
    let client = Orb::new().unwrap();
    let lookup: LookupRef = armilla_tests::orbs::travel(&server.trader().lookup(), &client);
    let found = lookup.query("Printer", "price < 3", "", &[], &crate::served::ALL, 9).unwrap();
    assert_eq!(found.0.len(), 1);
    server.orb().shutdown();
}
