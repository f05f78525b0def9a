//! How transactions end otherwise than wished.

use crate::model::Heuristic;
use armilla::SystemException;
use std::fmt;

/// Why a commit was none, or not all of one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CommitError {
    /// Everything was rolled back.
    RolledBack {
        /// Whether its time was up.
        timed_out: bool,
    },
    /// Some participant has ended in another way. An operator has to look at it:
    /// `armilla transactions show`.
    Heuristic {
        /// Whether the decision was to commit.
        committed: bool,
        /// What has become of the participants together.
        what: Heuristic,
    },
    /// Nobody knows: the log could not be written, or the only participant has not answered. The
    /// log tells after a restart.
    Unknown,
    /// Somebody else is ending it, or it is not this process that may end it.
    Refused,
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RolledBack { timed_out: true } => {
                f.write_str("the transaction was rolled back: its time was up")
            }
            Self::RolledBack { timed_out: false } => f.write_str("the transaction was rolled back"),
            Self::Heuristic { committed, what } => {
                let decided = if *committed { "commit" } else { "roll back" };
                write!(f, "the transaction was to {decided}, and a participant has {what}")
            }
            Self::Unknown => f.write_str("whether the transaction has committed is not known"),
            Self::Refused => f.write_str("the transaction is ended elsewhere"),
        }
    }
}

impl std::error::Error for CommitError {}

/// How [`Transactions::run`](crate::Transactions::run) has failed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RunError<E> {
    /// The work has failed; everything was rolled back.
    Work(E),
    /// The work was done, and the commit was none.
    Commit(CommitError),
    /// There was no transaction to work in.
    Begin(SystemException),
}

impl<E: fmt::Display> fmt::Display for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work(error) => write!(f, "the transaction was rolled back: {error}"),
            Self::Commit(error) => error.fmt(f),
            Self::Begin(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for RunError<E> {}

/// Why an operator's decision was not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecideError {
    /// There is no transaction whose number begins so, or more than one.
    Unknown,
    /// The transaction is in another state: this one.
    Refused(String),
}

impl fmt::Display for DecideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => {
                f.write_str("there is no transaction whose id begins so, or more than one")
            }
            Self::Refused(status) => write!(f, "the transaction is {status}"),
        }
    }
}

impl std::error::Error for DecideError {}
