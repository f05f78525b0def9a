//! What a transaction is told, and what it wants done.

use super::record::Record;
use super::status::{Heuristic, Outcome, Status, Vote};

/// Something that has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Its originator wants it committed.
    Commit,
    /// The superior of a subtransaction has committed it.
    CommitSubtransaction,
    /// Its originator, a participant or an operator wants it rolled back, or its superior has decided
    /// so.
    Rollback,
    /// It can only be rolled back from now on.
    RollbackOnly,
    /// A request begins to work in it.
    CallBegan,
    /// Such a request has ended.
    CallEnded,
    /// The superior is about to ask for votes: `before_completion` of a subordinate.
    BeforeCompletion,
    /// The superior asks for the vote.
    Prepare,
    /// The superior has decided to commit.
    CommitPrepared,
    /// The superior leaves the decision to this coordinator.
    CommitOnePhase,
    /// The superior, or an operator, needs the heuristic outcome no longer.
    Forget,
    /// An operator gives up those that were not reached since the decision.
    Abandon,
    /// A synchronization has returned from `before_completion`.
    Before {
        /// Which one.
        synchronization: usize,
        /// Whether it has raised an exception.
        failed: bool,
    },
    /// A participant has answered `prepare`.
    Voted(usize, Result<Vote, Refusal>),
    /// A participant has answered `commit_one_phase`.
    OnePhase(usize, Result<(), Refusal>),
    /// A participant has answered `commit` or `rollback`, whichever it was told.
    Delivered(usize, Result<(), Refusal>),
    /// What has become of the record that was to be forced.
    Forced(Forced),
    /// Whether the transaction above a subtransaction has its participants now.
    Inherited(bool),
    /// What the superior says about the outcome.
    Superior(SuperiorAnswer),
    /// A participant asks for the outcome: `replay_completion`; or somebody of whom nothing is known.
    Replay(Option<usize>),
    /// Whoever is in this place, or else the superior, is at a host that does not answer: it is called
    /// once that does.
    Held(Option<usize>),
    /// A host answers for which this has waited: [`Event::Tick`] follows.
    Answers,
    /// Time has passed.
    Tick,
    /// An operator decides what the superior would have decided.
    Decide {
        /// To commit.
        commit: bool,
    },
}

/// What an operator decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// To commit what is in doubt, in place of its superior.
    Commit,
    /// To roll back what is in doubt or active.
    Rollback,
    /// To forget heuristic outcomes, and participants that cannot be reached.
    Forget,
}

impl From<Decision> for Event {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Commit => Self::Decide { commit: true },
            Decision::Rollback => Self::Decide { commit: false },
            Decision::Forget => Self::Abandon,
        }
    }
}

/// What has become of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forced {
    /// It survives everything.
    Durable,
    /// It is certainly not there.
    Absent,
    /// Nobody knows: after a failed `fsync` it may be there or not.
    Unknown,
}

/// Why a participant has not done what it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It could not be reached, or has not answered.
    Unreachable {
        /// Whether it may have done it all the same.
        maybe_done: bool,
    },
    /// It has answered, and certainly not done it: `TRANSIENT`, `COMPLETED_NO`.
    Later,
    /// There is no such object any more: `OBJECT_NOT_EXIST`.
    Gone,
    /// It has rolled back: `TRANSACTION_ROLLEDBACK`.
    RolledBack,
    /// It has not prepared: `NotPrepared`.
    NotPrepared,
    /// It has decided on its own.
    Heuristic(Heuristic),
    /// Another exception, which says nothing about the outcome.
    Other,
}

/// What a superior answers to `replay_completion`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuperiorAnswer {
    /// It has decided to commit.
    Committed,
    /// It could not be reached.
    Unreachable,
    /// It has rolled back, or knows nothing of the transaction, which is the same.
    RolledBack,
    /// It has not decided yet, or gives an answer that is not understood.
    AskAgain,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Call `before_completion` of a synchronization, and bring [`Event::Before`].
    Before(usize),
    /// Call `after_completion` of a synchronization. Its answer does not matter.
    After(usize, Status),
    /// Call `prepare` of a participant, and bring [`Event::Voted`].
    Prepare(usize),
    /// Call `commit_one_phase` of a participant, and bring [`Event::OnePhase`].
    CommitOnePhase(usize),
    /// Call `commit` of a participant, and bring [`Event::Delivered`].
    Commit(usize),
    /// Call `rollback` of a participant, and bring [`Event::Delivered`].
    Rollback(usize),
    /// Call `forget` of a participant. Its answer does not matter.
    Forget(usize),
    /// Let the transaction above have all participants of a subtransaction, and bring
    /// [`Event::Inherited`].
    Bequeath,
    /// Force a record to the disk, and bring [`Event::Forced`].
    Force(Record),
    /// Write a record, which may get lost.
    Write(Record),
    /// Call `replay_completion` of the superior, and bring [`Event::Superior`].
    AskSuperior,
    /// Tell whoever has brought the event.
    Reply(Reply),
    /// Nothing is left of the transaction: it leaves the table, and its records may go.
    End,
}

/// What whoever has brought an event is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// It is done.
    Done,
    /// How the transaction has ended.
    Outcome(Outcome),
    /// The vote for the superior.
    Vote(Vote),
    /// Where the transaction is.
    Status(Status),
    /// The transaction has not prepared.
    NotPrepared,
    /// It is not in a state for that: what was asked for makes no sense.
    Refused,
    /// Another thread is at it, or the log has failed: ask again.
    Busy,
}
