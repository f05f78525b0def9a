//! What is damaged, and where.

use crate::Position;
use std::fmt;
use std::path::PathBuf;

/// A place of a log that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// The octet of the file from which on it is damaged.
    pub offset: u64,
    /// Where the damaged record begins, if it is one.
    pub position: Option<Position>,
    /// The number of the damaged record, counted from 0 since the log was made.
    pub number: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// The last record before it that is as it was written.
    pub last_good: Option<Position>,
}

impl Damage {
    pub(crate) fn of_file(file: PathBuf, offset: u64, what: impl Into<String>) -> Self {
        Self { file, offset, position: None, number: None, what: what.into(), last_good: None }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at octet {}", self.file.display(), self.offset)?;
        if let Some(number) = self.number {
            write!(f, ", record {number}")?;
        }
        if let Some(position) = self.position {
            write!(f, " (position {position})")?;
        }
        write!(f, ": {}", self.what)?;
        match self.last_good {
            Some(good) => write!(f, "; the last good record before it is at position {good}"),
            None => Ok(()),
        }
    }
}
