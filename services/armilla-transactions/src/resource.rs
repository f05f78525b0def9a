//! What a program implements to take part in a transaction.

use crate::model::{Heuristic, Refusal, Status, Vote};
use std::fmt;
use std::io;
use std::sync::Arc;

/// Why a resource has not done what it was told.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceError {
    /// It has decided on its own, and remembers that until [`Resource::forget`].
    Heuristic(Heuristic),
    /// It has rolled back: an answer to [`Resource::commit_one_phase`].
    RolledBack,
    /// It could not do it now. After the decision it is told again; before, the transaction rolls
    /// back.
    Failed(String),
    /// What a remote resource has answered, or did not. A store that cannot be reached at a commit says
    /// [`Refusal::Unreachable`]: one transaction finds out when it is back for all that have resources
    /// of the same manager.
    Refused(Refusal),
}

impl ResourceError {
    pub(crate) fn refusal(&self) -> Refusal {
        match self {
            Self::Heuristic(what) => Refusal::Heuristic(*what),
            Self::RolledBack => Refusal::RolledBack,
            Self::Failed(_) => Refusal::Other,
            Self::Refused(refusal) => *refusal,
        }
    }
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Heuristic(what) => write!(f, "the resource has {what}"),
            Self::RolledBack => f.write_str("the resource has rolled back"),
            Self::Failed(why) => write!(f, "the resource failed: {why}"),
            Self::Refused(refusal) => write!(f, "the resource has not done it: {refusal:?}"),
        }
    }
}

impl std::error::Error for ResourceError {}

/// Something that commits or rolls back with a transaction: what one transaction has done to a table,
/// a file, a queue (Transaction Service 1.4, 2.7). Any thread may call it, one at a time.
pub trait Resource: Send + Sync {
    /// Votes. Whoever votes to commit can still do both after a crash, and waits for the decision.
    ///
    /// # Errors
    /// The transaction rolls back.
    fn prepare(&self) -> Result<Vote, ResourceError>;

    /// Commits. It may be told twice.
    ///
    /// # Errors
    /// It is told again, unless the outcome is heuristic.
    fn commit(&self) -> Result<(), ResourceError>;

    /// Rolls back. It may be told twice, and without having prepared.
    ///
    /// # Errors
    /// Only a heuristic outcome matters.
    fn rollback(&self) -> Result<(), ResourceError>;

    /// Commits without having prepared: it is the only participant. By default it prepares and
    /// commits.
    ///
    /// # Errors
    /// [`ResourceError::RolledBack`] if it has done so. After any other error nobody knows.
    fn commit_one_phase(&self) -> Result<(), ResourceError> {
        match self.prepare() {
            Ok(Vote::Commit) => self.commit(),
            Ok(Vote::ReadOnly) => Ok(()),
            Ok(Vote::Rollback) => Err(ResourceError::RolledBack),
            Err(error @ ResourceError::Heuristic(_)) => Err(error),
            Err(_) => {
                self.rollback()?;
                Err(ResourceError::RolledBack)
            }
        }
    }

    /// Forgets its heuristic outcome.
    fn forget(&self) {}
}

/// Hears of the end of a transaction (Transaction Service 1.4, 2.4.8).
pub trait Synchronization: Send + Sync {
    /// The transaction is about to ask for votes: the last moment to do work in it, such as writing
    /// what was cached. It is not called when the transaction rolls back.
    ///
    /// # Errors
    /// The transaction rolls back.
    fn before_completion(&self) -> Result<(), ResourceError> {
        Ok(())
    }

    /// The transaction has ended.
    fn after_completion(&self, status: Status) {
        let _ = status;
    }
}

/// Finds resources after a restart, by the tokens with which they were enlisted.
pub trait ResourceManager: Send + Sync {
    /// The tokens of what is prepared, and waits for a decision. What no transaction of the log
    /// names is rolled back.
    ///
    /// # Errors
    /// The transactions cannot start.
    fn prepared(&self) -> io::Result<Vec<String>>;

    /// The resource with this token; one that has finished already is [`None`].
    ///
    /// # Errors
    /// It cannot be said now. It is asked for again.
    fn resource(&self, token: &str) -> io::Result<Option<Arc<dyn Resource>>>;
}
