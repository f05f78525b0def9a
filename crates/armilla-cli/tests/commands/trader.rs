//! `armilla trader serve` as an operator runs it, and the commands of a client against it.

use crate::running;
use running::{Directory, Running, Service};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

const TRADER: Service = Service { command: "trader", reference: "TradingService" };

fn serve(arguments: &[&str]) -> Running {
    Running::new(&TRADER, arguments)
}

const IDL: &str = "module Office {
  typedef sequence<string> SizeList;
  interface Printer {
    readonly attribute string name;
    attribute double price;
    attribute SizeList sizes;
    void print(in string text);
  };
};";

#[test]
fn offers_are_made_and_found() {
    let directory = Directory::new("trader");
    let idl = directory.file("office.idl");
    fs::write(&idl, IDL).unwrap();
    let trader = serve(&["--memory"]);

    let shown = trader.ok(&[
        "type",
        "Office::Printer",
        "--from-idl",
        &idl,
        "--as",
        "Printer",
        "--mandatory",
        "name",
    ]);
    let expected = "interface    IDL:Office/Printer:1.0\n  name   string, mandatory, readonly\n  \
                    price  double\n  sizes  SizeList\n";
    assert_eq!(shown, expected);
    assert_eq!(trader.ok(&["types"]), "Printer\n");
    // What the supertype demands need not be said again.
    let laser = ["type", "Office::Printer", "--from-idl", &idl, "--as", "Laser"];
    let shown = trader.ok(&[&laser[..], &["--super", "Printer"]].concat());
    assert!(
        shown.contains("derives from Printer\n  name   string, mandatory, readonly\n"),
        "{shown}"
    );
    trader.ok(&["type", "Laser", "--remove"]);

    let export = |name: &str, price: &str, sizes: &str| {
        let object = format!("corbaloc::printers.invalid/{name}");
        let properties = [format!("name={name}"), format!("price={price}"), sizes.to_owned()];
        let arguments = ["export", "Printer", &object];
        let all: Vec<&str> =
            arguments.into_iter().chain(properties.iter().map(String::as_str)).collect();
        trader.ok(&all).trim().to_owned()
    };
    let laser = export("laser", "12.5", "sizes=[\"a4\",\"a3\"]");
    let ink = export("ink", "2", "sizes=[]");
    assert_eq!(trader.ok(&["offers"]), format!("{laser}\n{ink}\n"));
    let names = |arguments: &[&str]| {
        let query =
            [&["query", "Printer"], arguments, &["--json", "--properties", "name"]].concat();
        let found = trader.ok(&query);
        let name = |line: &str| {
            let offer: serde_json::Value = serde_json::from_str(line).unwrap();
            offer["properties"]["name"].as_str().unwrap().to_owned()
        };
        found.lines().map(name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&["", "--prefer", "min price"]), "ink laser");
    assert_eq!(names(&["'a3' in sizes and price < 20"]), "laser");
    assert_eq!(names(&["", "--policy", "return_card=1"]), "laser");
    assert!(trader.ok(&["query", "Printer", "price < 5", "--references"]).starts_with("IOR:"));

    trader.ok(&["modify", &ink, "price=30.5", "room=12", "--delete", "sizes"]);
    let described = trader.ok(&["describe", &ink]);
    assert!(described.contains("price  30.5") && described.contains("room   12"), "{described}");
    assert!(!described.contains("sizes"), "{described}");
    let dear = ["withdraw", "--type", "Printer", "--constraint", "price > 20"];
    let said = trader.ok(&[&dear[..], &["--dry-run"]].concat());
    assert_eq!(said, "1 offers of Printer match\n");
    trader.ok(&dear);
    trader.ok(&["withdraw", &laser]);
    assert_eq!(trader.ok(&["offers"]), "");
}

#[test]
fn mistakes_are_explained() {
    let directory = Directory::new("trader-mistakes");
    let idl = directory.file("office.idl");
    fs::write(&idl, IDL).unwrap();
    let trader = serve(&["--memory"]);
    trader.ok(&["type", "Office::Printer", "--from-idl", &idl, "--as", "Printer"]);

    let said = trader.fails(&["query", "Printer", "pirce < 5"]);
    assert!(said.contains("column 1: the service type has no property \"pirce\""), "{said}");
    assert!(said.contains("\n  pirce < 5\n  ^^^^^\n  hint: it has \"price\""), "{said}");
    let said = trader.fails(&["query", "Printer", "", "--prefer", "min name"]);
    assert!(said.contains("the preference is illegal, column 5"), "{said}");
    let said = trader.fails(&["query", "Printr"]);
    assert!(said.contains("has no service type \"Printr\"\n  hint: it has \"Printer\""), "{said}");
    let said = trader.fails(&["export", "Printer", "corbaloc::a.invalid/b", "price=dear"]);
    assert!(said.contains("the value of price"), "{said}");
    let said = trader.fails(&["query", "Printer", "", "--policy", "hop_count=many"]);
    assert!(said.contains("hop_count is a number"), "{said}");
    let said = trader.fails(&["type", "Office::Plotter", "--from-idl", &idl]);
    assert!(said.contains("declares no interface \"Office::Plotter\""), "{said}");
}

#[test]
fn traders_are_linked_and_administered() {
    let (one, two) = (serve(&["--memory"]), serve(&["--memory"]));
    one.ok(&["link", "add", "two", &two.url, "--default", "always"]);
    let links = one.ok(&["links"]);
    assert!(links.starts_with("two  default always, limit always, "), "{links}");
    one.ok(&["link", "modify", "two", "--limit", "if_no_local"]);
    one.ok(&["link", "remove", "two"]);
    assert_eq!(one.ok(&["links"]), "");
    one.ok(&["admin", "max_list=5", "def_follow_policy=always"]);
    let attributes = one.ok(&["admin"]);
    assert!(attributes.contains("max_list                        5\n"), "{attributes}");
    assert!(attributes.contains("def_follow_policy               always\n"), "{attributes}");
}

#[test]
fn what_is_stored_survives_a_kill_and_is_shown() {
    let directory = Directory::new("trader-store");
    let (idl, store) = (directory.file("office.idl"), directory.file("store"));
    fs::write(&idl, IDL).unwrap();
    {
        let trader = serve(&["--store", &store]);
        trader.ok(&["type", "Office::Printer", "--from-idl", &idl, "--as", "Printer"]);
        trader.ok(&["export", "Printer", "corbaloc::a.invalid/b", "name=laser <1>"]);
        // Dropping it is a kill -9.
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let trader = serve(&["--store", &store, "--http", &port.to_string()]);
    assert!(trader.ok(&["query", "Printer", "name == 'laser <1>'"]).contains("laser <1>"));

    let get = |path: &str| {
        let mut page = TcpStream::connect(port).unwrap();
        write!(page, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        page.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        answer
    };
    assert!(get("/").contains("IDL:Office/Printer:1.0"));
    assert!(get("/offers?type=Printer").contains("laser &lt;1&gt;"));
    assert!(!get("/offers?search=ink").contains("laser"));
    assert!(get("/links").contains("no links"));
    assert!(get("/healthz").ends_with("ready\n"));
    let metrics = get("/metrics");
    assert!(metrics.contains("armilla_trader_offers 1\n"), "{metrics}");
    assert!(metrics.contains("armilla_trader_queries_total 1\n"), "{metrics}");
}

#[test]
fn from_a_result_one_reaches_the_offer_and_dead_ones_are_found() {
    let directory = Directory::new("trader-ids");
    let idl = directory.file("office.idl");
    fs::write(&idl, IDL).unwrap();
    let trader = serve(&["--memory"]);
    let add = ["type", "Office::Printer", "--from-idl", &idl, "--as", "Printer"];
    trader.ok(&[&add[..], &["--mandatory", "name"]].concat());
    let said = trader.fails(&["export", "Printer", "corbaloc::127.0.0.1:1/b", "price=1"]);
    assert!(said.contains("needs the property \"name\", a string"), "{said}");
    trader.ok(&["export", "Printer", "corbaloc::127.0.0.1:1/Laser%00", "name=laser"]);
    // Its server does not know it.
    let gone = trader.url.replace("TradingService", "nobody");
    trader.ok(&["export", "Printer", &gone, "name=gone"]);

    let found = trader.ok(&["query", "Printer", "name == 'laser'"]);
    let (id, rest) = found.split_once("  ").unwrap();
    assert!(rest.starts_with("an object at 127.0.0.1:1, key \"Laser\\x00\"\n"), "{found}");
    trader.ok(&["modify", id, "price=7"]);
    let found = trader.ok(&["query", "Printer", "price == 7", "--json"]);
    assert!(found.contains(&format!("\"id\":\"{id}\"")) && !found.contains("armilla_"), "{found}");

    let swept = trader.ok(&["sweep"]);
    let words: Vec<&str> =
        swept.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(words, ["unreachable", "gone"]);
    trader.ok(&["sweep", "--withdraw"]);
    assert_eq!(trader.ok(&["offers"]), format!("{id}\n"));
    trader.ok(&["withdraw", id]);
    assert_eq!(trader.ok(&["offers"]), "");

    trader.ok(&["type", "Printer", "--mask"]);
    assert_eq!(trader.ok(&["types"]), "Printer\tmasked: takes no offers\n");
    let said = trader.fails(&["export", "Printer", "corbaloc::127.0.0.1:1/b", "name=b"]);
    assert!(said.contains("is masked") && said.contains("--unmask"), "{said}");
}

#[test]
fn many_offers_are_saved_and_loaded_and_a_dead_link_is_said() {
    let directory = Directory::new("trader-bulk");
    let (idl, saved) = (directory.file("office.idl"), directory.file("offers"));
    fs::write(&idl, IDL).unwrap();
    let add = ["type", "Office::Printer", "--from-idl", &idl, "--as", "Printer"];
    let (one, two) = (serve(&["--memory"]), serve(&["--store", &directory.file("store")]));
    one.ok(&add);
    let line = |number| {
        format!(
            "{{\"type\":\"Printer\",\"reference\":\"corbaloc::a.invalid/{number}\",\
             \"properties\":{{\"name\":\"p{number}\",\"sizes\":[\"a4\"]}}}}\n"
        )
    };
    fs::write(&saved, (0..300).map(line).collect::<String>()).unwrap();
    let said = two.fails(&["load", &saved]);
    assert!(said.contains("no service type \"Printer\""), "{said}");
    // An object that does not answer is asked for its interface unless the type has none.
    one.ok(&["load", &saved]);
    assert_eq!(one.ok(&["offers"]).lines().count(), 300);
    one.ok(&["save", "-o", &saved]);
    two.ok(&add);
    two.ok(&["load", &saved]);
    assert_eq!(
        two.ok(&["query", "Printer", "'a4' in sizes", "--limit", "1000"]).lines().count(),
        900
    );

    one.ok(&["link", "add", "two", &two.url]);
    drop(two);
    let output = one.run(&["query", "Printer", "--policy", "link_follow_rule=always"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("link two did not answer"), "{said}");
}

/// The status and the text of an answer of the page to a form.
fn post(port: std::net::SocketAddr, path: &str, header: &str, body: &str) -> (String, String) {
    let mut page = TcpStream::connect(port).unwrap();
    let length = body.len();
    write!(
        page,
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    page.read_to_string(&mut answer).unwrap();
    (answer[9..12].to_owned(), answer)
}

#[test]
fn an_operator_changes_offers_by_the_page_unless_it_is_read_only() {
    let directory = Directory::new("trader-page");
    let idl = directory.file("office.idl");
    fs::write(&idl, IDL).unwrap();
    let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (port, read_only) = (free(), free());
    let trader = serve(&["--memory", "--http", &port.to_string()]);
    trader.ok(&["type", "Office::Printer", "--from-idl", &idl, "--as", "Printer"]);
    let id = trader.ok(&["export", "Printer", "corbaloc::127.0.0.1:1/b", "price=1", "name=x"]);
    let id = id.trim();
    let send = |path: &str, body: &str| post(port, path, "X-Armilla-Console: 1\r\n", body);
    let set = format!(r#"{{"id":"{id}","name":"price","value":"7.5"}}"#);
    // A form of another site has no header of its own.
    assert_eq!(post(port, "/modify", "", &set).0, "403");
    assert_eq!(send("/modify", &set).0, "204");
    assert!(trader.ok(&["query", "Printer", "price == 7.5"]).starts_with(id));
    for (path, body, status, said) in [
        ("/modify", format!(r#"{{"id":"{id}","name":"price","value":"dear"}}"#), "400", "price"),
        ("/modify", format!(r#"{{"id":"{id}","name":"colour","value":"1"}}"#), "400", "colour"),
        ("/modify", format!(r#"{{"id":"{id}","name":"name","value":"y"}}"#), "409", "name"),
        ("/modify", r#"{"id":"0","name":"price","value":"1"}"#.to_owned(), "409", ""),
        ("/withdraw", r#"{"id":"0"}"#.to_owned(), "409", ""),
        ("/type", r#"{"name":"Printer","action":"remove"}"#.to_owned(), "409", "NO_PERMISSION"),
        ("/type", r#"{"name":"Printer","action":"paint"}"#.to_owned(), "400", "paint"),
        ("/type", r#"{"name":"Printer","action":"mask"}"#.to_owned(), "204", ""),
        ("/withdraw", format!(r#"{{"id":"{id}"}}"#), "204", ""),
        ("/type", r#"{"name":"Printer","action":"remove"}"#.to_owned(), "204", ""),
        ("/unlink", r#"{"name":"none"}"#.to_owned(), "409", ""),
    ] {
        let (found, answer) = send(path, &body);
        assert!(found == status && answer.contains(said), "{path} {body}: {answer}");
    }
    assert_eq!(trader.ok(&["types"]), "");

    let shown = serve(&["--memory", "--http", &read_only.to_string(), "--http-read-only"]);
    shown.ok(&["type", "Office::Printer", "--from-idl", &idl, "--as", "Printer"]);
    let header = "X-Armilla-Console: 1\r\n";
    let mask = r#"{"name":"Printer","action":"mask"}"#;
    assert_eq!(post(read_only, "/type", header, mask).0, "403");
}
