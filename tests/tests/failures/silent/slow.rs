//! Servers that are merely slow.

use super::{Scene, assert_late};
use armilla_tests::probe::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Other replies keep coming while one call expires.
#[test]
fn a_slow_call_beside_others_costs_no_connection() {
    let scene = &Scene::sharing();
    let stops = &AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..2 {
            scope.spawn(move || {
                while !stops.load(Ordering::SeqCst) {
                    match number {
                        0 => scene.remote.ping().unwrap(),
                        _ => scene.remote.ping_async().wait().unwrap(),
                    }
                }
            });
        }
        for _ in 0..3 {
            assert_late(scene.limited.block());
            assert_late(scene.limited.block_async().wait());
        }
        stops.store(true, Ordering::SeqCst);
    });
    scene.server.probe.gate.open();
    scene.remote.ping().unwrap();
    assert_eq!(scene.relay.connections(), 1);
}

/// One reply is enough, unless another call waits in vain since then.
#[test]
fn a_single_reply_shows_that_the_connection_works() {
    let scene = Scene::sharing();
    scene.remote.ping().unwrap();
    let slow = scene.limited.block_async();
    scene.server.probe.gate.await_waiting(1);
    scene.remote.ping().unwrap();
    assert_late(slow.wait());
    scene.server.probe.gate.open();
    scene.remote.ping().unwrap();
    assert_eq!(scene.relay.connections(), 1);
}

#[test]
fn large_replies_that_take_long_show_that_the_connection_works() {
    let scene = Scene::sharing();
    scene.remote.ping().unwrap();
    let many: Vec<_> = (0..8).map(|_| scene.remote.produce_async(4 << 20)).collect();
    many.into_iter().for_each(|call| assert_eq!(call.wait().unwrap().len(), 4 << 20));
    assert_eq!(scene.relay.connections(), 1);
}
