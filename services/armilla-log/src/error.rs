//! Why a log cannot be opened, written or read.

use crate::{Damage, Position};
use armilla_store::StoreError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a log cannot be opened, written or read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogError {
    /// Another process has the log open, or this one has.
    Held(PathBuf),
    /// The disk, or what the options allow, has no room for the record. Nothing of it was kept;
    /// appends succeed again when there is room.
    Full {
        /// The directory of the log.
        directory: PathBuf,
        /// What there is no room for.
        what: String,
    },
    /// The disk failed while records were written. Nobody knows whether those that were not
    /// committed are there, and nothing is appended until the log is opened again. Committed records
    /// can still be read.
    Failed {
        /// The directory of the log.
        directory: PathBuf,
        /// What failed, and why.
        what: String,
    },
    /// Something in it is not as it was written.
    Damaged(Box<Damage>),
    /// The records at this position were removed.
    Gone {
        /// What was asked for.
        asked: Position,
        /// The first record that is there.
        first: Position,
    },
    /// No record begins at this position.
    NoRecord(Position),
    /// The record is longer than the log's [options](crate::Options) allow.
    TooLarge {
        /// The length in octets.
        length: usize,
        /// The longest that is allowed.
        most: usize,
    },
    /// A file cannot be read, or something else failed that changed nothing.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What failed, and why.
        what: String,
    },
    /// The options contradict themselves.
    Options(String),
}

impl LogError {
    pub(crate) fn io(path: impl Into<PathBuf>, what: &str, error: &io::Error) -> Self {
        Self::Io { path: path.into(), what: format!("{what}: {error}") }
    }

    /// Whether a record that was appended may yet be found after the log is opened again. Otherwise
    /// it certainly was not kept.
    pub const fn is_undecided(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

impl From<Damage> for LogError {
    fn from(damage: Damage) -> Self {
        Self::Damaged(Box::new(damage))
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held(path) => {
                write!(
                    f,
                    "{} is held by another process, or this one has it open: end that first",
                    path.display()
                )
            }
            Self::Full { directory, what } => write!(
                f,
                "the log in {} has no room for {what}: free some, or let more be removed",
                directory.display()
            ),
            Self::Failed { directory, what } => write!(
                f,
                "the log in {} takes no records until it is opened again: {what}",
                directory.display()
            ),
            Self::Damaged(damage) => {
                write!(f, "{damage}; restore it, or save what is left by `armilla_log::recover`")
            }
            Self::Gone { asked, first } => {
                write!(f, "what was at position {asked} is removed: the log begins at {first}")
            }
            Self::NoRecord(position) => write!(f, "no record begins at position {position}"),
            Self::TooLarge { length, most } => {
                write!(f, "a record of {length} octets is longer than the {most} that are allowed")
            }
            Self::Io { path, what } => write!(f, "{} {what}", path.display()),
            Self::Options(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for LogError {}

impl From<LogError> for StoreError {
    fn from(error: LogError) -> Self {
        let text = error.to_string();
        match error {
            LogError::Held(path) => Self::new(path, "is held by another process").held(),
            LogError::Failed { directory, .. } => Self::new(directory, text).undecided(),
            LogError::Full { directory, .. } => Self::new(directory, text),
            LogError::Io { path, what } => Self::new(path, what),
            LogError::Damaged(damage) => Self::new(damage.file.clone(), text),
            _ => Self::new("the log", text),
        }
    }
}
