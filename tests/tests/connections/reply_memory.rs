//! The budget of memory for large replies over all connections of a client.

use armilla::{
    Completion, Concurrency, ConnectionPolicy, ExceptionKind, Minor, Orb, SameHost,
    SystemException, Version,
};
use armilla_giop::ReplyStatus;
use armilla_tests::gate::{Gate, eventually};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{Peer, Request, done, fragments, reply};
use armilla_tests::probe::*;
use std::sync::{Arc, Barrier};
use std::thread;

const LARGE: usize = 6_000_000;

/// The octets of each socket queue. So the client has read most of what a server has sent, and
/// reserved memory for it.
const QUEUE: usize = 128 << 10;

fn client(policy: ConnectionPolicy) -> Orb {
    let client = orbs::builder().settings(|settings| {
        settings.connection_policy = policy;
        settings.message_memory = Some(16 << 20);
        settings.socket_queue = Some(QUEUE);
    });
    client.build().unwrap()
}

fn large(request: &Request) -> Vec<u8> {
    reply(request.version, request.order, request.id, ReplyStatus::NoException, |out| {
        out.copy_octets(&[7; LARGE])
    })
}

/// Sends most of each reply, and the rest when the gate is open.
fn stalling(gate: &Arc<Gate>) -> Peer {
    let gate = gate.clone();
    Peer::start(move |_, mut wire| {
        wire.limit_queue(QUEUE);
        while let Some(request) = wire.request() {
            let whole = large(&request);
            wire.send(&whole[..LARGE - 1]);
            gate.pass();
            wire.send(&whole[LARGE - 1..]);
        }
    })
}

/// Sends large replies, in fragments if the number of the request is odd, and short ones to `ping`.
fn prompt() -> Peer {
    Peer::answering(|request| match (request.operation.as_str(), request.id % 2) {
        ("produce", 0) => large(request),
        ("produce", _) => fragments(&large(request), 1_000_000).concat(),
        _ => done(request),
    })
}

fn check(error: &SystemException) {
    let outcome = (error.kind(), error.minor(), error.completed());
    let expected = (ExceptionKind::NoResources, Minor::NO_MESSAGE_MEMORY, Completion::Yes);
    assert_eq!(outcome, expected, "{error}");
    assert!(error.to_string().contains("16777216 octets at once (message_memory)"), "{error}");
}

#[test]
fn a_reply_without_memory_ends_its_call_and_no_other() {
    for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        let (client, gate) = (client(policy), Arc::new(Gate::default()));
        let (stalls, prompt) = (stalling(&gate), prompt());
        let other = prompt.reference(&client, Version::V1_2);
        (0..2).for_each(|_| assert_eq!(other.produce(0).unwrap().len(), LARGE));
        let connections = prompt.connections();
        thread::scope(|scope| {
            let held = stalls.reference(&client, Version::V1_2);
            let held = scope.spawn(move || held.produce(0).unwrap());
            gate.await_waiting(1);
            eventually("the reply that is incomplete has the memory", || {
                let refused = other.produce(0).err();
                refused.iter().for_each(check);
                other.ping().unwrap();
                refused.is_some()
            });
            // In fragments, and in one piece.
            let both = [(); 2].map(|()| other.produce(0));
            both.iter().for_each(|refused| check(refused.as_ref().unwrap_err()));
            if policy == ConnectionPolicy::Multiplexed {
                assert_eq!(prompt.connections(), connections, "the connection stays");
                let refused = other.produce_async(0).wait().unwrap_err();
                check(&refused);
                other.ping_async().wait().unwrap();
            }
            gate.open();
            assert_eq!(held.join().unwrap().len(), LARGE);
        });
        (0..2).for_each(|_| assert_eq!(other.produce(0).unwrap().len(), LARGE));
    }
}

#[test]
fn idle_connections_give_up_the_memory_that_they_keep() {
    for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        let client = client(policy);
        let servers: Vec<Peer> = (0..8).map(|_| Peer::answering(large)).collect();
        for server in &servers {
            let remote = server.reference(&client, Version::V1_2);
            // The octets are not the only result, so they are copied out of the buffer.
            let error = remote.echo_octets(&[], &mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), ExceptionKind::Marshal, "{error}");
            assert_eq!(remote.produce(0).unwrap().len(), LARGE);
        }
    }
}

#[test]
fn fragments_of_1_1_without_memory_end_the_connection() {
    let (client, gate) = (client(ConnectionPolicy::Multiplexed), Arc::new(Gate::default()));
    let (stalls, prompt) = (stalling(&gate), prompt());
    thread::scope(|scope| {
        let held = stalls.reference(&client, Version::V1_2);
        let held = scope.spawn(move || held.produce(0).unwrap());
        gate.await_waiting(1);
        let other = prompt.reference(&client, Version::V1_1);
        eventually("a reply gets no memory", || match other.produce(0) {
            Ok(_) => false,
            Err(error) if error.minor() == Minor::NO_MESSAGE_MEMORY => false,
            Err(error) => {
                assert_eq!(error.completed(), Completion::Maybe, "{error}");
                assert!(error.to_string().contains("message_memory"), "{error}");
                true
            }
        });
        gate.open();
        held.join().unwrap();
    });
}

/// The largest replies that the defaults allow, together more than the queue of a connection holds.
#[test]
fn eight_readers_of_a_shared_connection_get_the_largest_replies() {
    const SIZE: usize = (16 << 20) - 64;
    let over = |way: SameHost| {
        let server = Server::of(orbs::listening_with(|settings| {
            settings.same_host = way;
            settings.concurrency = Concurrency::LeaderFollowers { min_threads: 1, max_threads: 64 };
            settings.message_memory = Some(512 << 20);
        }));
        let client = orbs::builder().settings(|settings| {
            settings.connection_policy = ConnectionPolicy::Multiplexed;
            // However busy the machine is.
            settings.call_timeout = None;
        });
        let client = client.build().unwrap();
        let remote = server.remote(&client);
        remote.ping().unwrap();
        let barrier = Barrier::new(8);
        thread::scope(|scope| {
            for _ in 0..8 {
                let (remote, barrier) = (remote.clone(), &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    assert_eq!(remote.produce(SIZE as u32).unwrap().len(), SIZE, "{way:?}");
                });
            }
        });
    };
    [SameHost::Off, SameHost::Shm].into_iter().for_each(over);
}
