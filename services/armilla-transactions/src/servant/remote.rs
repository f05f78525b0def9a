//! Participants in other processes, and what their exceptions mean.

use crate::corba::{
    self, CoordinatorRef, Resource as _, ResourceRef, SubtransactionAwareResource as _,
    SubtransactionAwareResourceRef, Synchronization as _, SynchronizationRef, resource,
};
use crate::current::internally;
use crate::model::{Heuristic, Refusal, Status, Vote};
use crate::resource::{Resource, ResourceError, Synchronization};
use armilla::{Completion, Error, ExceptionKind, Minor, SystemException};

/// A resource that is called over the ORB.
pub(crate) struct RemoteResource(pub(crate) ResourceRef);

/// What a system exception of a participant says about the outcome.
pub(crate) fn refusal(exception: &SystemException) -> Refusal {
    let maybe_done = exception.completed() != Completion::No;
    match exception.kind() {
        _ if has_not_answered(exception) => Refusal::Unreachable { maybe_done },
        ExceptionKind::ObjectNotExist => Refusal::Gone,
        ExceptionKind::TransactionRolledback => Refusal::RolledBack,
        ExceptionKind::CommFailure
        | ExceptionKind::Transient
        | ExceptionKind::Timeout
        | ExceptionKind::NoResponse
            if !maybe_done =>
        {
            Refusal::Later
        }
        _ => Refusal::Other,
    }
}

/// Whether an exception says that nothing came from the host: those of this ORB for connections.
pub(crate) fn has_not_answered(exception: &SystemException) -> bool {
    let minor = exception.minor();
    minor.is_of_refused_connection()
        || matches!(
            minor,
            Minor::CONNECT_FAILED
                | Minor::SEND_FAILED
                | Minor::SEND_TIMED_OUT
                | Minor::CONNECTION_LOST
                | Minor::CONNECTION_CLOSING
                | Minor::REPLY_TIMED_OUT
        )
}

fn system(exception: &SystemException) -> ResourceError {
    ResourceError::Refused(refusal(exception))
}

const fn heuristic(what: Heuristic) -> ResourceError {
    ResourceError::Heuristic(what)
}

impl Resource for RemoteResource {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        use resource::PrepareRaises as Raised;
        match internally(|| self.0.prepare()) {
            Ok(corba::Vote::VoteCommit) => Ok(Vote::Commit),
            Ok(corba::Vote::VoteRollback) => Ok(Vote::Rollback),
            Ok(corba::Vote::VoteReadOnly) => Ok(Vote::ReadOnly),
            Err(Error::User(Raised::HeuristicMixed(_))) => Err(heuristic(Heuristic::Mixed)),
            Err(Error::User(Raised::HeuristicHazard(_))) => Err(heuristic(Heuristic::Hazard)),
            Err(Error::System(exception)) => Err(system(&exception)),
        }
    }

    fn commit(&self) -> Result<(), ResourceError> {
        use resource::CommitRaises as Raised;
        internally(|| self.0.commit()).map_err(|error| match error {
            Error::User(Raised::NotPrepared(_)) => ResourceError::Refused(Refusal::NotPrepared),
            Error::User(Raised::HeuristicRollback(_)) => heuristic(Heuristic::Rollback),
            Error::User(Raised::HeuristicMixed(_)) => heuristic(Heuristic::Mixed),
            Error::User(Raised::HeuristicHazard(_)) => heuristic(Heuristic::Hazard),
            Error::System(exception) => system(&exception),
        })
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        use resource::RollbackRaises as Raised;
        internally(|| self.0.rollback()).map_err(|error| match error {
            Error::User(Raised::HeuristicCommit(_)) => heuristic(Heuristic::Commit),
            Error::User(Raised::HeuristicMixed(_)) => heuristic(Heuristic::Mixed),
            Error::User(Raised::HeuristicHazard(_)) => heuristic(Heuristic::Hazard),
            Error::System(exception) => system(&exception),
        })
    }

    fn commit_one_phase(&self) -> Result<(), ResourceError> {
        use resource::CommitOnePhaseRaises as Raised;
        internally(|| self.0.commit_one_phase()).map_err(|error| match error {
            Error::User(Raised::HeuristicHazard(_)) => heuristic(Heuristic::Hazard),
            Error::System(exception) => system(&exception),
        })
    }

    fn forget(&self) {
        // It keeps its memory until somebody tells it again.
        internally(|| self.0.forget()).ok();
    }
}

/// A synchronization that is called over the ORB.
pub(crate) struct RemoteSynchronization(pub(crate) SynchronizationRef);

impl Synchronization for RemoteSynchronization {
    fn before_completion(&self) -> Result<(), ResourceError> {
        internally(|| self.0.before_completion()).map_err(|exception| system(&exception))
    }

    fn after_completion(&self, status: Status) {
        internally(|| self.0.after_completion(wire(status))).ok();
    }
}

/// Hears of the end of a subtransaction over the ORB: before it commits, as after it has rolled back.
pub(crate) struct RemotePart {
    pub(crate) part: SubtransactionAwareResourceRef,
    /// The coordinator of the transaction above.
    pub(crate) parent: CoordinatorRef,
}

impl Synchronization for RemotePart {
    fn before_completion(&self) -> Result<(), ResourceError> {
        internally(|| self.part.commit_subtransaction(&self.parent))
            .map_err(|exception| system(&exception))
    }

    fn after_completion(&self, status: Status) {
        if status == Status::RolledBack {
            internally(|| self.part.rollback_subtransaction()).ok();
        }
    }
}

/// The status in the order of the OMG.
pub(crate) fn wire(status: Status) -> corba::Status {
    match status {
        Status::Active => corba::Status::StatusActive,
        Status::MarkedRollback => corba::Status::StatusMarkedRollback,
        Status::Prepared => corba::Status::StatusPrepared,
        Status::Committed => corba::Status::StatusCommitted,
        Status::RolledBack => corba::Status::StatusRolledBack,
        Status::Unknown => corba::Status::StatusUnknown,
        Status::NoTransaction => corba::Status::StatusNoTransaction,
        Status::Preparing => corba::Status::StatusPreparing,
        Status::Committing => corba::Status::StatusCommitting,
        Status::RollingBack => corba::Status::StatusRollingBack,
    }
}
