//! The web page of a service, as a browser asks for it: what it shows, and what operators do.

use armilla::Orb;
use armilla_transactions::Transactions;
use armilla_transactions::corba::{
    Control, Coordinator, ResourceRef, TransactionFactory, TransactionFactoryRef, resource,
};
use armilla_transactions::server::Server;
use std::io::{Read, Write};
use std::net::TcpStream;

fn start() -> Server {
    let server = Server::builder(Transactions::builder()).console("127.0.0.1:0");
    let server = server.start(|orb| orb.listen("iiop://127.0.0.1:0")).unwrap();
    server.orb().perform_work().unwrap();
    server
}

fn send(server: &Server, request: &str, header: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.console().unwrap().address()).unwrap();
    let head = format!("{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}");
    let rest = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    stream.write_all((head + rest).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

fn get(server: &Server, path: &str) -> (u16, String) {
    send(server, &format!("GET {path}"), "")
}

fn post(server: &Server, path: &str) -> u16 {
    send(server, &format!("POST {path}"), "X-Armilla-Console: 1\r\n").0
}

#[test]
fn operators_see_transactions_and_end_them_on_the_page() {
    let server = start();
    let (status, page) = get(&server, "/");
    assert!(status == 200 && page.contains("All transactions are over."), "{page}");
    let client = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let factory: TransactionFactoryRef = client.resolve(server.url()).unwrap();
    let control = factory.create(60).unwrap();
    let noting = crate::references::Noting::default();
    let told = noting.0.clone();
    let resource: ResourceRef = client.root_poa().activate(resource::tie(noting)).unwrap();
    control.get_coordinator().unwrap().register_resource(&resource).unwrap();

    let list = server.transactions().list();
    let id = &list[0].id;
    let (_, page) = get(&server, "/");
    assert!(page.contains(id.as_str()) && page.contains("active"), "{page}");
    let (_, page) = get(&server, &format!("/transactions/{id}"));
    assert!(page.contains("registered") && page.contains("Roll back"), "{page}");
    assert!(!page.contains("/commit"), "what is active cannot be committed for others");

    let path = |what: &str| format!("/transactions/{id}/{what}");
    // A form of another site has no such header.
    assert_eq!(send(&server, &format!("POST {}", path("rollback")), "").0, 403);
    assert_eq!(post(&server, &path("commit")), 409);
    assert_eq!(post(&server, &path("explode")), 404);
    assert_eq!(post(&server, &path("rollback")), 204);
    assert_eq!(*told.lock().unwrap(), ["rollback"]);
    assert_eq!(get(&server, &format!("/transactions/{id}")).0, 404);
    assert_eq!(post(&server, &path("rollback")), 404);
    let (_, metrics) = get(&server, "/metrics");
    assert!(metrics.contains("armilla_transactions_in_progress 0\n"), "{metrics}");
    let by_operator = "armilla_transactions_rolled_back_total{reason=\"operator\"} 1\n";
    assert!(metrics.contains(by_operator), "{metrics}");
    let (_, page) = get(&server, "/");
    assert!(page.contains("1 (operator 1)"), "{page}");
    client.shutdown();
    server.orb().shutdown();
}
