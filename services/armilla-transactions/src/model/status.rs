//! What transactions are in, vote, and end with.

use std::fmt;

/// Where a transaction is (Transaction Service 1.4, 2.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Work may be done in it.
    Active,
    /// It can only be rolled back.
    MarkedRollback,
    /// It waits for the decision of its superior.
    Prepared,
    /// It has committed.
    Committed,
    /// It has rolled back.
    RolledBack,
    /// Nobody knows.
    Unknown,
    /// There is none.
    NoTransaction,
    /// Participants are being asked for their votes.
    Preparing,
    /// The decision to commit is made, and being delivered.
    Committing,
    /// It is being rolled back.
    RollingBack,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Active => "active",
            Self::MarkedRollback => "marked for rollback",
            Self::Prepared => "in doubt",
            Self::Committed => "committed",
            Self::RolledBack => "rolled back",
            Self::Unknown => "unknown",
            Self::NoTransaction => "no transaction",
            Self::Preparing => "preparing",
            Self::Committing => "committing",
            Self::RollingBack => "rolling back",
        })
    }
}

/// What a participant answers to `prepare`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vote {
    /// It can commit, and can still do so after a crash.
    Commit,
    /// It has rolled back.
    Rollback,
    /// It has changed nothing, and need not hear of the outcome.
    ReadOnly,
}

/// An outcome that a participant has decided on its own (Transaction Service 1.4, 2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Heuristic {
    /// It has rolled back all.
    Rollback,
    /// It has committed all.
    Commit,
    /// It has committed a part and rolled back another.
    Mixed,
    /// It may have.
    Hazard,
}

impl Heuristic {
    /// All, by their numbers in the log.
    pub(super) const ALL: [Self; 4] = [Self::Rollback, Self::Commit, Self::Mixed, Self::Hazard];

    /// Its number in the log.
    pub(super) fn number(self) -> u8 {
        match self {
            Self::Rollback => 0,
            Self::Commit => 1,
            Self::Mixed => 2,
            Self::Hazard => 3,
        }
    }
}

impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rollback => "rolled back on its own",
            Self::Commit => "committed on its own",
            Self::Mixed => "committed a part only",
            Self::Hazard => "may have ended in another way",
        })
    }
}

/// Why a transaction was rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RollbackReason {
    /// Who began it has asked for it.
    Asked,
    /// Its time was up.
    TimedOut,
    /// It was marked for rollback.
    Marked,
    /// Calls, or subtransactions, were still under way when it was to commit.
    Calls,
    /// A synchronization has failed.
    Synchronization,
    /// A participant has voted so, or did not answer.
    Vote,
    /// The superior has decided so.
    Superior,
    /// An operator has decided so.
    Operator,
    /// The log could not be written.
    Log,
}

impl RollbackReason {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Asked,
        Self::TimedOut,
        Self::Marked,
        Self::Calls,
        Self::Synchronization,
        Self::Vote,
        Self::Superior,
        Self::Operator,
        Self::Log,
    ];
}

impl fmt::Display for RollbackReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Asked => "asked",
            Self::TimedOut => "time",
            Self::Marked => "marked",
            Self::Calls => "calls",
            Self::Synchronization => "synchronization",
            Self::Vote => "vote",
            Self::Superior => "superior",
            Self::Operator => "operator",
            Self::Log => "log",
        })
    }
}

/// What whoever has ended a transaction is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Everything was committed, or will be: the decision is on the disk.
    Committed,
    /// Everything was rolled back.
    RolledBack,
    /// The decision was this one, and some participant has ended in another way.
    Heuristic {
        /// Whether the decision was to commit.
        committed: bool,
        /// What has become of the participants together.
        what: Heuristic,
    },
    /// The decision could not be written, or its only participant has not answered: nobody knows.
    Unknown,
}
