//! Peers that mean harm before a handshake is over: they keep nobody out and hold nothing for long.

use crate::certificates::Authority;
use crate::references::tls_port;
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tls::TlsSettings;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

fn server(authority: &Authority, change: impl FnOnce(&mut TlsSettings)) -> Server {
    let identity = authority.issue(&["127.0.0.1"]);
    let tls = authority.tls().certificate(identity.pem()).settings(change);
    let builder = orbs::builder().transport(tls);
    Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap())
}

fn is_served(authority: &Authority, server: &Server) {
    let client = orbs::builder().transport(authority.tls()).build().unwrap();
    server.remote(&client).ping().unwrap();
    client.shutdown();
}

fn stranger(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", tls_port(server))).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Waits until the server has ended the connection.
fn ends(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the server keeps the connection: {error}"),
    }
}

#[test]
fn silent_strangers_give_way_to_those_who_speak() {
    let authority = Authority::new("root");
    let server = server(&authority, |settings| settings.handshakes = 4);
    let mut strangers: Vec<_> = (0..32).map(|_| stranger(&server)).collect();
    is_served(&authority, &server);
    strangers[..20].iter_mut().for_each(ends);
    is_served(&authority, &server);
}

#[test]
fn a_client_that_was_answered_does_not_give_way_to_silent_strangers() {
    let authority = Authority::new("root");
    let server = server(&authority, |settings| settings.handshakes = 4);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem.as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut client = ClientConnection::new(config.into(), name).unwrap();
    let mut stream = stranger(&server);
    client.write_tls(&mut stream).unwrap();
    // It has the answer, and takes its time.
    stream.peek(&mut [0]).unwrap();
    let mut strangers: Vec<_> = (0..32).map(|_| stranger(&server)).collect();
    strangers[..20].iter_mut().for_each(ends);
    while client.is_handshaking() {
        client.complete_io(&mut stream).unwrap();
    }
    // What follows the handshake is a ticket, and no end.
    client.complete_io(&mut stream).unwrap();
}

#[test]
fn a_handshake_has_its_time() {
    let authority = Authority::new("root");
    let limit = Duration::from_millis(100);
    let server = server(&authority, |settings| settings.handshake_timeout = limit);
    // One that says nothing, and one that stops in the middle of a record.
    let (mut silent, mut slow) = (stranger(&server), stranger(&server));
    slow.write_all(b"\x16\x03\x01\x02\x00\x01").unwrap();
    ends(&mut silent);
    ends(&mut slow);
}

#[test]
fn octets_that_are_no_handshake_end_a_connection() {
    let authority = Authority::new("root");
    let server = server(&authority, |_| {});
    let long = [b"\x16\x03\x03\x40\x00".as_slice(), &[0xff; 0x4000]].concat();
    let malformed: [&[u8]; 7] = [
        b"GIOP\x01\x02\x01\x00\x00\x00\x00\x00",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x15\x03\x03\x00\x02\x02\x28",
        b"\x17\x03\x03\x00\x05hello",
        b"\x16\x03\x01\xff\xff",
        b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10",
        &long,
    ];
    for octets in malformed {
        let mut stream = stranger(&server);
        // The server may have ended it before all is written.
        stream.write_all(octets).ok();
        ends(&mut stream);
    }
    is_served(&authority, &server);
}
