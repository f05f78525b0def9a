//! Results that are large sequences of octets. The client receives most of their octets straight
//! into the memory of the result, whatever pieces they arrive in.

use armilla::{Completion, ConnectionPolicy, ExceptionKind, Version};
use armilla_cdr::ByteOrder;
use armilla_giop::{ReplyStatus, close_connection};
use armilla_tests::orbs::{self, Server, unique};
use armilla_tests::peer::{ORDERS, Peer, VERSIONS, Wire, fragments, reply};
use armilla_tests::probe::*;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const SIZES: [usize; 9] =
    [0, 1, 32 << 10, 65_500, 65_536, 100_001, 1 << 20, (1 << 20) + 7, 5_000_000];

/// Octets of which each differs from its neighbours.
fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|place| (place % 251) as u8).collect()
}

/// A reply with these octets as its only result.
fn octets(version: Version, order: ByteOrder, id: u32, octets: &[u8]) -> Vec<u8> {
    reply(version, order, id, ReplyStatus::NoException, |out| out.copy_octets(octets))
}

#[test]
fn results_of_every_size_arrive_over_every_transport() {
    let path = std::env::temp_dir().join(unique("octets"));
    let local = |scheme| format!("{scheme}://{}-{scheme}", path.display());
    for endpoint in ["iiop://127.0.0.1:0".to_owned(), local("uiop"), local("shmiop")] {
        for fragment_size in [None, Some(50_000)] {
            let server = orbs::builder().settings(|it| it.fragment_size = fragment_size);
            let server = Server::of(server.listen(&endpoint).unwrap().build().unwrap());
            for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
                let client = orbs::builder().settings(|it| it.connection_policy = policy);
                let remote = server.remote(&client.build().unwrap());
                for size in SIZES {
                    let result = remote.produce(size as u32).unwrap();
                    assert!(result == vec![0x5a; size], "{size} octets changed");
                }
            }
        }
    }
}

#[test]
fn the_reply_may_arrive_in_any_pieces() {
    let content = Arc::new(pattern(200_000));
    for version in VERSIONS {
        for order in ORDERS {
            let served = content.clone();
            let server = Peer::start(move |_, mut wire| {
                for cut in [1, 11, 12, 13, 24, 27, 28, 31, 40, 65_535, 65_536, 150_000, 200_000] {
                    let Some(request) = wire.request() else { return };
                    let whole = octets(version, order, request.id, &served);
                    send_slowly(&mut wire, [whole[..cut].to_vec(), whole[cut..].to_vec()]);
                }
            });
            let remote = server.reference(&orbs::client(), version);
            for _ in 0..13 {
                assert!(remote.produce(0).unwrap() == *content, "GIOP {version}, {order:?}");
            }
            assert_eq!(server.connections(), 1);
        }
    }
}

/// Sends each part when the one before has probably been read.
fn send_slowly<const N: usize>(wire: &mut Wire, parts: [Vec<u8>; N]) {
    for part in parts {
        wire.send(&part);
        thread::sleep(Duration::from_millis(3));
    }
}

#[test]
fn what_follows_the_result_is_read_by_the_next_call() {
    let server = Peer::start(|number, mut wire| {
        let Some(request) = wire.request() else { return };
        let mut sent =
            octets(request.version, request.order, request.id, &pattern(300_000 + number));
        sent.extend(close_connection(request.version));
        wire.send(&sent);
        assert!(wire.request().is_none(), "the client connects again");
    });
    let remote = server.reference(&orbs::client(), Version::V1_2);
    for number in 0..3 {
        assert!(remote.produce(0).unwrap() == pattern(300_000 + number));
    }
    assert_eq!(server.connections(), 3);
}

#[test]
fn a_connection_that_ends_within_the_octets_ends_the_call_as_maybe_executed() {
    let server = Peer::start(|_, mut wire| {
        let Some(request) = wire.request() else { return };
        let whole = octets(request.version, request.order, request.id, &pattern(1 << 20));
        send_slowly(&mut wire, [whole[..100].to_vec(), whole[100..900_000].to_vec()]);
    });
    let error = server.reference(&orbs::client(), Version::V1_2).produce(0).unwrap_err();
    let outcome = (error.kind(), error.completed());
    assert_eq!(outcome, (ExceptionKind::CommFailure, Completion::Maybe), "{error}");
}

#[test]
fn the_time_limit_holds_while_octets_arrive() {
    let server = Peer::start(|_, mut wire| {
        let Some(request) = wire.request() else { return };
        let whole = octets(request.version, request.order, request.id, &pattern(1 << 20));
        for octet in whole.chunks(1) {
            if !wire.send(octet) {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
    });
    for limit in [50, 1_200] {
        let remote = server.reference(&orbs::client(), Version::V1_2);
        let remote = remote.with_timeout(Duration::from_millis(limit));
        let error = remote.produce(0).unwrap_err();
        let outcome = (error.kind(), error.completed());
        assert_eq!(outcome, (ExceptionKind::Timeout, Completion::Maybe), "{error}");
    }
}

#[test]
fn a_length_that_is_not_that_of_the_message_is_no_result() {
    for (claimed, given) in [(200_001, 200_000), (u32::MAX, 200_000), (199_000, 200_000)] {
        let server = Peer::answering(move |request| {
            let status = ReplyStatus::NoException;
            reply(request.version, request.order, request.id, status, |out| {
                out.put_u32(claimed);
                out.copy_raw(&pattern(given));
                Ok(())
            })
        });
        let remote = server.reference(&orbs::client(), Version::V1_2);
        match remote.produce(0) {
            // Octets behind the results are passed over.
            Ok(result) => assert!(claimed < given as u32 && result == pattern(claimed as usize)),
            Err(error) => {
                let outcome = (error.kind(), error.completed());
                assert_eq!(outcome, (ExceptionKind::Marshal, Completion::Yes), "{error}");
                assert!(error.to_string().contains("produce"), "{error}");
            }
        }
    }
}

#[test]
fn a_reply_that_nobody_waits_for_is_passed_over() {
    let server = Peer::answering(|request| {
        let content = pattern(150_000);
        let [stale, own] = [request.id + 9, request.id].map(|id| {
            let content = &content[usize::from(id != request.id)..];
            octets(request.version, request.order, id, content)
        });
        [stale, own].concat()
    });
    let remote = server.reference(&orbs::client(), Version::V1_2);
    for _ in 0..3 {
        assert!(remote.produce(0).unwrap() == pattern(150_000));
    }
}

#[test]
fn fragments_and_whole_replies_take_turns() {
    let server = Peer::answering(|request| {
        let whole = octets(request.version, request.order, request.id, &pattern(400_000));
        match request.id % 2 {
            0 => whole,
            _ => fragments(&whole, 100_000).concat(),
        }
    });
    for version in [Version::V1_1, Version::V1_2] {
        let remote = server.reference(&orbs::client(), version);
        for _ in 0..4 {
            assert!(remote.produce(0).unwrap() == pattern(400_000), "GIOP {version}");
        }
    }
}

#[test]
fn an_exception_instead_of_large_octets_is_read() {
    let server = Peer::answering(|request| {
        reply(request.version, request.order, request.id, ReplyStatus::SystemException, |out| {
            out.put_string("IDL:omg.org/CORBA/NO_MEMORY:1.0")?;
            out.put_u32(0);
            out.put_u32(0);
            out.copy_raw(&pattern(300_000));
            Ok(())
        })
    });
    let error = server.reference(&orbs::client(), Version::V1_2).produce(0).unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::NoMemory, Completion::Yes));
}
