//! The web page of a repository.

use armilla_imr::ImplementationRepository;
use armilla_imr::corba::Registry;
use armilla_imr::model::Definition;
use armilla_imr::server::Server;
use armilla_service::ConsoleOptions;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A repository with one server, whose page is at all addresses of this host.
fn start() -> Server {
    let everywhere = ConsoleOptions::from("0.0.0.0:0").insecure();
    let builder = Server::builder(ImplementationRepository::builder()).console(everywhere);
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

#[test]
fn an_activator_that_is_silent_holds_up_no_other_page() {
    let server = start();
    // It takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("corbaloc::{}/activator", silent.local_addr().unwrap());
    let activator = server.orb().string_to_object(&url).unwrap().assume();
    server.repository().reference().register_activator("there", &activator, &[7; 32]).unwrap();
    let mut far = Definition::new("far");
    far.command = vec!["/bin/true".to_owned()];
    far.host = Some("there".to_owned());
    server.repository().define(far, false).unwrap();
    let (here, answered) = ([127, 0, 0, 1].into(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let (status, page) = send(&server, here, "GET /servers/far");
            answered.store(true, Ordering::SeqCst);
            assert!(status == 200 && page.contains("far"), "{page}");
        });
        // The page asks for the log, and waits.
        let (_connection, _) = silent.accept().unwrap();
        assert_eq!(send(&server, here, "GET /healthz").0, 503, "it has not been told to run");
        assert_eq!(send(&server, here, "GET /servers/bank").0, 200);
        assert!(!answered.load(Ordering::SeqCst), "the page was answered before the others");
    });
    server.orb().shutdown();
}
