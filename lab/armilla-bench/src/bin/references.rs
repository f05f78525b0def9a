//! `references [COUNT]`: what it costs a client to have many references: how much memory each
//! takes, and whether a call gets slower where so many have it in turn, to one object and to as
//! many.

use armilla::{Orb, SystemException};
use armilla_bench::{
    Sink, TtcpSequence, TtcpSequenceRef, exit_code, median, over_tcp, ttcp_sequence,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::process::ExitCode;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many calls a crowd has before the next has its own.
const TURN: usize = 1_000;

/// The least number of calls that a crowd has in all, however few references it has.
const CALLS: usize = 200_000;

fn main() -> ExitCode {
    let count = match std::env::args().nth(1).map(|count| count.parse()) {
        None => Ok(10_000),
        Some(count) => count,
    };
    let Ok(count @ 1..) = count else {
        eprintln!("usage: references [COUNT]");
        return ExitCode::from(2);
    };
    exit_code(measure(count))
}

/// References that have calls in turn.
struct Crowd {
    what: String,
    references: Vec<TtcpSequenceRef>,
    /// Whose turn is next.
    next: usize,
    /// The microseconds of a call in each turn.
    turns: Vec<f64>,
}

impl Crowd {
    /// References to the objects with these URLs, as `client` gets them from outside.
    fn new(client: &Orb, what: String, urls: &[String]) -> Result<Self, SystemException> {
        let references = urls.iter().map(|url| client.resolve(url)).collect::<Result<_, _>>()?;
        Ok(Self { what, references, next: 0, turns: Vec::new() })
    }

    fn turn(&mut self) -> Result<(), SystemException> {
        let started = Instant::now();
        for _ in 0..TURN {
            self.references[self.next].send_no_params_2way()?;
            self.next = (self.next + 1) % self.references.len();
        }
        self.turns.push(started.elapsed().as_secs_f64() * 1e6 / TURN as f64);
        Ok(())
    }
}

fn measure(count: usize) -> Result<(), SystemException> {
    let client = Orb::new()?;
    let server = over_tcp()?.build()?;
    let poa = server.root_poa();
    let activate = |_| server.object_to_string(poa.activate(ttcp_sequence::tie(Sink))?);
    let (one, many) = (activate(0)?, (0..count).map(activate).collect::<Result<Vec<_>, _>>()?);
    let crowd = |what: String, urls: &[String]| Crowd::new(&client, what, urls);
    let mut crowds = [
        crowd("1 reference to 1 object".into(), std::slice::from_ref(&one))?,
        crowd(format!("{count} references to 1 object"), &vec![one; count])?,
        counted(count, || crowd(format!("{count} references to {count} objects"), &many))?,
    ];
    for turn in 0..count.max(CALLS) / TURN {
        (0..3).try_for_each(|place| crowds[(turn + place) % 3].turn())?;
    }
    let alone = crowds[0].turns.clone();
    for crowd in &crowds {
        let ratios = crowd.turns.iter().zip(&alone).map(|(many, one)| many / one);
        let (each, ratio) = (median(crowd.turns.clone()), median(ratios));
        println!("{}: {each:.2} µs a call, {ratio:.3} of one reference's", crowd.what);
    }
    server.shutdown();
    Ok(())
}

/// The crowd that `make` makes; says what memory it takes, called once, and how long the first
/// calls take, which find out where the objects are.
fn counted(
    count: usize,
    make: impl FnOnce() -> Result<Crowd, SystemException>,
) -> Result<Crowd, SystemException> {
    let before = ALLOCATOR.stats();
    let crowd = make()?;
    let started = Instant::now();
    crowd.references.iter().try_for_each(|reference| reference.send_no_params_2way())?;
    let first = started.elapsed().as_secs_f64() * 1e6 / count as f64;
    let after = ALLOCATOR.stats();
    let taken = (after.bytes_allocated - before.bytes_allocated)
        .saturating_sub(after.bytes_deallocated - before.bytes_deallocated);
    println!("{} octets a reference, {first:.2} µs a first call", taken / count);
    Ok(crowd)
}
