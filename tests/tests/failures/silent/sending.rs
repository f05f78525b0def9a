//! Peers that take nothing: what is to be sent waits in vain.

use super::Scene;
use armilla::{Completion, ExceptionKind, Minor, SyncScope};
use armilla_tests::probe::*;
use armilla_tests::relay::Fate;

const LARGE: usize = 256 << 10;

/// Fills the queue of the shared connection, which nobody takes, until a call has no room.
#[test]
fn a_call_that_had_no_room_shows_it_and_those_that_wait_for_room_go_elsewhere() {
    let scene = Scene::sharing();
    scene.remote.ping().unwrap();
    scene.relay.set(Fate::Left, Fate::Left);
    let octets = vec![7; LARGE];
    // Far more than the queue and the system take. What is in the queue stays there.
    let mut calls: Vec<_> =
        (0..400).map(|_| scene.remote.echo_octets_async(&octets, &[])).collect();
    let error = scene.limited.echo_octets(&octets, &mut Vec::new()).unwrap_err();
    assert_eq!(
        (error.kind(), error.minor(), error.completed()),
        (ExceptionKind::Timeout, Minor::SEND_TIMED_OUT, Completion::No),
        "{error}"
    );
    scene.remote.ping().unwrap();
    let last = calls.pop().unwrap();
    assert_eq!(last.wait().unwrap().0.len(), 0);
    assert_eq!(scene.relay.connections(), 2);
}

#[test]
fn oneway_calls_find_it_when_the_queue_is_full() {
    let scene = Scene::sharing();
    let oneway = scene.limited.with_sync_scope(SyncScope::WithTransport);
    scene.remote.ping().unwrap();
    scene.relay.set(Fate::Left, Fate::Left);
    let text = "x".repeat(LARGE);
    let error = (0..400).find_map(|_| oneway.remark(&text).err()).expect("the queue is limited");
    assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
    scene.remote.ping().unwrap();
    assert_eq!(scene.relay.connections(), 2);
}
