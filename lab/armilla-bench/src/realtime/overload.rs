//! A server at 120 % load: which deadlines are missed under each strategy.
//!
//! The operations and their timing are those of `idl/overload.idl`. A client releases each of them
//! in each of its periods, whether or not the one before has ended.

use super::RealTime;
use super::process::Process;
use crate::machine::Placement;
use armilla_schedule::Strategy;
use serde::Serialize;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A run under one strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OverloadRun {
    /// The abbreviation of the strategy: `rm`, `edf` or `muf`.
    pub strategy: &'static str,
    /// For how many seconds operations were released.
    pub seconds: u32,
    /// What became of each operation.
    pub operations: Vec<OverloadOperation>,
}

/// What became of the releases of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OverloadOperation {
    /// Its name.
    pub name: String,
    /// Whether it is critical.
    pub is_critical: bool,
    /// Its releases.
    pub arrived: u64,
    /// Those that were executed by their deadline.
    pub in_time: u64,
    /// Those that were executed late.
    pub late: u64,
    /// Those that were cancelled (`TIMEOUT`).
    pub cancelled: u64,
    /// Those that found no room (`TRANSIENT`), or still waited at the end.
    pub unserved: u64,
}

impl OverloadRun {
    /// How many critical deadlines were missed, for whatever reason.
    pub fn critical_misses(&self) -> u64 {
        let critical = self.operations.iter().filter(|operation| operation.is_critical);
        critical.map(|operation| operation.arrived - operation.in_time).sum()
    }
}

const STRATEGIES: [Strategy; 3] =
    [Strategy::RateMonotonic, Strategy::EarliestDeadlineFirst, Strategy::MaximumUrgencyFirst];

/// Runs the server under each strategy.
pub(super) fn measure_all(quick: bool, stop: &AtomicBool, results: &mut RealTime) {
    let seconds = if quick { 4 } else { 20 };
    for strategy in STRATEGIES {
        if stop.load(Ordering::Relaxed) {
            results.interrupted = true;
            return;
        }
        eprintln!("overload, {strategy}");
        match measure(strategy, seconds) {
            Ok(run) => results.overload.push(run),
            Err(error) => results.failures.push(format!("overload, {strategy}: {error}")),
        }
    }
}

fn measure(strategy: Strategy, seconds: u32) -> Result<OverloadRun, String> {
    // The server has one processor, for which the tables are.
    let (server_cpu, client_cpu) = Placement::OneCoreEach.cpus();
    let option = format!("strategy={}", strategy.abbreviation());
    let mut server = Process::start(None, server_cpu, "cockpit", "127.0.0.1", &[&option])?;
    let reference = server.line()?;
    let option = format!("seconds={seconds}");
    let mut client = Process::start(None, client_cpu, "releases", &reference, &[&option])?;
    client.line()?;
    server.ask_to_end();
    let line = server.line()?;
    let operations = line.split(';').map(|text| parse(text).ok_or_else(|| unread(&line)));
    let operations = operations.collect::<Result<_, _>>()?;
    Ok(OverloadRun { strategy: strategy.abbreviation(), seconds, operations })
}

fn unread(line: &str) -> String {
    format!("the server said {line:?}")
}

/// What the server says of an operation.
fn parse(text: &str) -> Option<OverloadOperation> {
    let mut words = text.split_whitespace();
    let (name, is_critical) = (words.next()?.to_owned(), words.next()? == "critical");
    let mut number = || words.next()?.parse::<u64>().ok();
    let (arrived, executed, late) = (number()?, number()?, number()?);
    let cancelled = number()?;
    let (in_time, unserved) = (executed - late, arrived - executed - cancelled);
    Some(OverloadOperation { name, is_critical, arrived, in_time, late, cancelled, unserved })
}

impl fmt::Display for OverloadRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let misses = self.critical_misses();
        writeln!(
            f,
            "overload of 120 %, {} for {} s: {misses} critical deadlines missed",
            self.strategy, self.seconds
        )?;
        writeln!(
            f,
            "  {:28} {:>9} {:>9} {:>9} {:>9} {:>9}",
            "operation", "released", "in time", "late", "cancelled", "unserved"
        )?;
        for operation in &self.operations {
            let critical = if operation.is_critical { "critical" } else { "" };
            writeln!(
                f,
                "  {:28} {:>9} {:>9} {:>9} {:>9} {:>9} {critical}",
                operation.name,
                operation.arrived,
                operation.in_time,
                operation.late,
                operation.cancelled,
                operation.unserved
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_counted_once() {
        let run = OverloadRun {
            strategy: "muf",
            seconds: 1,
            operations: ["A::f critical 10 8 1 1", "B::g other 5 1 0 0"]
                .map(|text| parse(text).unwrap())
                .to_vec(),
        };
        let [first, second] = &run.operations[..] else { panic!() };
        assert_eq!((first.in_time, first.late, first.cancelled, first.unserved), (7, 1, 1, 1));
        assert_eq!((second.in_time, second.unserved), (1, 4));
        assert_eq!(run.critical_misses(), 3);
        assert_eq!(parse("A::f critical 10"), None);
    }
}
