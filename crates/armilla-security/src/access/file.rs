//! A file of rules, which is read again when it was changed.

use super::{AccessRules, RuleError};
use crate::watched::Watched;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a file of rules was not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum AccessFileError {
    /// The file cannot be read.
    Io(PathBuf, io::Error),
    /// A rule is wrong.
    Rule(PathBuf, RuleError),
}

impl fmt::Display for AccessFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Rule(path, RuleError { line, column, what }) => {
                write!(f, "{}:{line}:{column}: {what}", path.display())
            }
        }
    }
}

impl std::error::Error for AccessFileError {}

/// A file of [`AccessRules`]. A change takes effect within a second of the next call; a file that
/// cannot be read or has an error is logged, and the rules of before stay. Clones share the file.
#[derive(Debug, Clone)]
pub struct AccessFile(Watched<AccessRules, AccessFileError>);

impl AccessFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or a rule is wrong.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, AccessFileError> {
        Watched::open("rules", path, read).map(Self)
    }

    /// The rules as they are now.
    pub fn rules(&self) -> Arc<AccessRules> {
        self.0.current()
    }

    /// Reads the file again now, as a program may on a signal. Without a file nothing happens.
    ///
    /// # Errors
    /// When it cannot be read, or a rule is wrong: the rules of before stay.
    pub fn reload(&self) -> Result<(), AccessFileError> {
        self.0.reload()
    }

    /// What is wrong with the file now, if something is: the rules of before are in use.
    pub fn fault(&self) -> Option<String> {
        self.0.fault()
    }
}

impl From<AccessRules> for AccessFile {
    /// Rules that do not change.
    fn from(rules: AccessRules) -> Self {
        Self(Watched::fixed(rules))
    }
}

fn read(path: &Path) -> Result<AccessRules, AccessFileError> {
    let text =
        fs::read_to_string(path).map_err(|error| AccessFileError::Io(path.to_owned(), error))?;
    text.parse().map_err(|error| AccessFileError::Rule(path.to_owned(), error))
}
