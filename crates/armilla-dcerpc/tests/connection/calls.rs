//! Calls: whole and in fragments, several at once, cancelled and given up.

use crate::pair::{OPEN, Pair, SECOND, SECURED, UNKNOWN, security};
use armilla_dcerpc::client::{Call, ClientError, ClientEvent, ClientOptions};
use armilla_dcerpc::pdu::{AuthLevel, Limits, Outcome};
use armilla_dcerpc::server::{ServerEvent, ServerOptions};
use armilla_dcerpc::{ByteOrder, Status, Uuid};
use std::time::Duration;

const OBJECT: Uuid = Uuid::literal("01020304-0506-0708-090a-0b0c0d0e0f10");

#[test]
fn stubs_of_any_size_come_back_under_any_security() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for (name, level) in [
            ("none", AuthLevel::None),
            ("ntlm", AuthLevel::Integrity),
            ("ntlm", AuthLevel::Privacy),
            ("spnego", AuthLevel::Integrity),
            ("spnego", AuthLevel::Privacy),
        ] {
            let options = ClientOptions { order, ..ClientOptions::default() };
            let mut pair = Pair::new(options, ServerOptions::default());
            let interface = if name == "none" { OPEN } else { SECURED };
            pair.client.bind(&[interface], security(name, level)).unwrap();
            pair.pass();
            let bound = pair.client.poll_event();
            let Some(ClientEvent::Bound { interfaces, features }) = bound else {
                panic!("{name}: {bound:?}");
            };
            assert_eq!((&interfaces[..], features), (&[(interface, Outcome::Accepted)][..], 3));
            for size in [0, 1, 7, 5000, 5816, 5840, 30_000] {
                let stub: Vec<u8> = (0..size).map(|number: u32| number as u8).collect();
                let object = (size % 2 == 0).then_some(OBJECT);
                let call = Call { object, ..Call::new(interface, 9, &stub) };
                pair.client.call(&call).unwrap();
                pair.pass();
                let call = pair.served();
                // Padding may stand between the stub and its verification trailer.
                let padded = stub.len().next_multiple_of(4);
                assert!(call.stub.starts_with(&stub) && call.stub.len() <= padded);
                assert_eq!((call.opnum, call.object), (9, object));
                assert_eq!((call.level, call.order), (level, order));
                assert_eq!(call.principal.is_some(), name != "none");
                pair.server.respond(call.id, Ok(&stub)).unwrap();
                pair.pass();
                assert_eq!(pair.answer(), stub);
            }
        }
    }
}

#[test]
fn calls_run_at_once_and_end_in_any_order() {
    let mut pair = Pair::bound(&[SECURED], security("ntlm", AuthLevel::Privacy));
    let ids: Vec<_> = (0..3)
        .map(|opnum| pair.client.call(&Call::new(SECURED, opnum, &[0; 9000])).unwrap())
        .collect();
    pair.pass();
    let calls: Vec<_> = (0..3).map(|_| pair.served()).collect();
    for call in calls.iter().rev() {
        pair.server.respond(call.id, Ok(&call.opnum.to_le_bytes())).unwrap();
    }
    pair.pass();
    for id in ids.iter().rev() {
        let Some(ClientEvent::Response { call, .. }) = pair.client.poll_event() else { panic!() };
        assert_eq!(call, *id);
    }
}

#[test]
fn without_that_feature_they_wait_for_each_other() {
    let options = ClientOptions { concurrent: false, ..ClientOptions::default() };
    let mut pair = Pair::new(options, ServerOptions::default());
    pair.client.bind(&[OPEN], None).unwrap();
    pair.pass();
    pair.client.poll_event();
    pair.client.call(&Call::new(OPEN, 1, b"")).unwrap();
    pair.client.call(&Call::new(OPEN, 2, b"")).unwrap();
    pair.pass();
    let first = pair.served();
    assert_eq!((first.opnum, pair.server.poll_event()), (1, None));
    pair.server.respond(first.id, Ok(b"")).unwrap();
    pair.pass();
    assert_eq!(pair.served().opnum, 2);
}

#[test]
fn further_interfaces_are_asked_for_later() {
    let mut pair = Pair::bound(&[SECURED], security("spnego", AuthLevel::Integrity));
    let not_bound = Err(ClientError::NotBound(SECOND));
    assert_eq!(pair.client.call(&Call::new(SECOND, 0, b"")), not_bound);
    pair.client.alter(SECOND).unwrap();
    pair.pass();
    let event = pair.client.poll_event();
    assert_eq!(event, Some(ClientEvent::Altered(SECOND, Outcome::Accepted)));
    pair.client.call(&Call::new(SECOND, 0, b"")).unwrap();
    pair.pass();
    assert_eq!(pair.served().interface, SECOND);
    pair.client.alter(UNKNOWN).unwrap();
    pair.pass();
    let event = pair.client.poll_event();
    assert_eq!(event, Some(ClientEvent::Altered(UNKNOWN, Outcome::UnknownInterface)));
}

#[test]
fn a_fault_names_its_status() {
    let mut pair = Pair::bound(&[SECURED], security("ntlm", AuthLevel::Integrity));
    pair.client.call(&Call::new(SECURED, 0, b"")).unwrap();
    pair.pass();
    let id = pair.served().id;
    pair.server.respond(id, Err(Status::DISCONNECTED)).unwrap();
    pair.pass();
    let Some(ClientEvent::Fault(fault)) = pair.client.poll_event() else { panic!() };
    assert_eq!((fault.status, fault.not_executed), (Status::DISCONNECTED, false));
    assert!(!fault.authentic, "as from Windows");
}

#[test]
fn a_cancelled_call_still_ends() {
    let mut pair = Pair::bound(&[SECURED], security("ntlm", AuthLevel::Privacy));
    let id = pair.client.call(&Call::new(SECURED, 0, b"")).unwrap();
    pair.client.cancel(id).unwrap();
    pair.pass();
    let call = pair.served();
    assert_eq!(pair.server.poll_event(), Some(ServerEvent::Cancelled(call.id)));
    pair.server.respond(call.id, Err(Status::CALL_CANCELLED)).unwrap();
    pair.pass();
    assert!(matches!(pair.client.poll_event(), Some(ClientEvent::Fault(_))));
}

#[test]
fn a_call_that_was_given_up_leaves_nothing() {
    let mut pair = Pair::bound(&[SECURED], security("ntlm", AuthLevel::Privacy));
    let id = pair.client.call(&Call::new(SECURED, 0, b"")).unwrap();
    pair.pass();
    let call = pair.served();
    pair.server.respond(call.id, Ok(&[1; 20_000])).unwrap();
    // Its answer is on the way already.
    pair.client.abandon(id).unwrap();
    pair.pass();
    assert_eq!(pair.client.poll_event(), None);
    pair.client.call(&Call::new(SECURED, 1, b"")).unwrap();
    pair.pass();
    let call = pair.served();
    pair.server.respond(call.id, Ok(b"next")).unwrap();
    pair.pass();
    assert_eq!(pair.answer(), b"next");
}

#[test]
fn the_server_hears_of_a_call_that_nobody_waits_for() {
    let mut pair = Pair::bound(&[OPEN], None);
    let id = pair.client.call(&Call::new(OPEN, 0, b"")).unwrap();
    pair.pass();
    let call = pair.served();
    pair.client.abandon(id).unwrap();
    pair.pass();
    assert_eq!(pair.server.poll_event(), Some(ServerEvent::Orphaned(call.id)));
    pair.server.respond(call.id, Ok(b"late")).unwrap();
    assert_eq!(pair.server.poll_output(), None);
}

#[test]
fn a_call_ends_at_its_deadline() {
    let mut pair = Pair::bound(&[OPEN], None);
    let at = Duration::from_secs(5);
    let id = pair.client.call(&Call { deadline: Some(at), ..Call::new(OPEN, 0, b"") }).unwrap();
    assert_eq!(pair.client.poll_timeout(), Some(at));
    pair.client.handle_timeout(at - Duration::from_nanos(1));
    assert_eq!(pair.client.poll_event(), None);
    pair.client.handle_timeout(at);
    assert_eq!(pair.client.poll_event(), Some(ClientEvent::TimedOut(id)));
    assert_eq!(pair.client.poll_timeout(), None);
}

#[test]
fn a_call_without_answer_is_served() {
    let mut pair = Pair::bound(&[OPEN], None);
    pair.client.call(&Call { maybe: true, ..Call::new(OPEN, 3, b"x") }).unwrap();
    pair.pass();
    let call = pair.served();
    assert!(call.maybe);
    pair.server.respond(call.id, Ok(b"")).unwrap();
    assert_eq!(pair.server.poll_output(), None);
}

#[test]
fn results_beyond_the_limit_end_the_call_alone() {
    let limits = Limits { stub: 1000, ..Limits::default() };
    let options = ClientOptions { limits, ..ClientOptions::default() };
    let mut pair = Pair::new(options, ServerOptions::default());
    pair.client.bind(&[OPEN], None).unwrap();
    pair.pass();
    pair.client.poll_event();
    for (size, fits) in [(20_000, false), (10, true)] {
        pair.client.call(&Call::new(OPEN, 0, b"")).unwrap();
        pair.pass();
        let call = pair.served();
        pair.server.respond(call.id, Ok(&vec![1; size])).unwrap();
        pair.pass();
        let event = pair.client.poll_event();
        assert_eq!(matches!(event, Some(ClientEvent::Response { .. })), fits, "{event:?}");
    }
}
