//! The outcome of a run: plain data, which `experiments` fills and `report` presents.

use crate::line::LinkCheck;
use crate::machine::Machine;
use crate::record::Record;
use serde::Serialize;
use std::fmt;

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
    /// Whether the run was interrupted.
    pub interrupted: bool,
}

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
