//! Heap allocations of a call in the steady state: none on either side, for all objects of a
//! server. The allocator counts for the whole process.

use crate::ALLOCATOR;
use armilla_tests::alone::alone;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How many allocations 1,000 calls make, client and server together: the least of several rounds,
/// for a thread that begins beside one allocates too, but a call that allocates does so in each.
fn allocations(call: impl Fn()) -> usize {
    allocations_in(5, call)
}

fn allocations_in(rounds: usize, call: impl Fn()) -> usize {
    let round = || {
        let before = ALLOCATOR.stats();
        (0..1_000).for_each(|_| call());
        let after = ALLOCATOR.stats();
        (after.allocations - before.allocations) + (after.reallocations - before.reallocations)
    };
    (0..rounds).map(|_| round()).min().unwrap_or(usize::MAX)
}

#[test]
fn a_call_allocates_nothing_on_either_side() {
    alone(|| {
        let server = Server::start();
        let remote = server.remote(&orbs::client());
        assert_eq!(allocations(|| remote.ping().unwrap()), 0);
        let timed = remote.with_timeout(Duration::from_secs(5));
        assert_eq!(allocations(|| timed.ping().unwrap()), 0, "with a limit of its own");
        let echo = || assert_eq!(remote.echo_double(1.5, &mut 2.5).unwrap(), (2.5, 1.5));
        assert_eq!(allocations(echo), 0, "with scalars in every direction");
        let place = Point { tag: 1, x: 2.0, y: 3 };
        assert_eq!(allocations(|| remote.set_place(&place).unwrap()), 0, "with a struct");
        assert_eq!(allocations(|| assert!(server.local.increment().is_ok())), 0, "collocated");
        let (poa, again) = (server.root_poa(), Arc::new(Probe::default()) as Arc<dyn Everything>);
        let id = poa.reference_to_id(&server.local).unwrap();
        poa.deactivate(&id).unwrap();
        poa.activate_with_id(id, again).unwrap();
        assert_eq!(allocations(|| assert!(server.local.increment().is_ok())), 0, "active again");
        let anew = || server.local.object().assume::<dyn Everything>().ping().unwrap();
        assert_eq!(allocations(anew), 0, "through a reference that was typed anew");
        assert_eq!(allocations(|| remote.set_name("tycho").unwrap()), 0, "with a string");
        let (client, place) = (orbs::client(), AtomicUsize::new(0));
        let others: Vec<_> = (0..5_000).map(|_| server.remote(&client)).collect();
        // The first makes the connection; those that follow find out what is found out once.
        others[..1_000].iter().for_each(|other| other.ping().unwrap());
        let next = || &others[1_000 + place.fetch_add(1, Ordering::Relaxed) % 4_000];
        let first = allocations_in(4, || next().ping().unwrap());
        assert_eq!(first, 0, "for the first time through each of many references");
        assert_ne!(allocations(|| assert!(remote.name().is_ok())), 0, "the counter counts");
    });
}
