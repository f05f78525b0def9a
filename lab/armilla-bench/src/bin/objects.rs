//! `objects [COUNT]`: what objects cost a server: how fast they are activated, how much memory each
//! takes beside its servant, and whether a call gets slower when there are many of them. All of it
//! on one processor: where client and servers change places as they please, chance decides over
//! more than that.

use armilla::{Orb, SystemException};
use armilla_bench::{
    Sink, TtcpSequence, TtcpSequenceRef, exit_code, median, over_tcp, ttcp_sequence,
};
use armilla_ipc::affinity;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many objects of each crowd are called, in turn and spread over all of it.
const CALLED: usize = 1_000;

/// How many servers have as many objects. Two with one object differ from each other by up to three
/// per cent, as chance has placed their memory.
const SERVERS: usize = 3;

/// How often the crowds are called in turn, each first as often as the others, so that what else
/// the machine does hits all of them.
const ROUNDS: usize = 60;

fn main() -> ExitCode {
    let count = match std::env::args().nth(1).map(|count| count.parse()) {
        None => Ok(1_000_000),
        Some(count) => count,
    };
    let Ok(count) = count else {
        eprintln!("usage: objects [COUNT]");
        return ExitCode::from(2);
    };
    if let Err(error) = on_one_processor() {
        println!("unpinned: {error}");
    }
    exit_code(measure(count))
}

/// Stays on the first processor that there is, with all threads that follow.
fn on_one_processor() -> io::Result<()> {
    let cpu = affinity::allowed_cpus()?.first().copied().unwrap_or_default();
    affinity::pin_process(&[cpu])?;
    println!("on processor {cpu} alone");
    Ok(())
}

fn measure(count: usize) -> Result<(), SystemException> {
    let client = Orb::new()?;
    let sizes = [1, count / 100, count].map(|size| size.max(1));
    let mut crowds = sizes.map(|size| Crowd { size, servers: Vec::new(), rounds: Vec::new() });
    for _ in 0..SERVERS {
        crowds.iter_mut().try_for_each(|crowd| crowd.add_server(&client))?;
    }
    for round in 0..ROUNDS {
        (0..sizes.len()).try_for_each(|turn| crowds[(round + turn) % sizes.len()].round())?;
    }
    let alone = crowds[0].rounds.clone();
    for crowd in &crowds {
        let ratios = crowd.rounds.iter().zip(&alone).map(|(many, one)| many / one);
        let (each, ratio) = (median(crowd.rounds.clone()), median(ratios));
        println!("{} objects: {each:.2} µs a call, {ratio:.3} of one object's", crowd.size);
        crowd.servers.iter().for_each(|(server, _)| server.shutdown());
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
    let started = Instant::now();
    for (number, servant) in servants.into_iter().enumerate() {
        let reference = poa.activate(servant)?;
        if number % step == 0 {
            kept.push(reference);
        }
    }
    let took = started.elapsed();
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

/// Servers with as many objects each, and those of them that are called.
struct Crowd {
    size: usize,
    servers: Vec<(Orb, Vec<TtcpSequenceRef>)>,
    /// The microseconds of a call in each round.
    rounds: Vec<f64>,
}

impl Crowd {
    fn add_server(&mut self, client: &Orb) -> Result<(), SystemException> {
        let server = over_tcp()?.build()?;
        let called = fill(&server, self.size, client)?;
        self.servers.push((server, called));
        Ok(())
    }

    fn round(&mut self) -> Result<(), SystemException> {
        let started = Instant::now();
        let mut objects = self.servers.iter().flat_map(|(_, called)| called);
        objects.try_for_each(|object| object.send_no_params_2way())?;
        let calls = (SERVERS * CALLED) as f64;
        self.rounds.push(started.elapsed().as_secs_f64() * 1e6 / calls);
        Ok(())
    }
}
