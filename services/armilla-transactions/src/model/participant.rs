//! The participants of a transaction.

use super::backoff::Time;
use super::status::Heuristic;
use std::sync::Arc;

/// A resource that was registered with a coordinator.
#[derive(Debug, Clone)]
pub struct Participant {
    /// How it is found, also after a restart: the text of a reference, or the name of a resource of
    /// this process.
    pub(super) name: Arc<str>,
    pub(super) progress: Progress,
    /// It was told of the decision before, or may have been.
    pub(super) told: bool,
}

/// How far a participant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It has done work and was asked for nothing yet.
    Registered,
    /// It is being asked for its vote, and may have prepared.
    Asked,
    /// It has voted to commit.
    Prepared,
    /// It is being told of the decision.
    Telling {
        /// How often it was told before.
        attempts: u32,
    },
    /// It could not be reached.
    Waiting {
        /// How often it was told.
        attempts: u32,
        /// When it is told again.
        next: Time,
    },
    /// It has ended as decided, or has nothing to do with the decision.
    Done,
    /// It has ended in another way, and remembers that until it is told to forget.
    Heuristic(Heuristic),
}

impl Participant {
    pub(super) fn new(name: Arc<str>) -> Self {
        Self { name, progress: Progress::Registered, told: false }
    }

    /// How it is found.
    pub const fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// How far it is.
    pub const fn progress(&self) -> Progress {
        self.progress
    }
}
