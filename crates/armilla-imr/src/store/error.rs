//! Why a store cannot be opened or written.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a store cannot be opened or written. The text names the file, what is wrong where, and what
/// to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    path: PathBuf,
    what: String,
}

impl StoreError {
    #[cfg(feature = "disk")]
    pub(crate) fn new(path: &Path, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), what: what.into() }
    }

    /// The file or address of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.what)
    }
}

impl std::error::Error for StoreError {}
