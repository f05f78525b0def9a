//! The high-priority client: one call in each period, timed from the release of the period.

use super::super::{Outcome, Worker};
use super::idl::real_time::{Task, TaskRef};
use super::{HIGH, number, option};
use crate::latencies::{Call, Calls};
use armilla::Orb;
use armilla_ipc::real_time::{
    Scheduling, lock_memory, monotonic_now, reserve_heap, reserve_stack, sleep_until,
};
use armilla_ipc::{Address, Stream, StreamOptions, connect};
use std::io::{self, Write};
use std::time::Duration;

/// The work of a call.
const WORK_MICROS: u32 = 100;
/// How a call is made.
enum Target {
    Nothing,
    Object(TaskRef),
    Socket(Box<dyn Stream>),
}

impl Target {
    fn call(&self) -> Outcome {
        match self {
            Self::Nothing => Ok(()),
            Self::Object(task) => Ok(task.work(WORK_MICROS)?),
            Self::Socket(stream) => {
                let mut octets = WORK_MICROS.to_le_bytes();
                stream.send_all(&octets)?;
                Ok(stream.recv_all(&mut octets)?)
            }
        }
    }
}

pub(super) fn run(worker: &Worker) -> Outcome {
    if let Err(error) = lock_memory() {
        eprintln!("the client: {error}");
    }
    reserve_heap(8 << 20);
    reserve_stack(256 << 10);
    let target = match option(worker, "variant") {
        Some("timer") => Target::Nothing,
        Some("sockets") => {
            let limit = Some(Duration::from_secs(10));
            let address: Address = worker.place.parse()?;
            Target::Socket(connect(&address, limit, &StreamOptions::default())?)
        }
        _ => Target::Object(Orb::new()?.resolve(&worker.place)?),
    };
    // The connection is there, and buffers have their size, before the first period.
    (0..10).try_for_each(|_| target.call())?;
    let asked = Scheduling::Fifo { priority: HIGH as u8 };
    if let Err(error) = asked.apply() {
        eprintln!("the client: {error}");
    }
    let period = Duration::from_nanos(1_000_000_000 / number(worker, "rate")?.max(1));
    println!("{}", periods(&target, period, number(worker, "periods")?)?);
    io::stdout().flush()?;
    Ok(())
}

/// Calls once in each period. A call that takes longer than its period takes the following ones
/// with it.
fn periods(target: &Target, period: Duration, count: u64) -> Outcome<Calls> {
    let mut calls = Vec::new();
    calls.reserve_exact(count as usize);
    let start = monotonic_now() + Duration::from_millis(20);
    let mut index = 0;
    while index < count {
        let release = start + Duration::from_nanos(period.as_nanos() as u64 * index);
        sleep_until(release);
        let woken = (monotonic_now() - release).as_nanos() as u64;
        target.call()?;
        let ended = (monotonic_now() - release).as_nanos() as u64;
        calls.push(Call { woken, ended });
        index += 1 + ended / period.as_nanos() as u64;
    }
    Ok(Calls { periods: count, calls })
}
