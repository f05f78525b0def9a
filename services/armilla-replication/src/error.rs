//! Why a member does not start.

use crate::model::Failure;
use armilla::SystemException;
use std::fmt;

/// Why a member does not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplicaError {
    /// The builder has no registry.
    NoRegistry,
    /// The ORB refuses.
    Orb(SystemException),
    /// The thread that keeps watch cannot be started.
    Thread(std::io::Error),
    /// What is on the disk of the member cannot be used.
    Disk(Failure),
}

impl fmt::Display for ReplicaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRegistry => f.write_str(
                "a member of a group needs the registry of its views: ReplicaBuilder::registry",
            ),
            Self::Orb(exception) => exception.fmt(f),
            Self::Disk(failure) => failure.fmt(f),
            Self::Thread(error) => write!(f, "the thread that keeps watch: {error}"),
        }
    }
}

impl std::error::Error for ReplicaError {}

impl<E: Into<SystemException>> From<E> for ReplicaError {
    fn from(error: E) -> Self {
        Self::Orb(error.into())
    }
}
