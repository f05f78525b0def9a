//! What a server refuses, and when it gives a client up.

use crate::pair::{OPEN, Pair, SECOND, SECURED, UNKNOWN, ntlm, security};
use armilla_dcerpc::client::{Call, ClientError, ClientEvent, ClientOptions, Security};
use armilla_dcerpc::pdu::{AuthLevel, Outcome};
use armilla_dcerpc::security::SecurityError;
use armilla_dcerpc::server::{ServerError, ServerEvent, ServerOptions};
use armilla_dcerpc::{Status, SyntaxId};
use std::time::Duration;

/// What a call ends with.
fn fault(pair: &mut Pair, interface: SyntaxId) -> Option<Status> {
    pair.client.call(&Call::new(interface, 0, b"")).unwrap();
    pair.pass();
    match pair.client.poll_event() {
        Some(ClientEvent::Fault(fault)) => Some(fault.status),
        None => None,
        other => panic!("{other:?}"),
    }
}

fn closed(pair: &mut Pair) -> ServerError {
    loop {
        match pair.server.poll_event() {
            Some(ServerEvent::Closed(error)) => return error,
            Some(_) => {}
            None => panic!("it is open"),
        }
    }
}

#[test]
fn an_interface_needs_the_level_that_it_needs() {
    let mut pair = Pair::bound(&[SECURED, OPEN], None);
    assert_eq!(fault(&mut pair, SECURED), Some(Status::ACCESS_DENIED));
    assert_eq!(fault(&mut pair, OPEN), None);
    let level = AuthLevel::Connect;
    for (min_level, end) in
        [(AuthLevel::Integrity, Some(Status::ACCESS_DENIED)), (AuthLevel::Connect, None)]
    {
        let client = ClientOptions { allow_low_level: true, ..ClientOptions::default() };
        let server = ServerOptions { min_level, ..ServerOptions::default() };
        let mut pair = Pair::new(client, server);
        pair.client.bind(&[SECURED], security("ntlm", level)).unwrap();
        pair.pass();
        pair.client.poll_event();
        assert_eq!(fault(&mut pair, SECURED), end);
    }
    let mut pair = Pair::new(ClientOptions::default(), ServerOptions::default());
    let low = pair.client.bind(&[SECURED], security("ntlm", level));
    assert_eq!(low, Err(ClientError::LowLevel(level)));
}

#[test]
fn a_wrong_password_lets_nobody_in() {
    let mut pair = Pair::new(ClientOptions::default(), ServerOptions::default());
    let level = AuthLevel::Integrity;
    pair.client.bind(&[SECURED], Some(Security { context: ntlm("wrong"), level })).unwrap();
    pair.pass();
    assert!(matches!(pair.client.poll_event(), Some(ClientEvent::Bound { .. })));
    assert_eq!(fault(&mut pair, SECURED), Some(Status::ACCESS_DENIED));
    assert_eq!(closed(&mut pair), ServerError::Security(SecurityError::Denied));
}

#[test]
fn an_unknown_service_of_security_is_named() {
    let mut pair = Pair::new(ClientOptions::default(), ServerOptions::default());
    pair.client.bind(&[SECURED], security("ntlm", AuthLevel::Integrity)).unwrap();
    let mut bind = pair.client.poll_output().unwrap();
    let trailer = bind.len() - 40 - 8;
    assert_eq!(bind[trailer], 10);
    bind[trailer] = 16;
    pair.server.receive(&bind, pair.now);
    assert_eq!(closed(&mut pair), ServerError::UnknownSecurity(16));
    pair.client.receive(&pair.server.poll_output().unwrap());
    let refused = ClientEvent::Closed(ClientError::Refused(8));
    assert_eq!(pair.client.poll_event(), Some(refused));
}

#[test]
fn contexts_are_refused_one_by_one() {
    let server = ServerOptions { max_contexts: 2, ..ServerOptions::default() };
    let mut pair = Pair::new(ClientOptions::default(), server);
    pair.client.bind(&[SECURED, UNKNOWN, SECOND, OPEN], None).unwrap();
    pair.pass();
    let Some(ClientEvent::Bound { interfaces, .. }) = pair.client.poll_event() else { panic!() };
    let outcomes: Vec<_> = interfaces.iter().map(|(_, outcome)| *outcome).collect();
    let (taken, unknown) = (Outcome::Accepted, Outcome::UnknownInterface);
    assert_eq!(outcomes, [taken, unknown, taken, Outcome::TooMany]);
}

#[test]
fn more_calls_than_allowed_are_told_to_wait() {
    let server = ServerOptions { max_calls: 1, ..ServerOptions::default() };
    let mut pair = Pair::new(ClientOptions::default(), server);
    pair.client.bind(&[OPEN], None).unwrap();
    pair.pass();
    pair.client.poll_event();
    assert_eq!(fault(&mut pair, OPEN), None);
    assert_eq!(fault(&mut pair, OPEN), Some(Status::SERVER_TOO_BUSY));
}

#[test]
fn a_call_before_the_bind_ends_the_connection() {
    let mut pair = Pair::new(ClientOptions::default(), ServerOptions::default());
    let mut request = vec![5, 0, 0, 3, 0x10, 0, 0, 0, 24, 0, 0, 0, 1, 0, 0, 0];
    request.extend([0; 8]);
    pair.server.receive(&request, pair.now);
    assert_eq!(closed(&mut pair), ServerError::Unexpected);
    assert!(pair.server.is_closed());
    assert_eq!(pair.server.poll_output().unwrap()[2], 3, "a fault says why");
}

#[test]
fn a_client_that_says_nothing_is_given_up() {
    let options = ServerOptions::default();
    let mut pair = Pair::new(ClientOptions::default(), options.clone());
    let end = pair.now + options.handshake_timeout;
    assert_eq!(pair.server.poll_timeout(), Some(end));
    pair.server.handle_timeout(end - Duration::from_nanos(1));
    assert_eq!(pair.server.poll_event(), None);
    pair.server.handle_timeout(end);
    assert_eq!(closed(&mut pair), ServerError::TimedOut("handshake_timeout"));

    let mut pair = Pair::bound(&[OPEN], None);
    pair.server.handle_timeout(pair.now + options.idle_timeout);
    assert_eq!(closed(&mut pair), ServerError::TimedOut("idle_timeout"));

    let mut pair = Pair::bound(&[OPEN], None);
    assert_eq!(fault(&mut pair, OPEN), None);
    assert_eq!(pair.server.poll_timeout(), None, "a call runs");
    pair.server.receive(&[5], pair.now);
    pair.server.receive(&[0], pair.now + Duration::from_secs(50));
    pair.server.handle_timeout(pair.now + options.fragment_timeout);
    assert_eq!(closed(&mut pair), ServerError::TimedOut("fragment_timeout"));
}

#[test]
fn whatever_comes_nobody_panics() {
    let mut pair = Pair::bound(&[OPEN], None);
    pair.client.call(&Call::new(OPEN, 0, &[1; 40])).unwrap();
    let call = pair.client.poll_output().unwrap();
    for bit in 0..call.len() * 8 {
        let mut octets = call.clone();
        octets[bit / 8] ^= 1 << (bit % 8);
        let mut pair = Pair::bound(&[OPEN], None);
        pair.server.receive(&octets, pair.now);
        pair.client.receive(&octets);
    }
}

#[test]
fn a_call_may_not_name_another_level_than_was_agreed() {
    let client = ClientOptions { allow_low_level: true, ..ClientOptions::default() };
    let server = ServerOptions { min_level: AuthLevel::Connect, ..ServerOptions::default() };
    let mut pair = Pair::new(client, server);
    pair.client.bind(&[SECURED], security("ntlm", AuthLevel::Connect)).unwrap();
    pair.pass();
    let mut call = vec![5, 0, 0, 3, 0x10, 0, 0, 0, 48, 0, 16, 0, 9, 0, 0, 0];
    call.extend([0; 8]);
    // The number of the client's security context is 1.
    call.extend([10, 6, 0, 0, 1, 0, 0, 0]);
    call.extend([0; 16]);
    pair.server.receive(&call, pair.now);
    assert!(matches!(closed(&mut pair), ServerError::Security(_)));
}
