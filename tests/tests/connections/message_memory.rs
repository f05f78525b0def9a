//! The budget of memory for large messages over all connections of a server.

use armilla::{Completion, ExceptionKind, Minor};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::peer::Wire;
use armilla_tests::probe::*;

const LARGE: usize = 6_000_000;

fn server(concurrency: armilla::Concurrency) -> Server {
    Server::of(orbs::listening_with(|settings| {
        settings.concurrency = concurrency;
        settings.message_memory = Some(16 << 20);
    }))
}

#[test]
fn a_large_request_waits_for_no_memory_that_others_hold() {
    for concurrency in CONCURRENCIES {
        let server = server(concurrency);
        let client = orbs::client();
        let remote = server.remote(&client);
        let call = || remote.echo_octets(&vec![7; LARGE], &mut Vec::new());
        call().unwrap();

        let whole = server.request_with(1, "echo_octets", |out| out.copy_octets(&[0; LARGE]));
        let (mut halves, mut refused) = (Vec::new(), None);
        // Of two messages that arrive at once either may be refused.
        eventually("another message has the memory", || {
            let mut wire = Wire::connect(server.address());
            wire.send(&whole[..LARGE / 2]);
            halves.push(wire);
            refused = call().err();
            refused.is_some()
        });
        let error = refused.unwrap();
        assert_eq!((error.kind(), error.completed()), (ExceptionKind::Transient, Completion::No));
        assert_eq!(error.minor(), Minor::NO_MESSAGE_MEMORY);
        assert!(error.to_string().contains("16777216 octets (message_memory)"), "{error}");
        remote.ping().unwrap();

        halves.into_iter().for_each(Wire::reset);
        eventually("the memory is free again", || call().is_ok());
    }
}

#[test]
fn many_incomplete_messages_hold_no_more_than_the_budget() {
    let server = server(armilla::Concurrency::default());
    let request = server.request_with(1, "echo_octets", |out| out.copy_octets(&[0; LARGE]));
    let mut wires: Vec<Wire> = (0..10).map(|_| Wire::connect(server.address())).collect();
    // The server reads all of it: it discards the octets of refused requests.
    std::thread::scope(|scope| {
        for wire in &mut wires {
            scope.spawn(|| assert!(wire.send(&request[..LARGE - 1])));
        }
    });
    // The rest of each arrives: one or two were held, the others were refused. The servant's answer
    // is an exception too, because a parameter is missing.
    let refused = |reply: &[u8]| reply.windows(9).any(|part| part == b"TRANSIENT");
    let held = wires.iter_mut().filter_map(|wire| {
        wire.send(&request[LARGE - 1..]);
        wire.message().filter(|reply| !refused(reply))
    });
    let held = held.count();
    assert!((1..=2).contains(&held), "{held} messages were held at once");
}
