//! Peers and ports that are not what the other end takes them for, and connections that are cut.

use super::{Came, Case};
use crate::certificates::Authority;
use crate::references::tls_port;
use armilla::Orb;
use armilla_giop::ior::{Component, SslSecTrans};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tls::Tls;
use std::io::{Read, Write, copy};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const HERE: &[&str] = &["127.0.0.1"];
const NEEDED: &str = "`NO_PERMISSION`, `TLS_NEEDED`";
const FAILED: &str = "`NO_PERMISSION`, `TLS_HANDSHAKE_FAILED`";

fn over_tls(root: &Authority) -> Server {
    let tls = root.tls().certificate(root.issue(HERE).pem());
    Server::of(
        orbs::builder().transport(tls).listen("ssliop://127.0.0.1:0").unwrap().build().unwrap(),
    )
}

fn client(tls: Tls) -> Orb {
    orbs::builder()
        .settings(|settings| settings.connect_timeout = Duration::from_secs(1))
        .transport(tls)
        .build()
        .unwrap()
}

/// What a call of an object at this URL ends with.
fn call(client: &Orb, url: &str) -> Vec<Came> {
    let object = client.string_to_object(url).unwrap();
    let error = object.non_existent().unwrap_err();
    client.shutdown();
    vec![Came::of(error, 0)]
}

/// A peer at a port that reads what a client says first, answers with these octets, and waits until
/// the client has gone.
fn scripted(answer: Vec<u8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut peer, _) = listener.accept().unwrap();
        peer.set_read_timeout(Some(PATIENCE)).unwrap();
        assert!(peer.read(&mut [0; 4096]).unwrap() > 0);
        peer.write_all(&answer).unwrap();
        copy(&mut peer, &mut std::io::sink()).ok();
    });
    port
}

/// What passes octets on to a port, until it is cut.
struct Line {
    port: u16,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let ends = Arc::<Mutex<Vec<TcpStream>>>::default();
        let kept = ends.clone();
        thread::spawn(move || {
            while let Ok((client, _)) = listener.accept() {
                let server = TcpStream::connect(("127.0.0.1", target)).unwrap();
                for (mut from, mut into) in [
                    (client.try_clone().unwrap(), server.try_clone().unwrap()),
                    (server.try_clone().unwrap(), client.try_clone().unwrap()),
                ] {
                    thread::spawn(move || copy(&mut from, &mut into).ok());
                }
                kept.lock().unwrap().extend([client, server]);
            }
        });
        Self { port, ends }
    }

    fn cut(&self) {
        self.ends.lock().unwrap().drain(..).for_each(|end| end.shutdown(Shutdown::Both).unwrap());
    }
}

/// The object of a server with another port for TLS.
fn through(server: &Server, port: u16, client: &Orb) -> EverythingRef {
    let mut ior = server.local.object().ior().clone();
    let mut profile = ior.iiop_profiles().next().unwrap().unwrap();
    let tls: SslSecTrans = profile.component().unwrap().unwrap();
    profile.components.retain(|it| it.id != SslSecTrans::ID);
    profile.components.push(SslSecTrans { port, ..tls }.to_tagged().unwrap());
    ior.profiles = vec![profile.to_tagged().unwrap()];
    client.resolve(&ior.to_text().unwrap()).unwrap()
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "the plain port of a server, taken for that for TLS",
            FAILED,
            &["is this its port for TLS"],
            || {
                let plain = Server::start();
                let (host, port) = plain.address();
                let client = client(Authority::new("root").tls());
                call(&client, &format!("corbaloc:ssliop:{host}:{port}/x"))
            },
        ),
        Case::new(
            "the port for TLS of a server, taken for its plain one",
            "`COMM_FAILURE`, perhaps executed",
            &["that is TLS", "corbaloc:ssliop:"],
            || {
                let server = over_tls(&Authority::new("root"));
                let url = format!("corbaloc::127.0.0.1:{}/x", tls_port(&server));
                call(&orbs::client(), &url)
            },
        ),
        Case::new(
            "a server of TLS 1.0",
            FAILED,
            &["no version in common", "TLS 1.2 and 1.3 are spoken"],
            || {
                // A ServerHello of TLS 1.0, without extensions.
                let head = b"\x16\x03\x01\x00\x2a\x02\x00\x00\x26\x03\x01";
                let hello = [&head[..], &[7; 32], b"\x00\x00\x2f\x00"].concat();
                let client = client(Authority::new("root").tls());
                call(&client, &format!("corbaloc:ssliop:127.0.0.1:{}/x", scripted(hello)))
            },
        ),
        Case::new(
            "a server that never answers a handshake",
            "`TRANSIENT`",
            &["is that its port for TLS?"],
            || {
                let client = client(Authority::new("root").tls());
                call(&client, &format!("corbaloc:ssliop:127.0.0.1:{}/x", scripted(Vec::new())))
            },
        ),
        Case::new(
            "TLS is required, and the reference has none",
            NEEDED,
            &["-ORBTls required=1"],
            || {
                let server = Server::start();
                let client = client(Authority::new("root").tls().required());
                let error = server.remote(&client).increment().unwrap_err();
                client.shutdown();
                vec![Came::of(error, server.local.count().unwrap())]
            },
        ),
        Case::new(
            "an ORB without TLS, and a server with nothing else",
            NEEDED,
            &["armilla-tls"],
            || {
                let server = over_tls(&Authority::new("root"));
                let error = server.remote(&orbs::client()).increment().unwrap_err();
                vec![Came::of(error, server.local.count().unwrap())]
            },
        ),
        Case::new(
            "a connection that is cut behind a request",
            "`COMM_FAILURE`, perhaps executed",
            &[],
            || {
                let root = Authority::new("root");
                let server = over_tls(&root);
                let line = Line::to(tls_port(&server));
                let client = client(root.tls());
                let remote = through(&server, line.port, &client);
                let error = thread::scope(|scope| {
                    let call = scope.spawn(|| remote.block());
                    server.probe.gate.await_waiting(1);
                    line.cut();
                    call.join().unwrap().unwrap_err()
                });
                client.shutdown();
                let ran = server.probe.gate.waiting();
                server.probe.gate.open();
                vec![Came::of(error, ran.try_into().unwrap())]
            },
        )
        .ran(1),
    ]
}
