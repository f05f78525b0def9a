//! A subtransaction of elsewhere as its superior sees it (Transaction Service 1.4, 2.8).

use super::{Site, entry};
use crate::corba::resource::{CommitOnePhaseRaises, CommitRaises, PrepareRaises, RollbackRaises};
use crate::corba::{CoordinatorRef, Resource, SubtransactionAwareResource, Vote};
use crate::model::{Event, Outcome, Reply};
use armilla::{Completion, Error, ExceptionKind, SystemException};
use std::sync::Arc;

pub(super) struct Parts(pub(super) Arc<Site>);

impl SubtransactionAwareResource for Parts {
    /// The transaction above is the one of which the request told that has made this: `parent` is its
    /// coordinator elsewhere.
    fn commit_subtransaction(&self, _parent: &CoordinatorRef) -> Result<(), SystemException> {
        let (entry, _) = entry(&self.0)?;
        match self.0.engine.drive(&entry, Event::CommitSubtransaction) {
            Some(Reply::Outcome(Outcome::Committed)) => Ok(()),
            _ => Err(ExceptionKind::TransactionRolledback
                .because("the subtransaction has rolled back here")
                .with_completed(Completion::Yes)),
        }
    }

    fn rollback_subtransaction(&self) -> Result<(), SystemException> {
        let (entry, _) = entry(&self.0)?;
        if entry.subordinate && entry.parent.is_some() {
            self.0.engine.drive(&entry, Event::Rollback);
        }
        Ok(())
    }
}

/// Only a whole transaction asks for votes; that of this process has registered another resource.
fn no_vote() -> SystemException {
    ExceptionKind::BadInvOrder.because("a subtransaction does not vote")
}

impl Resource for Parts {
    fn prepare(&self) -> Result<Vote, Error<PrepareRaises>> {
        Err(no_vote().into())
    }

    fn rollback(&self) -> Result<(), Error<RollbackRaises>> {
        Ok(self.rollback_subtransaction()?)
    }

    fn commit(&self) -> Result<(), Error<CommitRaises>> {
        Err(no_vote().into())
    }

    fn commit_one_phase(&self) -> Result<(), Error<CommitOnePhaseRaises>> {
        Err(no_vote().into())
    }

    fn forget(&self) -> Result<(), SystemException> {
        Ok(())
    }
}
