//! Connections with one call at a time: a pool of idle ones to a peer that is gone.

use super::{Scene, assert_late};
use armilla::SyncScope;
use armilla_tests::gate::eventually;
use armilla_tests::probe::*;
use std::thread;

/// Four connections that have been used, and are idle now.
fn with_idle_connections() -> Scene {
    let scene = Scene::new();
    thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| scene.remote.block().unwrap())));
        scene.server.probe.gate.await_waiting(4);
        scene.server.probe.gate.open();
    });
    assert_eq!(scene.relay.connections(), 4);
    scene
}

#[test]
fn only_one_of_several_idle_connections_costs_a_timeout() {
    let scene = with_idle_connections();
    scene.relay.silence();
    assert_late(scene.limited.ping());
    for _ in 0..4 {
        scene.remote.ping().unwrap();
    }
    assert_eq!(scene.relay.connections(), 5);
    eventually("the others are closed", || scene.relay.open() <= 1);
}

#[test]
fn a_locate_request_shows_it_too() {
    let scene = with_idle_connections();
    scene.relay.silence();
    assert_late(scene.limited.object().locate());
    assert!(scene.remote.object().locate().unwrap());
    scene.remote.ping().unwrap();
    assert_eq!(scene.relay.connections(), 5);
}

/// A oneway call brings nothing that shows that its connection works.
#[test]
fn connections_that_have_carried_oneway_calls_only_are_not_trusted() {
    let scene = with_idle_connections();
    let oneway = scene.remote.with_sync_scope(SyncScope::WithTransport);
    scene.relay.silence();
    thread::scope(|scope| {
        let expires = scope.spawn(|| assert_late(scene.limited.ping()));
        while !expires.is_finished() {
            oneway.remark("into the void").unwrap();
        }
        expires.join().unwrap();
    });
    oneway.remark("heard").unwrap();
    scene.remote.ping().unwrap();
}

#[test]
fn an_asynchronous_call_that_expires_closes_the_idle_ones_and_the_other_way_round() {
    let scene = with_idle_connections();
    scene.remote.ping_async().wait().unwrap();
    scene.relay.silence();
    assert_late(scene.limited.ping_async().wait());
    scene.remote.ping().unwrap();
    scene.remote.ping_async().wait().unwrap();
    assert_eq!(scene.relay.connections(), 7);
    scene.relay.silence();
    assert_late(scene.limited.ping());
    scene.remote.ping_async().wait().unwrap();
    scene.remote.ping().unwrap();
    assert_eq!(scene.relay.connections(), 9);
}

/// What has heard something meanwhile stays.
#[test]
fn a_connection_that_works_is_kept() {
    let scene = Scene::new();
    thread::scope(|scope| {
        let slow = scope.spawn(|| assert_late(scene.limited.block()));
        scene.server.probe.gate.await_waiting(1);
        while !slow.is_finished() {
            scene.remote.ping().unwrap();
        }
        slow.join().unwrap();
        scene.remote.ping().unwrap();
        scene.server.probe.gate.open();
    });
    assert_eq!(scene.relay.connections(), 2);
}
