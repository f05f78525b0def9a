//! The outcome of a run: plain data, which `experiments` fills and `report` presents.

use crate::line::LinkCheck;
use crate::machine::Machine;
use crate::record::Record;
use chrono::{DateTime, Utc};
use serde::Serialize;
use std::fmt;
use std::fs;
use std::time::SystemTime;

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The machine.
    pub machine: Machine,
    /// The results.
    pub records: Vec<Record>,
    /// The checks of the links that were used: whether packets took their time on the wire.
    pub links: Vec<LinkCheck>,
    /// The programs that could not run, or not in every cell, and why.
    pub absent: Vec<Absent>,
    /// The failures of programs during the run.
    pub failures: Vec<String>,
    /// The measurements that there was no time for.
    pub(crate) shortfall: Shortfall,
    /// The profiles by function as text, if the run made them.
    pub profiles: Option<String>,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// When and how the run was made.
    pub conditions: Conditions,
}

/// When and how a run was made: what a reader needs beside the machine.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Conditions {
    /// Its beginning, in UTC.
    pub date: String,
    /// The number of rounds of most cells.
    pub rounds: usize,
    /// How long it took, in seconds.
    pub seconds: u64,
    /// How many processes wanted a processor on average in the minute before it began, as the
    /// system counts them. From 0.5 on other programs disturbed the run.
    pub load: f64,
}

impl Conditions {
    /// Those of a run that begins now.
    pub(crate) fn now(rounds: usize) -> Self {
        let date = DateTime::<Utc>::from(SystemTime::now()).format("%F %R UTC").to_string();
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
        Self { date, rounds, seconds: 0, load }
    }
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { date, rounds, seconds, load } = self;
        let other = if *load < BUSY { "idle" } else { "loaded by other programs" };
        write!(f, "{date}, {rounds} rounds, {} min {} s; ", seconds / 60, seconds % 60)?;
        write!(f, "load {load:.2} before the run ({other})")
    }
}

/// The load from which on a machine is not idle.
const BUSY: f64 = 0.5;

/// A program that could not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Absent {
    /// The name of the program.
    pub program: &'static str,
    /// What to install, or the reason.
    pub remedy: String,
}

/// The measurements that there was no time for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Shortfall {
    /// The number of cells with fewer rounds than planned.
    pub(crate) cells: usize,
    /// The number of programs whose instructions were not counted.
    pub(crate) uncounted: usize,
}

impl Shortfall {
    /// Whether there was time for everything.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cells, uncounted } = self;
        write!(
            f,
            "the machine was too slow or too busy: {cells} cells had fewer rounds, the \
             instructions of {uncounted} programs were not counted"
        )
    }
}
