//! Multiplexed connections: a waiting thread reads for the others, and each call gets its own
//! reply.

use armilla::{Completion, ConnectionPolicy, ExceptionKind, Minor, Version};
use armilla_giop::{MessageKind, ReplyStatus, close_connection};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::peer::{Peer, Request, done, kind, reply};
use armilla_tests::probe::*;
use armilla_tests::servant::Ear;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

const THREADS: i32 = 8;
const CALLS: i32 = 300;

fn multiplexing(connections: usize) -> armilla::Orb {
    let builder = orbs::builder().settings(|settings| {
        settings.connection_policy = ConnectionPolicy::Multiplexed;
        settings.connections_per_endpoint = connections;
    });
    builder.build().unwrap()
}

/// A reply with a number.
fn number(request: &Request, number: u32) -> Vec<u8> {
    reply(request.version, request.order, request.id, ReplyStatus::NoException, |out| {
        out.put_u32(number);
        Ok(())
    })
}

fn hammer(probe: &EverythingRef) {
    let before = probe.count().unwrap();
    thread::scope(|scope| {
        for number in 0..THREADS {
            scope.spawn(move || {
                for call in 0..CALLS {
                    let given = number * CALLS + call;
                    assert_eq!(probe.echo_long(given, &mut 0).unwrap(), (0, given));
                    let text = given.to_string();
                    let (_, copy) = probe.echo_string(&text, &mut String::new()).unwrap();
                    assert_eq!(copy, text);
                    probe.increment().unwrap();
                }
            });
        }
    });
    assert_eq!(probe.count().unwrap(), before + THREADS * CALLS, "each call ran once");
}

#[test]
fn threads_on_one_connection_each_get_their_own_replies() {
    let server = Server::start();
    hammer(&server.remote(&multiplexing(1)));
}

#[test]
fn threads_are_spread_over_several_connections() {
    let server = Server::start();
    hammer(&server.remote(&multiplexing(3)));
}

#[test]
fn a_reference_chooses_for_itself() {
    let server = Server::start();
    let client = orbs::client();
    hammer(&server.remote(&client).with_connection_policy(ConnectionPolicy::Multiplexed));
    hammer(&server.remote(&client));
}

#[test]
fn all_threads_use_one_connection() {
    let peer = Peer::answering(done);
    let remote = peer.reference(&multiplexing(1), Version::V1_2);
    let together = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                together.wait();
                (0..20).for_each(|_| remote.ping().unwrap());
            });
        }
    });
    assert_eq!(peer.connections(), 1);
}

#[test]
fn a_call_that_takes_long_does_not_hold_the_others_up() {
    let server = Server::start();
    let remote = server.remote(&multiplexing(1));
    thread::scope(|scope| {
        let slow = scope.spawn(|| remote.block());
        server.probe.gate.await_waiting(1);
        (0..100).for_each(|_| remote.ping().unwrap());
        let timed = remote.with_timeout(Duration::from_millis(300));
        let error = timed.block().unwrap_err();
        assert_eq!((error.kind(), error.minor()), (ExceptionKind::Timeout, Minor::REPLY_TIMED_OUT));
        (0..100).for_each(|_| remote.ping().unwrap());
        server.probe.gate.open();
        slow.join().unwrap().unwrap();
    });
    remote.ping().unwrap();
}

#[test]
fn large_arguments_and_results_pass_in_both_directions_at_once() {
    let server = Server::start();
    let remote = &server.remote(&multiplexing(1));
    thread::scope(|scope| {
        for number in 0..4_u8 {
            scope.spawn(move || {
                let octets = vec![number; 3 << 20];
                for _ in 0..4 {
                    let (_, copy) = remote.echo_octets(&octets, &mut Vec::new()).unwrap();
                    assert!(copy == octets);
                }
            });
        }
        scope.spawn(|| (0..200).for_each(|_| remote.ping().unwrap()));
    });
}

#[test]
fn a_server_calls_back_within_the_call() {
    let server = Server::start();
    let client = orbs::builder()
        .settings(|settings| settings.connection_policy = ConnectionPolicy::Multiplexed)
        .listen("iiop://127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    let (ear, listener) = Ear::activate(&client);
    server.remote(&client).call_back(&listener, "during").unwrap();
    assert_eq!(ear.heard(), ["during"]);
    let remote = server.remote(&client);
    assert_eq!(remote.descend(&travel(&listener, &client), 6).unwrap(), 6);
}

#[test]
fn replies_may_come_in_any_order() {
    let peer = Peer::start(|_, mut wire| {
        while let Some(first) = wire.request() {
            let Some(second) = wire.request() else { return };
            for request in [second, first] {
                wire.send(&number(&request, request.id));
            }
        }
    });
    let remote = &peer.reference(&multiplexing(1), Version::V1_2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..50).for_each(|_| assert!(remote.increment().is_ok())));
        }
    });
}

#[test]
fn a_late_reply_is_not_taken_for_another_call() {
    let peer = Peer::start(|_, mut wire| {
        let usual = wire.request().unwrap();
        wire.send(&number(&usual, 7));
        let first = wire.request().unwrap();
        // Where nothing at all comes, the next call would go over another connection.
        let other = wire.request().unwrap();
        wire.send(&number(&other, 0));
        assert_eq!(kind(&wire.message().unwrap()), MessageKind::CancelRequest);
        let second = wire.request().unwrap();
        wire.send(&number(&first, 1));
        wire.send(&number(&first, 2));
        wire.send(&number(&second, 3));
        wire.send(&number(&second, 4));
        let third = wire.request().unwrap();
        wire.send(&number(&third, 5));
        wire.message();
    });
    let client = multiplexing(1);
    let remote = peer.reference(&client, Version::V1_2);
    assert_eq!(remote.increment().unwrap(), 7);
    let late = remote.with_timeout(Duration::from_millis(300)).increment_async();
    assert_eq!(remote.increment().unwrap(), 0);
    let error = late.wait().unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Timeout, Completion::Maybe));
    assert_eq!(remote.increment().unwrap(), 3);
    assert_eq!(remote.increment().unwrap(), 5);
    assert_eq!(peer.connections(), 1, "a timeout does not cost the connection");
}

#[test]
fn calls_that_cross_the_close_of_the_connection_are_made_again() {
    const AT_ONCE: usize = 4;
    let peer = Peer::start(|number, mut wire| {
        if number == 0 {
            // Takes requests and closes in order without answering: none was begun.
            for _ in 0..AT_ONCE {
                wire.request().unwrap();
            }
            wire.send(&close_connection(Version::V1_2));
            return;
        }
        while let Some(request) = wire.request() {
            wire.send(&done(&request));
        }
    });
    let remote = &peer.reference(&multiplexing(1), Version::V1_2);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| remote.ping().unwrap());
        }
    });
    assert_eq!(peer.connections(), 2);
}

#[test]
fn a_connection_that_breaks_ends_every_call_on_it_with_the_truth() {
    const AT_ONCE: usize = 4;
    let peer = Peer::start(|_, mut wire| {
        for _ in 0..AT_ONCE {
            wire.request();
        }
    });
    let remote = &peer.reference(&multiplexing(1), Version::V1_2);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                let error = remote.ping().unwrap_err();
                assert_eq!(error.kind(), ExceptionKind::CommFailure);
                assert_eq!(error.minor(), Minor::CONNECTION_LOST);
                assert_eq!(error.completed(), Completion::Maybe);
            });
        }
    });
}

#[test]
fn octets_that_are_no_reply_end_the_connection() {
    let peer = Peer::start(|_, mut wire| {
        wire.request();
        wire.send(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        wire.message();
    });
    let error = peer.reference(&multiplexing(1), Version::V1_2).ping().unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::CommFailure, Minor::PROTOCOL_ERROR));
    assert!(error.to_string().contains("CORBA server?"), "{error}");
}

#[test]
fn too_many_calls_without_a_reply_are_refused_by_name() {
    let server = Server::start();
    let client = orbs::builder().settings(|settings| {
        settings.connection_policy = ConnectionPolicy::Multiplexed;
        settings.requests_in_flight = 2;
    });
    let remote = &server.remote(&client.build().unwrap());
    thread::scope(|scope| {
        let blocked: Vec<_> = (0..2).map(|_| scope.spawn(|| remote.block())).collect();
        server.probe.gate.await_waiting(2);
        let error = remote.ping().unwrap_err();
        assert_eq!(error.minor(), Minor::TOO_MANY_REQUESTS_IN_FLIGHT);
        assert!(error.to_string().contains("requests_in_flight"), "{error}");
        server.probe.gate.open();
        blocked.into_iter().for_each(|call| call.join().unwrap().unwrap());
    });
    remote.ping().unwrap();
}

/// No reply comes for them, because the server was told that nobody waits.
#[test]
fn calls_that_ended_without_a_reply_take_no_places() {
    const LIMIT: usize = 4;
    const LONG: Duration = Duration::from_millis(20);
    let server = Server::start();
    let client = orbs::builder().settings(|settings| {
        settings.connection_policy = ConnectionPolicy::Multiplexed;
        settings.connections_per_endpoint = 1;
        settings.requests_in_flight = LIMIT;
    });
    let remote = &server.remote(&client.build().unwrap());
    let short = &remote.with_timeout(LONG);
    let ways: [&dyn Fn(); 4] = [
        &|| assert_eq!(short.block().unwrap_err().kind(), ExceptionKind::Timeout),
        &|| assert_eq!(short.block_async().wait().unwrap_err().kind(), ExceptionKind::Timeout),
        &|| drop(remote.block_async()),
        &|| drop(remote.object().request("block").send_deferred()),
    ];
    for (number, end_one) in ways.into_iter().enumerate() {
        for _ in 0..=LIMIT {
            remote.ping().unwrap_or_else(|error| panic!("{number}: {error}"));
            end_one();
        }
    }
    remote.ping().unwrap();
    server.probe.gate.open();
    remote.ping().unwrap();
}

#[test]
fn an_idle_connection_is_closed_in_order_and_made_again() {
    let closes = Arc::new(AtomicUsize::new(0));
    let counted = closes.clone();
    let peer = Peer::start(move |_, mut wire| {
        let request = wire.request().unwrap();
        wire.send(&done(&request));
        assert_eq!(wire.until_end(), [MessageKind::CloseConnection]);
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let client = orbs::builder().settings(|settings| {
        settings.connection_policy = ConnectionPolicy::Multiplexed;
        settings.client_idle = Duration::from_millis(20);
    });
    let client = client.build().unwrap();
    let remote = peer.reference(&client, Version::V1_2);
    for round in 1..3 {
        remote.ping().unwrap();
        eventually("the connection is closed", || closes.load(Ordering::SeqCst) == round);
    }
}

#[test]
fn shutting_down_lets_calls_under_way_end_and_closes_their_connections() {
    for connection_policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        let ends = Arc::new(AtomicUsize::new(0));
        let counted = ends.clone();
        let (begun, answer) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let (here, there) = (begun.clone(), answer.clone());
        let peer = Peer::start(move |_, mut wire| {
            let request = wire.request().unwrap();
            here.wait();
            there.wait();
            wire.send(&done(&request));
            assert_eq!(wire.until_end(), [MessageKind::CloseConnection]);
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let client = orbs::client();
        let remote =
            peer.reference(&client, Version::V1_2).with_connection_policy(connection_policy);
        thread::scope(|scope| {
            let call = scope.spawn(|| remote.ping());
            begun.wait();
            client.shutdown();
            answer.wait();
            call.join().unwrap().unwrap();
        });
        eventually("the connection is closed", || ends.load(Ordering::SeqCst) == 1);
        assert_eq!(remote.ping().unwrap_err().minor(), Minor::BAD_INV_ORDER_ORB_SHUT_DOWN);
    }
}

#[test]
fn it_works_over_every_version_and_transport() {
    for version in armilla_tests::peer::VERSIONS {
        let server = Server::of(
            orbs::builder()
                .max_giop(version)
                .listen("iiop://127.0.0.1:0")
                .unwrap()
                .build()
                .unwrap(),
        );
        hammer(&server.remote(&multiplexing(1)));
    }
    let path = std::env::temp_dir().join(format!("armilla-multiplexed-{}", std::process::id()));
    for scheme in ["uiop", "shmiop"] {
        let endpoint = format!("{scheme}://{}.{scheme}", path.display());
        let orb = orbs::builder().listen("iiop://127.0.0.1:0").unwrap();
        let server = Server::of(orb.listen(&endpoint).unwrap().build().unwrap());
        hammer(&server.remote(&multiplexing(1)));
    }
}
