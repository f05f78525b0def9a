//! The web page of a repository.

use armilla_imr::ImplementationRepository;
use armilla_imr::model::Definition;
use armilla_imr::server::Server;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};

/// A repository with one server, whose page is at all addresses of this host.
fn start() -> Server {
    let builder = Server::builder(ImplementationRepository::builder()).console("0.0.0.0:0");
    let server = builder.start(|orb| orb.listen("iiop://127.0.0.1:0")).unwrap();
    server.orb().perform_work().unwrap();
    let mut bank = Definition::new("bank");
    bank.command = vec!["/opt/<bank>".to_owned()];
    server.repository().define(bank, false).unwrap();
    server
}

fn send(server: &Server, ip: IpAddr, request: &str) -> (u16, String) {
    let port = server.console().unwrap().address().port();
    let mut stream = TcpStream::connect(SocketAddr::new(ip, port)).unwrap();
    let head = format!("{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let rest = "X-Armilla-Console: 1\r\nContent-Length: 2\r\n\r\n{}";
    stream.write_all((head + rest).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

#[test]
fn operators_on_this_host_see_all_and_command() {
    let server = start();
    // A client on this host is one by whichever of its addresses it comes.
    for ip in [[127, 0, 0, 1].into(), armilla_ipc::host::primary_address()] {
        let (status, page) = send(&server, ip, "GET /");
        assert!(status == 200 && page.contains("bank"), "{page}");
        let (status, page) = send(&server, ip, "GET /servers/bank");
        assert!(status == 200 && page.contains("/opt/&lt;bank&gt;"), "{page}");
        assert!(page.contains("action=\"/servers/bank/stop\""), "{page}");
        assert_eq!(send(&server, ip, "POST /servers/bank/stop").0, 204);
        assert_eq!(send(&server, ip, "POST /servers/nobody/stop").0, 409);
        assert_eq!(send(&server, ip, "POST /servers/bank/explode").0, 404);
        assert_eq!(send(&server, ip, "GET /servers/nobody").0, 404);
    }
    server.orb().shutdown();
}
