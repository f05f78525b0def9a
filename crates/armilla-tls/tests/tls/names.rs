//! Names that references do not carry, and peers from before TLS 1.2.

use crate::certificates::Authority;
use crate::references::tls_port;
use armilla::Minor;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use std::io::{Read, Write};
use std::net::TcpStream;

#[test]
fn a_client_may_say_which_name_belongs_to_an_address() {
    let root = Authority::new("root");
    let tls = root.tls().certificate(root.issue(&["bank.example.org"]).pem());
    let builder = orbs::builder().transport(tls);
    let server = Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap());
    let client = |name: &str| {
        let tls = root.tls().settings(|settings| settings.name = Some(name.to_owned()));
        orbs::builder().transport(tls).build().unwrap()
    };
    server.remote(&client("bank.example.org")).ping().unwrap();
    let error = server.remote(&client("other.example.org")).ping().unwrap_err();
    assert_eq!(error.minor(), Minor::TLS_CERTIFICATE_REFUSED, "{error}");
}

#[test]
fn a_peer_of_tls_1_0_gets_an_alert() {
    let root = Authority::new("root");
    let tls = root.tls().certificate(root.issue(&["127.0.0.1"]).pem());
    let builder = orbs::builder().transport(tls);
    let server = Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap());
    let mut peer = TcpStream::connect(("127.0.0.1", tls_port(&server))).unwrap();
    // A ClientHello of TLS 1.0 with one cipher suite and no extensions.
    let head = b"\x16\x03\x01\x00\x2d\x01\x00\x00\x29\x03\x01";
    let hello = [&head[..], &[7; 32], b"\x00\x00\x02\x00\x2f\x01\x00"].concat();
    peer.write_all(&hello).unwrap();
    let mut answer = Vec::new();
    peer.read_to_end(&mut answer).unwrap();
    // A fatal alert, and nothing else.
    assert_eq!((answer.len(), answer[0], answer[5]), (7, 21, 2), "{answer:?}");
    server.remote(&orbs::builder().transport(root.tls()).build().unwrap()).ping().unwrap();
}
