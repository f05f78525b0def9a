//! How much clients may do, and who is not let in.

use crate::world::{Client, Server};
use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
use armilla_ipc::Address;
use armilla_security::Limits;
use armilla_tls::{Authority, Pem, Tls};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

fn limits(text: &str) -> Limits {
    Limits::new(text.parse().unwrap())
}

/// A client whose calls go over TCP.
fn over_tcp() -> armilla::OrbBuilder {
    Orb::builder().settings(|it| it.same_host = armilla::SameHost::Off)
}

fn refused(result: Result<f64, SystemException>) {
    let refused = result.unwrap_err();
    assert_eq!((refused.kind(), refused.completed()), (ExceptionKind::Transient, Completion::No));
    assert_eq!(refused.minor(), Minor::SHARE_USED_UP);
    assert!(refused.to_string().contains("used up its share"), "{refused}");
}

/// The port of a server in its reference.
fn port(server: &Server) -> u16 {
    server.orb.published_addresses().unwrap()[0].1
}

#[test]
fn calls_beyond_the_share_of_a_host_are_refused_and_not_executed() {
    let limits = limits("calls=1,burst=1");
    let counted = limits.clone();
    let server = Server::new(|it| it.limits(counted));
    let client = Client::of(&server, over_tcp());
    let mut right = 0;
    let wrong = loop {
        match client.call() {
            Ok(_) => right += 1,
            wrong => break wrong,
        }
    };
    refused(wrong);
    assert!(right >= 2, "one at once, and one that is saved up");
    assert_eq!(server.callers().len(), right, "what was refused has not run");
    assert_eq!(limits.counts().calls, 1);
}

#[test]
fn a_user_takes_the_share_along_and_others_keep_theirs() {
    let limits = limits("user-octets=1,burst=0");
    let counted = limits.clone();
    let server = Server::new(|it| it.limits(counted));
    let ann = Client::user(&server, "ann", "secret");
    assert_eq!(ann.call(), Ok(1.0), "what is larger than the share passes once");
    refused(Client::user(&server, "ann", "secret").call());
    let gateway = Client::user(&server, "gateway", "gate");
    assert_eq!(gateway.call(), Ok(1.0));
    assert_eq!(Client::of(&server, over_tcp()).call(), Ok(1.0), "nobody in particular");
    assert_eq!(limits.counts().user_octets, 1);
}

#[test]
fn a_user_makes_so_many_connections_and_goes_on_over_those_it_has() {
    let limits = limits("user-connections=1,burst=0");
    let counted = limits.clone();
    let server = Server::new(|it| it.limits(counted));
    let ann = Client::user(&server, "ann", "secret");
    assert_eq!(ann.call(), Ok(1.0));
    let again = loop {
        // A slow machine may need more than a second for one of them.
        match Client::user(&server, "ann", "secret").call() {
            Ok(_) => {}
            refused => break refused,
        }
    };
    refused(again);
    assert_eq!(ann.call(), Ok(1.0));
    assert_eq!(Client::user(&server, "gateway", "gate").call(), Ok(1.0));
    assert_eq!(limits.counts().user_connections, 1);
}

/// Sends these octets over connections of their own until the host is banned.
fn break_protocol(port: u16, octets: &[u8], limits: &Limits) {
    while limits.banned().is_empty() {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        // The server may have closed it.
        stream.write_all(octets).ok();
        stream.read_to_end(&mut Vec::new()).ok();
    }
}

#[test]
fn a_host_that_breaks_the_protocol_is_not_let_in_for_a_while() {
    let limits = limits("breaches=3,window=3600,ban=3600");
    let counted = limits.clone();
    let server = Server::new(|it| it.limits(counted));
    assert_eq!(Client::of(&server, over_tcp()).call(), Ok(1.0));
    break_protocol(port(&server), b"GET / HTTP/1.1\r\n\r\n", &limits);
    assert_eq!(limits.banned()[0].0, "127.0.0.1");
    assert!(Client::of(&server, over_tcp()).call().is_err());
    assert!(limits.counts().turned_away > 0 && limits.counts().bans == 1);
    assert!(limits.lift(&Address::tcp("127.0.0.1", 1)));
    assert_eq!(Client::of(&server, over_tcp()).call(), Ok(1.0));
}

#[test]
fn a_banned_host_gets_no_handshake() {
    let authority = Authority::new("authority", DAY).unwrap();
    let own = authority.issue("server", &["127.0.0.1"], DAY).unwrap();
    let text = |pem: &str| Pem::Text(pem.into());
    let tls = Tls::new().certificate(text(&own.certificate)).key(text(&own.key));
    let orb = Orb::builder().transport(tls.clone()).listen("ssliop://127.0.0.1:0").unwrap();
    let limits = limits("breaches=3,window=3600,ban=3600");
    let counted = limits.clone();
    let server = Server::of(orb, |it| it.limits(counted));
    let client = || {
        let tls = Tls::new().roots(text(&authority.own().certificate));
        Client::of(&server, over_tcp().transport(tls))
    };
    assert_eq!(client().call(), Ok(1.0));
    // Plain GIOP at the port for TLS.
    break_protocol(tls.published()[0].addresses[0].port, b"GIOP\x01\x02\0\0\0\0\0\0", &limits);
    assert!(client().call().is_err());
    assert!(limits.counts().turned_away > 0);
}

#[test]
fn connections_beyond_the_share_of_a_host_are_closed() {
    let limits = limits("connections=1,burst=0");
    let counted = limits.clone();
    let server = Server::new(|it| it.limits(counted));
    let mut opened = Vec::new();
    while limits.counts().connections == 0 {
        opened.push(TcpStream::connect(("127.0.0.1", port(&server))).unwrap());
    }
    // One of the last is refused with a CloseConnection; the first is not, and waits for a message.
    let is_closed = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let mut octets = Vec::new();
        stream.read_to_end(&mut octets).is_ok() && octets.starts_with(b"GIOP")
    };
    assert!(!is_closed(&mut opened[0]));
    while !opened.iter_mut().skip(1).any(is_closed) {}
}
