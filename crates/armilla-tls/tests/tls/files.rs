//! Files and settings that cannot work: they are refused when the ORB is built, in a sentence that
//! names the file and the remedy. And names that references do not carry.

use crate::certificates::Authority;
use crate::references::tls_port;
use armilla::{ExceptionKind, Minor};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tls::{Pem, Tls, Verify};
use std::io::{Read, Write};
use std::net::TcpStream;

/// A certificate with a key of 1,024 bits, as OpenSSL makes it.
const WEAK: &str = include_str!("weak.pem");

#[test]
fn what_cannot_work_is_refused_when_the_orb_is_built() {
    let root = Authority::new("root");
    let good = root.issue(&["127.0.0.1"]);
    let of_middle = root.below("middle").issue(&["127.0.0.1"]);
    let end = of_middle.certificate.find("-----END CERTIFICATE-----\n").unwrap() + 26;
    let (own, above) = of_middle.certificate.split_at(end);
    let encrypted = good.key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let with = |certificate: &str, key: &str| {
        root.tls().certificate(Pem::text(certificate)).key(Pem::text(key))
    };
    let unbelieving = Tls::new()
        .certificate(good.pem())
        .roots(Pem::text("no certificate"))
        .verify(Verify::Required);
    for (what, tls, says) in [
        ("a weak key", with(WEAK, &good.key), "RSA of 1024 bits"),
        ("the wrong order", with(&format!("{above}{own}"), &of_middle.key), "own comes first"),
        ("an encrypted key", with(&good.certificate, &encrypted), "the key is encrypted"),
        ("the key of another one", with(&good.certificate, &of_middle.key), "belongs to the first"),
        ("no certificate", with("", &good.key), "-----BEGIN CERTIFICATE-----"),
        ("roots that are none", unbelieving, "there is no certificate in it"),
        ("no key", root.tls().certificate(Pem::text(good.certificate.as_str())), "-ORBKey FILE"),
        ("nothing", root.tls(), "-ORBCertificate FILE"),
    ] {
        let builder = orbs::builder().transport(tls).listen("ssliop://127.0.0.1:0").unwrap();
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Initialize, "{what}: {error}");
        assert!(error.to_string().contains(says), "{what}: {error}");
    }
}

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
