//! `objects [COUNT]`: what objects cost a server: how fast they are activated, how much memory each
//! takes beside its servant, and whether a call gets slower when there are many of them.

use armilla::{Orb, SystemException};
use armilla_bench::{Sink, TtcpSequence, TtcpSequenceRef, ttcp_sequence};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many objects of each crowd are called, in turn and spread over all of it.
const CALLED: usize = 1_000;

/// How often the crowds are called in turn, so that what else the machine does hits all of them.
const ROUNDS: usize = 60;

/// How many calls a round makes.
const CALLS: u32 = 2_000;

fn main() -> ExitCode {
    let count = match std::env::args().nth(1).map(|count| count.parse()) {
        None => Ok(1_000_000),
        Some(count) => count,
    };
    let Ok(count) = count else {
        eprintln!("usage: objects [COUNT]");
        return ExitCode::from(2);
    };
    match measure(count) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(count: usize) -> Result<(), SystemException> {
    let client = Orb::new()?;
    let mut crowds = Vec::new();
    for size in [1, count / 100, count] {
        let server = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
        let called = fill(&server, size.max(1), &client)?;
        crowds.push(Crowd { size: size.max(1), called, best: Duration::MAX, server });
    }
    for _ in 0..ROUNDS {
        crowds.iter_mut().try_for_each(Crowd::round)?;
    }
    let alone = crowds[0].best;
    for crowd in &crowds {
        let ratio = crowd.best.as_secs_f64() / alone.as_secs_f64();
        let each = crowd.best.as_secs_f64() * 1e6 / f64::from(CALLS);
        println!("{} objects: {each:.2} µs a call, {ratio:.3} of one object's", crowd.size);
        crowd.server.shutdown();
    }
    Ok(())
}

/// Activates so many objects, says what that took, and gives some of them as a client has them.
fn fill(server: &Orb, size: usize, client: &Orb) -> Result<Vec<TtcpSequenceRef>, SystemException> {
    let poa = server.root_poa();
    let servants: Vec<Arc<dyn TtcpSequence>> =
        (0..size).map(|_| ttcp_sequence::tie(Sink)).collect();
    let step = size.div_ceil(CALLED);
    let mut kept = Vec::with_capacity(CALLED);
    let before = ALLOCATOR.stats();
    let begun = Instant::now();
    for (number, servant) in servants.into_iter().enumerate() {
        let reference = poa.activate(servant)?;
        if number % step == 0 {
            kept.push(reference);
        }
    }
    let took = begun.elapsed();
    let after = ALLOCATOR.stats();
    let taken = (after.bytes_allocated - before.bytes_allocated)
        .saturating_sub(after.bytes_deallocated - before.bytes_deallocated);
    if size > 1 {
        println!(
            "{size} objects: {:.0} activations a second, {} octets an object beside its servant",
            size as f64 / took.as_secs_f64(),
            taken / size,
        );
    }
    // As many references also where there are fewer objects: the client prepares the requests of
    // each by itself.
    let travel = |reference: &TtcpSequenceRef| client.resolve(&server.object_to_string(reference)?);
    kept.iter().cycle().take(CALLED).map(travel).collect()
}

/// The objects of one server.
struct Crowd {
    server: Orb,
    size: usize,
    called: Vec<TtcpSequenceRef>,
    /// The fastest round.
    best: Duration,
}

impl Crowd {
    fn round(&mut self) -> Result<(), SystemException> {
        let begun = Instant::now();
        let mut calls = self.called.iter().cycle().take(CALLS as usize);
        calls.try_for_each(|object| object.send_no_params_2way())?;
        self.best = self.best.min(begun.elapsed());
        Ok(())
    }
}
