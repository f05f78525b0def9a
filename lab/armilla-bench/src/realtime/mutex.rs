//! How long an urgent thread waits for a mutex that a thread of low priority holds, while one of
//! middle priority wants the processor.

use super::RealTime;
use super::process::Process;
use crate::machine::Placement;
use serde::Serialize;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A kind of mutex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MutexKind {
    /// With priority inheritance: `PiMutex`.
    Inheritance,
    /// Without: that of the standard library, as the control.
    Plain,
}

impl MutexKind {
    const ALL: [Self; 2] = [Self::Inheritance, Self::Plain];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inheritance => "with inheritance",
            Self::Plain => "plain",
        }
    }
}

/// The waits for a mutex, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MutexWait {
    /// The kind of mutex.
    pub kind: MutexKind,
    /// How long the holder computes while it holds the mutex.
    pub section: f64,
    /// For how long the thread of middle priority computes.
    pub middle: f64,
    /// How often the urgent thread has waited.
    pub rounds: u64,
    /// The median wait.
    pub p50: f64,
    /// The quantile 0.99.
    pub p99: f64,
    /// The longest wait.
    pub max: f64,
}

/// Measures both kinds of mutexes.
pub(super) fn measure_all(quick: bool, stop: &AtomicBool, results: &mut RealTime) {
    let rounds = if quick { 200 } else { 2_000 };
    for kind in MutexKind::ALL {
        if stop.load(Ordering::Relaxed) {
            results.interrupted = true;
            return;
        }
        eprintln!("mutex {}", kind.name());
        match measure(kind, rounds) {
            Ok(wait) => results.mutexes.push(wait),
            Err(error) => results.failures.push(format!("mutex {}: {error}", kind.name())),
        }
    }
}

fn measure(kind: MutexKind, rounds: u64) -> Result<MutexWait, String> {
    // All three threads want the same processor.
    let (cpu, _) = Placement::OneCore.cpus();
    let word = match kind {
        MutexKind::Inheritance => "kind=inheritance",
        MutexKind::Plain => "kind=plain",
    };
    let rounds_option = format!("rounds={rounds}");
    let mut worker = Process::start(None, cpu, "mutex", "here", &[word, &rounds_option])?;
    let line = worker.line()?;
    parse(kind, rounds, &line).ok_or_else(|| format!("the worker said {line:?}"))
}

fn parse(kind: MutexKind, rounds: u64, line: &str) -> Option<MutexWait> {
    let numbers: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let [section, middle, p50, p99, max] = numbers[..] else { return None };
    Some(MutexWait { kind, section, middle, rounds, p50, p99, max })
}

impl fmt::Display for MutexWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { section, middle, rounds, p50, p99, max, .. } = self;
        write!(
            f,
            "mutex {}: µs behind a holder of low priority with a critical section of {section:.0}, \
             beside middle priority for {middle:.0}, {rounds} times: p50 {p50:.0}, p99 {p99:.0}, \
             max {max:.0}; at most the section and {:.0}",
            self.kind.name(),
            (max - section).max(0.0)
        )
    }
}
