//! Forwards in a circle, and to unreachable servers.

use super::{NEWEST, assert_fails};
use armilla::{Completion, ExceptionKind, Minor};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer};
use armilla_tests::probe::*;
use std::sync::mpsc;

#[test]
fn forwards_in_a_circle_end_at_the_limit() {
    let (sender, ports) = mpsc::channel::<u16>();
    let (ports, known) = (std::sync::Mutex::new(ports), std::sync::OnceLock::new());
    // A server that sends every request to itself.
    let peer = Peer::answering(move |request| {
        let port = known.get_or_init(|| ports.lock().unwrap().recv().unwrap());
        peer::forward(request, &peer::ior(&[*port], NEWEST))
    });
    sender.send(peer.port()).unwrap();
    let remote = peer.reference(&orbs::client(), NEWEST);
    let expected = (ExceptionKind::Transient, Minor::TOO_MANY_FORWARDS, Completion::No);
    let text = assert_fails(remote.ping(), expected);
    assert!(text.contains("max_forwards"), "{text}");
    assert_eq!(peer.connections(), 1);
}

#[test]
fn a_place_that_an_earlier_call_was_forwarded_to_and_that_is_gone_is_left() {
    let first = Server::start();
    let second = Server::start();
    let targets = [first.local.object().ior(), second.local.object().ior()];
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let home = Peer::answering(move |request| {
        let count = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        peer::forward(request, &targets[count.min(1)])
    });
    let remote = home.reference(&orbs::client(), NEWEST);
    assert_eq!(remote.increment().unwrap(), 1);
    assert_eq!(first.probe.count().unwrap(), 1);
    drop(first);
    assert_eq!(remote.increment().unwrap(), 1, "the second server answers");
    assert_eq!(second.probe.count().unwrap(), 1);
}

#[test]
fn an_object_that_is_no_longer_where_an_earlier_call_was_forwarded_to_is_looked_for_at_home() {
    let server = Server::start();
    let (_, other) = orbs::activate(&server);
    let url = server.publish("probe", server.local.object()).unwrap();
    let remote: EverythingRef = orbs::client().resolve(&url).unwrap();
    remote.ping().unwrap();
    server.publish("probe", other.object()).unwrap();
    let poa = server.root_poa();
    poa.deactivate(&poa.reference_to_id(server.local.object()).unwrap()).unwrap();
    remote.increment().unwrap();
    assert_eq!(other.count().unwrap(), 1);

    poa.deactivate(&poa.reference_to_id(other.object()).unwrap()).unwrap();
    let error = remote.ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "nor is it at home: {error}");
}
