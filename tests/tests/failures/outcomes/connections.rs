//! Shared connections that the server ends: what was sent behind a request decides whether that
//! request may have been executed.

use armilla::{Completion, ConnectionPolicy, Minor, Version};
use armilla_giop::{HEADER_LEN, MessageKind, close_connection, message_error};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs;
use armilla_tests::peer::{self, Peer};
use armilla_tests::probe::*;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

/// What is sent behind the request that waits.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Behind {
    Nothing,
    Oneway,
    Twoway,
}

/// Calls `increment` over a shared connection that the server ends with `last`, and returns its
/// completion status and how often the server saw it. The second connection answers everything, so
/// that a call that is repeated succeeds.
fn ended(last: fn(Version) -> [u8; HEADER_LEN], behind: Behind) -> (Option<Completion>, usize) {
    let (arrived, arrivals) = mpsc::channel();
    let arrived = Mutex::new(arrived);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let peer = Peer::start(move |connection, mut wire| {
        let requests = if behind == Behind::Nothing { 1 } else { 2 };
        let mut served = 0;
        while let Some(request) = wire.request() {
            log.lock().unwrap().push(request.operation.clone());
            if connection > 0 {
                let status = armilla_giop::ReplyStatus::NoException;
                let result = |out: &mut armilla_cdr::Encoder<'_>| {
                    out.put_i32(1);
                    Ok(())
                };
                wire.send(&peer::reply(request.version, request.order, request.id, status, result));
                continue;
            }
            served += 1;
            arrived.lock().unwrap().send(()).unwrap();
            if served == requests {
                wire.send(&last(Version::V1_2));
                return;
            }
        }
    });
    let client = orbs::client();
    let object = peer.reference(&client, Version::V1_2);
    let object = object.with_connection_policy(ConnectionPolicy::Multiplexed);
    let outcome = thread::scope(|scope| {
        let waiting = scope.spawn(|| object.increment());
        arrivals.recv_timeout(PATIENCE).unwrap();
        match behind {
            Behind::Nothing => {}
            // The connection may end while it is sent.
            Behind::Oneway => object.remark("").ok().unwrap_or_default(),
            Behind::Twoway => {
                object.ping().ok();
            }
        }
        waiting.join().unwrap()
    });
    let seen = seen.lock().unwrap().iter().filter(|name| *name == "increment").count();
    (outcome.err().map(|error| error.completed()), seen)
}

#[test]
fn a_request_with_another_behind_it_is_not_repeated_when_the_server_ends_the_connection() {
    for last in [message_error as fn(Version) -> _, close_connection] {
        assert_eq!(ended(last, Behind::Oneway), (Some(Completion::Maybe), 1));
    }
    assert_eq!(ended(message_error, Behind::Twoway), (Some(Completion::Maybe), 1));
    // A server that closes in order has begun none of the two.
    assert_eq!(ended(close_connection, Behind::Twoway), (None, 2));
}

#[test]
fn the_last_request_was_not_executed_when_the_server_ends_the_connection() {
    assert_eq!(ended(message_error, Behind::Nothing), (Some(Completion::No), 1));
    assert_eq!(ended(close_connection, Behind::Nothing), (None, 2), "it was repeated");
}

/// How `increment` ends with a server that answers it with MessageError, behind another message of
/// this connection that it may not have been able to read.
fn ended_behind(policy: ConnectionPolicy, first: impl Fn(&EverythingRef)) -> Completion {
    let peer = Peer::start(move |_, mut wire| {
        while wire.request().is_some_and(|request| request.operation != "increment") {}
        wire.send(&message_error(Version::V1_2));
    });
    let object = peer.reference(&orbs::client(), Version::V1_2).with_connection_policy(policy);
    first(&object);
    object.increment().unwrap_err().completed()
}

#[test]
fn a_message_error_may_be_about_a_message_before_the_request() {
    for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        let alone = ended_behind(policy, |_| {});
        assert_eq!(alone, Completion::No, "{policy:?}");
        let behind = ended_behind(policy, |object| object.remark("first").unwrap());
        assert_eq!(behind, Completion::Maybe, "{policy:?}");
    }
}

#[test]
fn a_message_error_may_be_about_our_reply_to_the_peer() {
    let peer = Peer::start(|_, mut wire| {
        wire.request();
        let order = armilla_cdr::ByteOrder::NATIVE;
        let ours = peer::request(Version::V1_2, order, b"nobody", "ping", |_| Ok(()));
        wire.send(&peer::numbered(1, &ours));
        assert_eq!(wire.kind(), Some(MessageKind::Reply));
        wire.send(&message_error(Version::V1_2));
        wire.until_end();
    });
    let client = orbs::listening_with(|settings| settings.offer_bidirectional = true);
    let object = peer.reference(&client, Version::V1_2);
    let object = object.with_connection_policy(ConnectionPolicy::Multiplexed);
    let error = object.increment().unwrap_err();
    assert_eq!(error.minor(), Minor::MESSAGE_ERROR_RECEIVED, "{error}");
    assert_eq!(error.completed(), Completion::Maybe, "{error}");
}
