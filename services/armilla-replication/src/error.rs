//! Why a member does not start, and how often it is said why something does not go.

use crate::model::Failure;
use crate::reference::GroupName;
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

/// What does not go, as far as it was said: what is tried many times a second fails as often, and is one thing
/// to say.
#[derive(Debug, Default)]
pub(crate) struct Said(Option<String>);

impl Said {
    /// Notes how it goes now. Returns whether that is to be said.
    pub(crate) fn is_news(&mut self, failure: Option<&Failure>) -> bool {
        let failure = failure.map(ToString::to_string);
        let is_news = failure != self.0;
        self.0 = failure;
        is_news
    }

    /// Says why a member waits, once for each thing that it cannot do: the reasons come with times, and
    /// differ.
    pub(crate) fn waits(
        &mut self,
        group: &GroupName,
        member: &str,
        what: &str,
        why: &dyn fmt::Display,
    ) {
        if self.is_news(Some(&Failure(what.to_owned()))) {
            tracing::info!(%group, member, %why, "{what}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_said_once_and_so_is_its_end() {
        let (away, full) = (Failure("it is away".into()), Failure("it is full".into()));
        let mut said = Said::default();
        let turns =
            [None, Some(&away), Some(&away), Some(&full), Some(&full), None, None, Some(&full)];
        let news: Vec<_> = turns.into_iter().map(|turn| said.is_news(turn)).collect();
        assert_eq!(news, [false, true, false, true, false, true, false, true]);
    }
}
