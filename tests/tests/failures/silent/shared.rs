//! Connections that calls share: those of threads with the policy, and of all asynchronous calls.

use super::{LIMIT, Scene, assert_late};
use armilla::{Error, SyncScope, SystemException};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::probe::*;
use armilla_tests::relay::Fate;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The directions in which a connection may be silent.
const SILENT: [(Fate, Fate); 4] = [
    (Fate::Swallowed, Fate::Swallowed),
    (Fate::Swallowed, Fate::Passed),
    (Fate::Passed, Fate::Swallowed),
    (Fate::Left, Fate::Left),
];

type Call = fn(&EverythingRef) -> Result<(), SystemException>;

/// Every way to wait for a reply over a shared connection.
const CALLS: [(&str, Call); 7] = [
    ("a thread", |remote| remote.ping()),
    ("a future", |remote| remote.ping_async().wait()),
    ("a callback", |remote| {
        let (done, ends) = mpsc::channel();
        remote.ping_async().on_reply(move |result| done.send(result).unwrap());
        ends.recv_timeout(PATIENCE).unwrap()
    }),
    ("a poller", |remote| {
        let mut call = remote.ping_async();
        loop {
            match call.wait_for(Duration::from_millis(10)) {
                Ok(result) => return result,
                Err(pending) => call = pending,
            }
        }
    }),
    ("a dynamic request", |remote| {
        let answered = remote.object().request("ping").send_deferred().wait();
        answered.map(drop).map_err(|error| match error {
            Error::System(exception) => exception,
            Error::User(_) => panic!("a ping raises nothing"),
        })
    }),
    ("a oneway call that the server acknowledges", |remote| {
        remote.with_sync_scope(SyncScope::WithServer).remark("heard")
    }),
    ("an operation of every object", |remote| {
        remote.object().non_existent().map(|gone| assert!(!gone))
    }),
];

#[test]
fn the_next_call_leaves_a_connection_on_which_nothing_came() {
    thread::scope(|scope| {
        for (to_server, to_client) in SILENT {
            for (name, call) in CALLS {
                scope.spawn(move || {
                    let scene = Scene::sharing();
                    call(&scene.remote).unwrap();
                    assert_eq!(scene.relay.connections(), 1, "{name}");
                    scene.relay.set(to_server, to_client);
                    assert_late(call(&scene.limited));
                    for _ in 0..3 {
                        call(&scene.remote).unwrap();
                    }
                    assert_eq!(scene.relay.connections(), 2, "{name}");
                });
            }
        }
    });
}

/// What expires in one way is found by the others.
#[test]
fn whoever_shares_the_connection_leaves_it() {
    thread::scope(|scope| {
        for (first, expires) in CALLS {
            scope.spawn(move || {
                let scene = Scene::sharing();
                expires(&scene.remote).unwrap();
                scene.relay.silence();
                assert_late(expires(&scene.limited));
                for (second, call) in CALLS {
                    call(&scene.remote)
                        .unwrap_or_else(|error| panic!("{first}, {second}: {error}"));
                }
                assert_eq!(scene.relay.connections(), 2, "{first}");
            });
        }
    });
}

#[test]
fn of_many_threads_each_waits_for_a_silent_connection_once() {
    const THREADS: usize = 16;
    let scene = &Scene::sharing();
    let limited = scene.remote.with_timeout(Duration::from_secs(2));
    let (answered, silenced) = (&AtomicUsize::new(0), &AtomicUsize::new(usize::MAX));
    thread::scope(|scope| {
        for number in 0..THREADS {
            let remote = &limited;
            scope.spawn(move || {
                let mut late = 0;
                while answered.load(Ordering::SeqCst) < silenced.load(Ordering::SeqCst) {
                    let called = match number % 2 {
                        0 => remote.ping(),
                        _ => remote.ping_async().wait(),
                    };
                    match called {
                        Ok(()) => drop(answered.fetch_add(1, Ordering::SeqCst)),
                        failed => {
                            assert_late(failed);
                            late += 1;
                        }
                    }
                }
                assert!(late <= 1, "{late} calls of one thread waited");
            });
        }
        eventually("calls", || answered.load(Ordering::SeqCst) > 200);
        scene.relay.silence();
        let enough = answered.load(Ordering::SeqCst) + 2000;
        silenced.store(enough, Ordering::SeqCst);
    });
    assert_eq!(scene.relay.connections(), 2);
}

/// A task whose own limit has passed drops the future.
#[test]
fn calls_that_are_cancelled_after_a_while_show_the_silence_too() {
    let scene = Scene::sharing();
    scene.remote.ping_async().wait().unwrap();
    scene.relay.silence();
    drop(scene.remote.ping_async().wait_for(LIMIT).unwrap_err());
    scene.remote.ping_async().wait().unwrap();
    assert_eq!(scene.relay.connections(), 2);
}

#[test]
fn a_call_that_is_cancelled_at_once_shows_nothing() {
    let scene = Scene::sharing();
    scene.remote.ping().unwrap();
    for _ in 0..10 {
        drop(scene.remote.block_async());
        scene.remote.ping().unwrap();
    }
    scene.server.probe.gate.open();
    assert_eq!(scene.relay.connections(), 1);
}

/// The calls under way have their own time, and the connection ends after the last of them.
#[test]
fn calls_under_way_keep_their_time_and_get_their_replies() {
    let scene = Scene::sharing();
    let waiting = scene.remote.block_async();
    scene.server.probe.gate.await_waiting(1);
    thread::scope(|scope| {
        let other = scope.spawn(|| scene.remote.block());
        scene.server.probe.gate.await_waiting(2);
        assert_late(scene.limited.ping_async().wait().map_or_else(Err, |()| {
            // The server answers: only calls that wait at the gate are slow.
            scene.limited.block()
        }));
        scene.remote.ping().unwrap();
        scene.server.probe.gate.open();
        other.join().unwrap().unwrap();
    });
    waiting.wait().unwrap();
    eventually("the connection that was left ends", || scene.relay.open() <= 1);
}

#[test]
fn a_silent_connection_that_no_call_uses_is_closed() {
    let scene = Scene::sharing();
    scene.remote.ping().unwrap();
    scene.relay.set(Fate::Passed, Fate::Swallowed);
    assert_late(scene.limited.ping());
    let begun = Instant::now();
    eventually("it is closed", || scene.relay.open() == 0);
    assert!(begun.elapsed() < PATIENCE);
    scene.remote.ping().unwrap();
}

/// Where every connection is silent, the server hangs. The calls wait for their own time, and the
/// connections with calls under way do not grow without bound.
#[test]
fn connections_that_were_left_are_few() {
    const MOST: usize = 6;
    let scene = Scene::sharing();
    let waiting: Vec<_> = (0..10)
        .map(|_| {
            let waiting = scene.remote.block_async();
            assert_late(scene.limited.block());
            assert!(scene.relay.open() <= MOST, "{} are open", scene.relay.open());
            waiting
        })
        .collect();
    scene.server.probe.gate.open();
    waiting.into_iter().for_each(|waiting| waiting.wait().unwrap());
    eventually("those that were left end", || scene.relay.open() <= 1);
    scene.remote.ping().unwrap();
}
