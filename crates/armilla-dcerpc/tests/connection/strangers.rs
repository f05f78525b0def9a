//! What strangers take up, and what others notice of it.

use crate::over_tcp::{Echo, LONG};
use crate::pair::{OPEN, Pair, SECURED, TestHost, security};
use armilla_dcerpc::client::{Call, Client, ClientEvent, ClientOptions};
use armilla_dcerpc::driver::{self, Connection, Listener, ListenerOptions};
use armilla_dcerpc::management::{IsListening, MANAGEMENT};
use armilla_dcerpc::pdu::{AuthLevel, Body, Flags, Fragment, Pdu, Request};
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::server::{Server, ServerError, ServerEvent, ServerOptions};
use armilla_dcerpc::{ByteOrder, Status, SyntaxId};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// A part of the call 7, whose stub has that many octets.
fn part(flags: Flags, octets: usize) -> Vec<u8> {
    let stub = vec![7; octets];
    let body = Request { alloc_hint: 0, context: 0, opnum: 0, object: None, stub: &stub };
    let body = Body::Request(body);
    Pdu { order: ByteOrder::Little, flags, call_id: 7, body, auth: None }.encode().unwrap()
}

/// A server that a stranger has bound to an interface.
fn bound(interface: SyntaxId) -> Server {
    let mut client = Client::new(ClientOptions::default());
    let mut server = Server::new(ServerOptions::default(), TestHost, SECOND);
    client.bind(&[interface], None).unwrap();
    server.receive(&client.poll_output().unwrap(), SECOND);
    server.poll_output().unwrap();
    server
}

#[test]
fn a_call_whose_fragments_never_end_is_given_up_although_it_never_pauses() {
    let (mut server, end) = (bound(OPEN), ServerOptions::default().fragment_timeout);
    server.receive(&part(Flags::FIRST, 0), SECOND);
    let mut now = SECOND;
    while now < SECOND + end {
        assert!(!server.is_closed(), "at {now:?}");
        now += SECOND;
        server.receive(&part(Flags::default(), 0), now);
    }
    let late = ServerEvent::Closed(ServerError::TimedOut("fragment_timeout"));
    assert_eq!(server.poll_event(), Some(late));
}

#[test]
fn a_handshake_that_never_ends_is_given_up_whatever_else_comes() {
    let mut pair = Pair::new(ClientOptions::default(), ServerOptions::default());
    pair.client.bind(&[OPEN], security("ntlm", AuthLevel::Integrity)).unwrap();
    let bind = pair.client.poll_output().unwrap();
    pair.server.receive(&bind, pair.now);
    let end = pair.now + ServerOptions::default().handshake_timeout;
    assert_eq!(pair.server.poll_timeout(), Some(end));
    // Answered by nobody, so that its number is free again.
    let whole = part(Flags::WHOLE | Flags::MAYBE, 0);
    pair.server.receive(&whole, end - SECOND);
    assert!(!pair.server.is_closed());
    pair.server.receive(&whole, end);
    let events: Vec<_> = std::iter::from_fn(|| pair.server.poll_event()).collect();
    let late = ServerEvent::Closed(ServerError::TimedOut("handshake_timeout"));
    assert_eq!((events.len(), events.last()), (3, Some(&late)));
}

#[test]
fn of_a_call_that_will_be_refused_nothing_is_kept() {
    let mut server = bound(SECURED);
    server.receive(&part(Flags::FIRST, 4096), SECOND);
    // More than a call may have that is executed.
    let parts = ServerOptions::default().limits.stub / 4096 + 1;
    for _ in 0..parts {
        server.receive(&part(Flags::default(), 4096), SECOND);
    }
    assert_eq!((server.is_closed(), server.poll_output()), (false, None));
    server.receive(&part(Flags::LAST, 4096), SECOND);
    let answer = server.poll_output().unwrap();
    let Body::Fault(fault) = Pdu::decode(&answer).unwrap().body else { panic!() };
    assert_eq!(fault.status, Status::ACCESS_DENIED);
}

#[test]
fn what_anybody_may_call_is_small() {
    let mut server = bound(OPEN);
    server.receive(&part(Flags::FIRST, 4096), SECOND);
    for _ in 1..16 {
        server.receive(&part(Flags::default(), 4096), SECOND);
    }
    assert!(!server.is_closed());
    server.receive(&part(Flags::default(), 4096), SECOND);
    let too_much = ServerEvent::Closed(ServerError::Fragment(Fragment::TooLarge));
    assert_eq!(server.poll_event(), Some(too_much));
}

fn listener(max_connections: usize) -> (Listener, Echo) {
    let new = ListenerOptions::new("SERVER");
    let options = ListenerOptions { max_connections, max_guesses: 3, ..new };
    let echo = Echo::default();
    (driver::listen("127.0.0.1:0", echo.clone(), options).unwrap(), echo)
}

fn operator(listener: &Listener) -> Connection {
    let mut connection = Connection::connect(listener.address(), LONG).unwrap();
    let credentials = Credentials::new("plant", "operator", "secret");
    let security = (driver::spnego(credentials), AuthLevel::Integrity);
    connection.bind(&[Echo::INTERFACE], Some(security)).unwrap();
    connection
}

#[test]
fn strangers_who_stay_give_way_to_who_proves_who_it_is() {
    let (listener, _) = listener(4);
    let mut half = TcpStream::connect(listener.address()).unwrap();
    half.write_all(&[5, 0, 11, 3, 16, 0, 0]).unwrap();
    let mut bound = Connection::connect(listener.address(), LONG).unwrap();
    bound.bind(&[MANAGEMENT], None).unwrap();
    bound.call::<IsListening>(&()).unwrap();
    let silent: Vec<_> = (0..2).map(|_| TcpStream::connect(listener.address()).unwrap()).collect();
    let mut operators: Vec<_> = (0..4)
        .map(|_| {
            let mut connection = operator(&listener);
            connection.call_stub(&Call::new(Echo::INTERFACE, 0, b"")).unwrap();
            connection
        })
        .collect();
    half.set_read_timeout(Some(LONG)).unwrap();
    assert!(matches!(half.read(&mut [0; 1]), Ok(0) | Err(_)), "the oldest one ended");
    assert!(bound.call::<IsListening>(&()).is_err());
    drop(silent);
    for connection in &mut operators {
        connection.call_stub(&Call::new(Echo::INTERFACE, 0, b"")).unwrap();
    }
}

#[test]
fn a_call_that_panics_fails_alone() {
    let (listener, _) = listener(4);
    let mut connection = operator(&listener);
    let failed = connection.call_stub(&Call::new(Echo::INTERFACE, 3, b"")).unwrap_err();
    assert!(failed.to_string().contains("SERVER_FAULT"), "{failed}");
    let (_, back) = connection.call_stub(&Call::new(Echo::INTERFACE, 0, b"again")).unwrap();
    assert!(back.starts_with(b"again"));
}

#[test]
fn an_answer_does_not_wait_for_the_calls_behind_it() {
    let (listener, echo) = listener(4);
    let mut stream = TcpStream::connect(listener.address()).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    let mut client = Client::new(ClientOptions::default());
    let mut answered = |client: &mut Client, wanted: &dyn Fn(&ClientEvent) -> bool| loop {
        stream.write_all(&client.poll_output().unwrap_or_default()).unwrap();
        while let Some(event) = client.poll_event() {
            if wanted(&event) {
                return;
            }
        }
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).unwrap();
        assert_ne!(count, 0, "the server ended the connection");
        client.receive(&buffer[..count]);
    };
    let credentials = Credentials::new("plant", "operator", "secret");
    let (context, level) = (driver::ntlm(credentials), AuthLevel::Integrity);
    let security = armilla_dcerpc::client::Security { context, level };
    client.bind(&[Echo::INTERFACE], Some(security)).unwrap();
    answered(&mut client, &|event| matches!(event, ClientEvent::Bound { .. }));
    let first = client.call(&Call::new(Echo::INTERFACE, 0, b"first")).unwrap();
    let second = client.call(&Call::new(Echo::INTERFACE, 4, b"")).unwrap();
    let is = |id: u32| move |event: &ClientEvent| matches!(event, ClientEvent::Response { call, .. } if *call == id);
    // The second call waits for the test, which has the answer of the first before.
    answered(&mut client, &is(first));
    echo.go_on();
    answered(&mut client, &is(second));
}

#[test]
fn a_host_that_guesses_passwords_waits() {
    let (listener, _) = listener(4);
    let mut known = operator(&listener);
    for guess in ["one", "two", "three"] {
        let mut connection = Connection::connect(listener.address(), LONG).unwrap();
        let credentials = Credentials::new("plant", "operator", guess);
        let security = (driver::ntlm(credentials), AuthLevel::Integrity);
        // The call after the proof is told.
        let _ = connection.bind(&[Echo::INTERFACE], Some(security));
        assert!(connection.call_stub(&Call::new(Echo::INTERFACE, 0, b"")).is_err());
    }
    let refused = || {
        let mut stream = TcpStream::connect(listener.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        matches!(stream.read(&mut [0; 1]), Ok(0))
    };
    // The count follows the answer.
    let end = std::time::Instant::now() + LONG;
    while !refused() {
        assert!(std::time::Instant::now() < end, "it may guess on");
    }
    known.call_stub(&Call::new(Echo::INTERFACE, 0, b"")).unwrap();
}
