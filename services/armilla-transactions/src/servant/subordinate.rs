//! A subordinate as its superior sees it: a resource and a synchronization.

use super::{Site, entry};
use crate::corba::resource::{CommitOnePhaseRaises, CommitRaises, PrepareRaises, RollbackRaises};
use crate::corba::{
    HeuristicCommit, HeuristicHazard, HeuristicMixed, HeuristicRollback, NotPrepared, Resource,
    Status, Synchronization, TransactionalObject, Vote as Voted,
};
use crate::model::{Event, Heuristic, Outcome, Reply, Vote};
use armilla::{Completion, Error, ExceptionKind, SystemException};
use std::sync::Arc;

pub(super) struct Resources(pub(super) Arc<Site>);

impl Resources {
    fn drive(&self, event: Event) -> Result<Option<Reply>, SystemException> {
        let (entry, _) = entry(&self.0)?;
        // Only a subordinate has a superior that may tell it what to do.
        match entry.subordinate {
            true => Ok(self.0.engine.drive(&entry, event)),
            false => Err(SystemException::object_not_exist()),
        }
    }
}

/// `TRANSIENT`: the superior tells again.
fn again() -> SystemException {
    let why = "the subordinate cannot answer now: it is at work, or its log has failed";
    ExceptionKind::Transient.because(why).with_hint("tell it again")
}

fn rolled_back() -> SystemException {
    ExceptionKind::TransactionRolledback
        .because("the subordinate has rolled back")
        .with_completed(Completion::Yes)
}

impl Resource for Resources {
    fn prepare(&self) -> Result<Voted, Error<PrepareRaises>> {
        match self.drive(Event::Prepare)? {
            Some(Reply::Vote(Vote::Commit)) => Ok(Voted::VoteCommit),
            Some(Reply::Vote(Vote::ReadOnly)) => Ok(Voted::VoteReadOnly),
            Some(Reply::Vote(Vote::Rollback) | Reply::Outcome(Outcome::RolledBack)) => {
                Ok(Voted::VoteRollback)
            }
            Some(Reply::Outcome(Outcome::Heuristic { what: Heuristic::Hazard, .. })) => {
                Err(Error::User(HeuristicHazard {}.into()))
            }
            Some(Reply::Outcome(Outcome::Heuristic { .. })) => {
                Err(Error::User(HeuristicMixed {}.into()))
            }
            _ => Err(again().into()),
        }
    }

    fn commit(&self) -> Result<(), Error<CommitRaises>> {
        match self.drive(Event::CommitPrepared)? {
            Some(Reply::Outcome(Outcome::Committed)) => Ok(()),
            Some(Reply::Outcome(Outcome::Heuristic { what, .. })) => Err(Error::User(match what {
                Heuristic::Rollback => HeuristicRollback {}.into(),
                Heuristic::Hazard => HeuristicHazard {}.into(),
                Heuristic::Mixed | Heuristic::Commit => HeuristicMixed {}.into(),
            })),
            Some(Reply::Outcome(Outcome::RolledBack)) => {
                Err(Error::User(HeuristicRollback {}.into()))
            }
            Some(Reply::NotPrepared) => Err(Error::User(NotPrepared {}.into())),
            // What is under way may be the commit.
            _ => Err(again().with_completed(Completion::Maybe).into()),
        }
    }

    fn rollback(&self) -> Result<(), Error<RollbackRaises>> {
        match self.drive(Event::Rollback)? {
            Some(Reply::Outcome(Outcome::RolledBack) | Reply::Done) => Ok(()),
            Some(Reply::Outcome(Outcome::Heuristic { what, .. })) => Err(Error::User(match what {
                Heuristic::Commit => HeuristicCommit {}.into(),
                Heuristic::Hazard => HeuristicHazard {}.into(),
                Heuristic::Mixed | Heuristic::Rollback => HeuristicMixed {}.into(),
            })),
            Some(Reply::Outcome(Outcome::Committed) | Reply::Refused) => {
                Err(Error::User(HeuristicCommit {}.into()))
            }
            _ => Err(again().into()),
        }
    }

    fn commit_one_phase(&self) -> Result<(), Error<CommitOnePhaseRaises>> {
        match self.drive(Event::CommitOnePhase)? {
            Some(Reply::Outcome(Outcome::Committed)) => Ok(()),
            Some(Reply::Outcome(Outcome::RolledBack)) => Err(rolled_back().into()),
            Some(Reply::Outcome(Outcome::Heuristic { .. } | Outcome::Unknown)) => {
                Err(Error::User(HeuristicHazard {}.into()))
            }
            _ => Err(again().with_completed(Completion::Maybe).into()),
        }
    }

    fn forget(&self) -> Result<(), SystemException> {
        self.drive(Event::Forget).map(|_| ())
    }
}

pub(super) struct Synchronizations(pub(super) Arc<Site>);

impl TransactionalObject for Synchronizations {}

impl Synchronization for Synchronizations {
    fn before_completion(&self) -> Result<(), SystemException> {
        let (entry, _) = entry(&self.0)?;
        match self.0.engine.drive(&entry, Event::BeforeCompletion) {
            Some(Reply::Done) => Ok(()),
            _ => Err(rolled_back()),
        }
    }

    /// The resource of the subordinate hears of the outcome, and tells its own synchronizations. One
    /// without a resource hears of it here.
    fn after_completion(&self, s: Status) -> Result<(), SystemException> {
        let (entry, _) = entry(&self.0)?;
        if entry.subordinate && entry.machine().participants().is_empty() {
            let event = match s {
                // Without participants a vote is the end.
                Status::StatusCommitted => Event::Prepare,
                _ => Event::Rollback,
            };
            self.0.engine.drive(&entry, event);
        }
        Ok(())
    }
}
