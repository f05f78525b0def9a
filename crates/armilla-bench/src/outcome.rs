//! The outcome of a run: plain data, which `experiments` fills and `report` presents.

use crate::machine::Machine;
use crate::record::Record;
use serde::Serialize;
use std::fmt;

/// What a run brought.
#[derive(Debug)]
pub struct Outcome {
    /// What was measured on.
    pub machine: Machine,
    /// What was measured.
    pub records: Vec<Record>,
    /// The programs that could not take part, or not in everything, and why.
    pub absent: Vec<Absent>,
    /// Programs that failed on the way, and how.
    pub failures: Vec<String>,
    /// What there was no time for.
    pub(crate) shortfall: Shortfall,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
}

/// A program that could not be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Absent {
    /// Its name.
    pub program: &'static str,
    /// What to install, or why it could not be made.
    pub remedy: String,
}

/// What there was no time for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Shortfall {
    /// How many cells were measured less often.
    pub(crate) cells: usize,
    /// How many programs were not observed whose instructions were to be counted.
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
            "the machine was too slow or too busy: {cells} cells were measured less often, the \
             instructions of {uncounted} programs not counted"
        )
    }
}
