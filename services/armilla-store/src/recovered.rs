//! What a recovery has saved, and what it has not.

use std::path::PathBuf;

/// What was saved of a damaged store, with `C` for what the service counts of its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered<C> {
    /// What was saved, or can be.
    pub saved: C,
    /// What is damaged or lost: where it was, and what.
    pub losses: Vec<String>,
    /// The last commit that the file has counted, in words, if that can be read.
    pub last_commit: Option<String>,
    /// Where the damaged file is now; `None` if nothing was changed.
    pub kept: Option<PathBuf>,
}
