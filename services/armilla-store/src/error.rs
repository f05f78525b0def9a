//! Why a store cannot be opened or written.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a store cannot be opened or written. The text names the file, what is wrong where, and what
/// to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    path: PathBuf,
    what: String,
    is_undecided: bool,
    is_held: bool,
}

impl StoreError {
    /// The error of the store at `path`, whose text goes on with `what`. Nothing was changed.
    pub fn new(path: impl AsRef<Path>, what: impl Into<String>) -> Self {
        Self {
            path: path.as_ref().to_owned(),
            what: what.into(),
            is_undecided: false,
            is_held: false,
        }
    }

    /// The same for a store that another process holds.
    #[must_use]
    pub fn held(self) -> Self {
        Self { is_held: true, ..self }
    }

    /// The same for a change that may yet be made: nobody answered.
    #[must_use]
    pub fn undecided(self) -> Self {
        Self { is_undecided: true, ..self }
    }

    /// The file or address of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether another process holds the store, so that it can be opened once that has ended.
    pub const fn is_held(&self) -> bool {
        self.is_held
    }

    /// Whether a change may have been made, or may yet be made. Otherwise it certainly was not.
    pub const fn is_undecided(&self) -> bool {
        self.is_undecided
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.what)
    }
}

impl std::error::Error for StoreError {}
