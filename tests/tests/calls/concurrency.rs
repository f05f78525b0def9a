//! Many threads at once: one reference for all, callbacks within calls, and servants that block.

use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Ear;
use std::thread;

const THREADS: i32 = 8;
const CALLS: i32 = 200;

#[test]
fn threads_that_share_a_reference_each_get_their_own_replies() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    for probe in [&remote, &server.local] {
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
}

#[test]
fn threads_that_resolve_the_same_reference_at_once_all_reach_it() {
    let server = Server::start();
    let client = orbs::client();
    let url = server.publish("probe", server.local.object()).unwrap();
    let shared: EverythingRef = client.resolve(&url).unwrap();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..10 {
                    shared.ping().unwrap();
                    client.resolve::<dyn Everything>(&url).unwrap().ping().unwrap();
                }
            });
        }
    });
}

#[test]
fn a_server_calls_its_client_back_within_the_call() {
    let server = Server::start();
    let client = orbs::listening();
    let (ear, listener) = Ear::activate(&client);
    let remote = server.remote(&client);
    remote.call_back(&listener, "during").unwrap();
    assert_eq!(ear.heard(), ["during"]);
    // Each level is a call within a call, by turns in either direction.
    for depth in [0, 1, 3, 6] {
        assert_eq!(remote.descend(&listener, depth).unwrap(), depth);
    }
    client.shutdown();
}

#[test]
fn callbacks_of_many_threads_do_not_stand_in_each_others_way() {
    let server = Server::start();
    let client = orbs::listening();
    let (ear, listener) = Ear::activate(&client);
    let remote = server.remote(&client);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(remote.descend(&listener, 3).unwrap(), 3);
                    remote.call_back(&listener, "here").unwrap();
                }
            });
        }
    });
    assert_eq!(ear.heard().len(), 20 * THREADS as usize);
    client.shutdown();
}

#[test]
fn a_servant_that_blocks_stalls_no_other_call() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    thread::scope(|scope| {
        let blocked: Vec<_> = (0..4).map(|_| scope.spawn(|| remote.block())).collect();
        server.probe.gate.await_waiting(4);
        // Through the same reference, from another client, and collocated.
        (0..50).for_each(|_| remote.ping().unwrap());
        server.remote(&orbs::client()).ping().unwrap();
        server.local.ping().unwrap();
        assert!(blocked.iter().all(|call| !call.is_finished()));
        server.probe.gate.open();
        blocked.into_iter().for_each(|call| call.join().unwrap().unwrap());
    });
}

#[test]
fn objects_come_and_go_while_they_are_called() {
    let server = Server::start();
    let client = orbs::client();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let poa = server.root_poa();
                for _ in 0..100 {
                    let (_, mine) = orbs::activate(&server);
                    let remote = travel(&mine, &client);
                    assert_eq!(remote.increment().unwrap(), 1, "no other object answers");
                    poa.deactivate(&poa.reference_to_id(mine.object()).unwrap()).unwrap();
                    assert!(remote.ping().is_err());
                }
            });
        }
    });
}
