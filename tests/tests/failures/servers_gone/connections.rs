//! Connections that cannot be made, are lost, or are closed in order.

use super::{BOUND, NEWEST, assert_fails, once};
use armilla::{Completion, ExceptionKind, Minor, Orb};
use armilla_giop::{MessageKind, close_connection};
use armilla_tests::gate::eventually;
use armilla_tests::orbs;
use armilla_tests::peer::{self, Peer, VERSIONS, done};
use armilla_tests::probe::*;
use std::sync::mpsc;
use std::time::{Duration, Instant};

const LOST: (ExceptionKind, Minor, Completion) =
    (ExceptionKind::CommFailure, Minor::CONNECTION_LOST, Completion::Maybe);

#[test]
fn a_server_that_is_gone_is_transient_and_the_text_says_where_and_what_to_do() {
    let port = peer::dead_port();
    let remote = peer::resolve(&orbs::client(), &peer::ior(&[port], NEWEST));
    let begun = Instant::now();
    let expected = (ExceptionKind::Transient, Minor::CONNECT_FAILED, Completion::No);
    let text = assert_fails(remote.ping(), expected);
    assert!(begun.elapsed() < BOUND);
    for part in ["TRANSIENT", &format!("127.0.0.1:{port}"), "refused", "not executed", "hint:"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_server_that_closes_at_once_loses_the_call() {
    // Whether the request still left or not is the network's affair; the status is truthful.
    let peer = Peer::start(|_, wire| drop(wire));
    let error = peer.reference(&orbs::client(), NEWEST).ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::CommFailure, "{error}");
    let expected =
        if error.minor() == Minor::SEND_FAILED { Completion::No } else { Completion::Maybe };
    assert_eq!(error.completed(), expected, "{error}");
}

#[test]
fn a_server_that_closes_after_the_request_leaves_it_open_whether_it_ran() {
    let peer = once(|_, _| ());
    let text = assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), LOST);
    assert!(text.contains(&format!("127.0.0.1:{}", peer.port())), "{text}");
    assert_eq!(peer.connections(), 1, "what perhaps ran is not called again");
}

#[test]
fn a_server_that_closes_in_the_middle_of_the_reply_loses_the_call() {
    for cut in [1, 11, 12, 20] {
        let peer = once(move |wire, request| {
            wire.send(&done(request)[..cut]);
        });
        assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), LOST);
    }
}

#[test]
fn a_reset_loses_the_call() {
    let peer = Peer::start(|_, mut wire| {
        wire.request();
        wire.reset();
    });
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), LOST);
}

#[test]
fn a_server_that_closes_in_order_before_every_reply_has_not_executed() {
    let peer = once(|wire, request| {
        wire.send(&close_connection(request.version));
    });
    let expected = (ExceptionKind::Transient, Minor::CONNECTION_CLOSING, Completion::No);
    assert_fails(peer.reference(&orbs::client(), NEWEST).ping(), expected);
}

#[test]
fn a_connection_that_is_closed_in_order_instead_of_a_reply_is_replaced_unseen() {
    for version in VERSIONS {
        // Every connection answers one request, and is closed in order at the second.
        let peer = Peer::start(|_, mut wire| {
            if let Some(request) = wire.request() {
                wire.send(&done(&request));
                wire.request();
                wire.send(&close_connection(request.version));
            }
        });
        let remote = peer.reference(&orbs::client(), version);
        (0..4).for_each(|_| remote.ping().unwrap());
        assert_eq!(peer.connections(), 4);
    }
}

#[test]
fn a_connection_that_was_closed_while_it_was_idle_is_replaced_unseen() {
    let peer = Peer::start(|_, mut wire| {
        if let Some(request) = wire.request() {
            wire.send(&done(&request));
            wire.send(&close_connection(request.version));
        }
    });
    let remote = peer.reference(&orbs::client(), NEWEST);
    for calls in 1..4 {
        remote.ping().unwrap();
        assert_eq!(peer.connections(), calls);
    }
}

#[test]
fn a_server_that_is_started_again_between_two_calls_is_not_noticed() {
    let start = |port: u16| {
        let endpoint = format!("iiop://127.0.0.1:{port}");
        let orb = orbs::builder().listen(&endpoint).unwrap().build().unwrap();
        let poa = orb.root_poa().create_poa("kept").persistent().user_ids().build().unwrap();
        let reference = poa
            .activate_with_id("probe", everything::tie(armilla_tests::servant::Probe::default()))
            .unwrap();
        (orb, reference)
    };
    let (mut server, reference): (Orb, EverythingRef) = start(0);
    let remote = orbs::travel(&reference, &orbs::client());
    let port = server.published_addresses().unwrap()[0].1;
    for _ in 0..3 {
        remote.ping().unwrap();
        server.shutdown();
        server = start(port).0;
    }
    remote.ping().unwrap();
    server.shutdown();
}

#[test]
fn idle_connections_are_closed_in_order() {
    let client =
        orbs::builder().settings(|s| s.client_idle = Duration::from_millis(20)).build().unwrap();
    let (sender, kinds) = mpsc::channel();
    let peer = Peer::start(move |_, mut wire| {
        let Some(request) = wire.request() else { return };
        wire.send(&done(&request));
        sender.send(wire.until_end()).ok();
    });
    let remote = peer.reference(&client, NEWEST);
    remote.ping().unwrap();
    assert_eq!(kinds.recv_timeout(BOUND).unwrap(), [MessageKind::CloseConnection]);
    remote.ping().unwrap();
    eventually("another connection", || peer.connections() == 2);
}

#[test]
fn a_connection_that_was_cut_while_it_was_idle_is_replaced_unseen() {
    let (sender, cuts) = mpsc::channel();
    let peer = Peer::start(move |_, mut wire| {
        if let Some(request) = wire.request() {
            wire.send(&done(&request));
            drop(wire);
            sender.send(()).ok();
        }
    });
    let remote = peer.reference(&orbs::client(), NEWEST);
    for calls in 1..4 {
        remote.ping().unwrap();
        assert_eq!(peer.connections(), calls);
        cuts.recv_timeout(BOUND).unwrap();
        // A connection is looked at before it is used again only if it was idle for some 10 ms.
        std::thread::sleep(Duration::from_millis(50));
    }
}
