//! A transaction at one of its coordinators.

use super::backoff::{Backoff, Time};
use super::event::{Action, Event, Reply};
use super::identity::{GlobalId, Key};
use super::participant::{Participant, Progress};
use super::status::{Heuristic, RollbackReason, Status};
use std::sync::Arc;
use std::time::Duration;

/// What holds for all transactions of a coordinator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// When those are tried again that could not be reached.
    pub backoff: Backoff,
    /// For how long a subordinate in doubt waits before it asks its superior.
    pub patience: Duration,
    /// How long a call to another process takes at most that tells of the decision, or asks for it.
    pub call: Duration,
    /// Whether a transaction in which calls are still under way rolls back instead of committing
    /// (Transaction Service 1.4, 2.9.3).
    pub checked: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            backoff: Backoff::default(),
            patience: Duration::from_secs(2),
            call: Duration::from_secs(10),
            checked: true,
        }
    }
}

/// A registration that is refused: the transaction is ending, or has ended. `Inactive`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterError;

/// What is to be achieved, and so what whoever waits is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The originator commits.
    Commit,
    /// The superior asks for a vote.
    Vote,
    /// The superior leaves the decision to this coordinator.
    OnePhase,
    /// Synchronizations are called before the superior asks for votes.
    Before,
    /// A decision is carried out.
    Decision,
}

/// Which record is being forced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    Commit,
    Prepared,
    OperatorsRollback,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Active,
    /// A synchronization is being called.
    Before,
    Voting,
    /// The only participant decides.
    Deciding,
    Forcing(Goal),
    /// In doubt.
    Prepared,
    /// Participants are told, or wait to be told again.
    Delivering {
        commit: bool,
    },
    /// Heuristic outcomes are being forced.
    Recording {
        commit: bool,
    },
    /// Somebody has to hear of a heuristic outcome.
    Heuristic {
        commit: bool,
    },
    Ended {
        commit: bool,
    },
    /// The decision may be on the disk or not. Only reading the log tells.
    Stuck,
}

/// What a coordinator knows of a transaction.
#[derive(Debug)]
pub struct Transaction {
    pub(super) key: Key,
    pub(super) global: GlobalId,
    pub(super) subordinate: bool,
    /// Whether it is a part of another one, which has what it has done when it commits.
    pub(super) nested: bool,
    /// Whom a subordinate asks for the outcome.
    pub(super) superior: Option<Arc<str>>,
    pub(super) options: Options,
    pub(super) phase: Phase,
    pub(super) participants: Vec<Participant>,
    pub(super) synchronizations: usize,
    /// The synchronization that is called next.
    pub(super) next_synchronization: usize,
    pub(super) deadline: Option<Time>,
    pub(super) rollback_only: bool,
    pub(super) timed_out: bool,
    /// Why it can only be rolled back: what came first.
    pub(super) reason: Option<RollbackReason>,
    /// Since when it waits for the decision of its superior.
    pub(super) in_doubt_since: Time,
    /// The requests that work in it.
    pub(super) calls: u32,
    /// The subtransactions in it that have not ended.
    pub(super) parts: u32,
    pub(super) purpose: Purpose,
    /// Whether whoever has brought an event waits for the reply.
    pub(super) asked: bool,
    /// Whether synchronizations and whoever waited have heard of the outcome.
    pub(super) told: bool,
    /// Whether the log has a record.
    pub(super) logged: bool,
    /// What an operator has decided.
    pub(super) by_operator: Option<bool>,
    /// Whether the superior has decided otherwise than the operator.
    pub(super) contradicted: bool,
    /// Whether there are heuristic outcomes that the log does not have.
    pub(super) unrecorded: bool,
    /// When the superior is asked, and how often it was.
    pub(super) ask_at: Time,
    pub(super) asks: u32,
    pub(super) now: Time,
    pub(super) out: Vec<Action>,
}

impl Transaction {
    /// A transaction whose coordinator decides. `deadline` is when it rolls back by itself.
    pub fn root(key: Key, global: GlobalId, deadline: Option<Time>, options: Options) -> Self {
        Self {
            key,
            global,
            subordinate: false,
            nested: false,
            superior: None,
            options,
            phase: Phase::Active,
            participants: Vec::new(),
            synchronizations: 0,
            next_synchronization: 0,
            deadline,
            rollback_only: false,
            timed_out: false,
            reason: None,
            in_doubt_since: Time::ZERO,
            calls: 0,
            parts: 0,
            purpose: Purpose::Decision,
            asked: false,
            told: false,
            logged: false,
            by_operator: None,
            contradicted: false,
            unrecorded: false,
            ask_at: Time::MAX,
            asks: 0,
            now: Time::ZERO,
            out: Vec::new(),
        }
    }

    /// One whose superior decides.
    pub fn subordinate(
        key: Key,
        global: GlobalId,
        deadline: Option<Time>,
        options: Options,
    ) -> Self {
        Self { subordinate: true, ..Self::root(key, global, deadline, options) }
    }

    /// The same as a part of another transaction: a subtransaction. It asks for no votes and writes
    /// nothing. When it commits, its participants are those of the other one; when it rolls back, they
    /// roll back.
    #[must_use]
    pub fn nested(self) -> Self {
        Self { nested: true, ..self }
    }

    /// Its number at this coordinator.
    pub const fn key(&self) -> Key {
        self.key
    }

    /// The identifier that all coordinators share.
    pub const fn global(&self) -> &GlobalId {
        &self.global
    }

    /// Whether a superior decides.
    pub const fn is_subordinate(&self) -> bool {
        self.subordinate
    }

    /// Whom a subordinate asks for the outcome, once it has registered there.
    pub const fn superior(&self) -> Option<&Arc<str>> {
        self.superior.as_ref()
    }

    /// Notes where this subordinate has registered.
    pub fn set_superior(&mut self, superior: Arc<str>) {
        self.superior = Some(superior);
    }

    /// Its participants, in the order in which they were registered.
    pub fn participants(&self) -> &[Participant] {
        &self.participants
    }

    /// When it rolls back by itself.
    pub const fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Whether its time was up.
    pub const fn has_timed_out(&self) -> bool {
        self.timed_out
    }

    /// Why it was rolled back, or can only be.
    pub const fn rollback_reason(&self) -> Option<RollbackReason> {
        self.reason
    }

    /// Since when it waits for the decision of its superior; `None` if it does not.
    pub fn in_doubt_since(&self) -> Option<Time> {
        (self.phase == Phase::Prepared).then_some(self.in_doubt_since)
    }

    pub(super) fn because(&mut self, reason: RollbackReason) {
        self.reason.get_or_insert(reason);
    }

    /// Whether work may be done in it.
    pub fn is_active(&self) -> bool {
        self.phase == Phase::Active || self.phase == Phase::Before
    }

    /// Whether requests are at work in it.
    pub const fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// Whether the log could not be written when the decision was made.
    pub fn is_stuck(&self) -> bool {
        self.phase == Phase::Stuck
    }

    /// Whether an operator has to look at it: a heuristic outcome is there.
    pub fn heuristic(&self) -> Option<Heuristic> {
        match self.phase {
            Phase::Delivering { commit }
            | Phase::Recording { commit }
            | Phase::Heuristic { commit } => {
                let own = || match (self.contradicted, commit) {
                    (false, _) => None,
                    (true, true) => Some(Heuristic::Commit),
                    (true, false) => Some(Heuristic::Rollback),
                };
                self.combined(commit).or_else(own)
            }
            _ => None,
        }
    }

    /// What an operator has decided in the superior's place.
    pub const fn operators_decision(&self) -> Option<bool> {
        self.by_operator
    }

    /// Where it is.
    pub fn status(&self) -> Status {
        match self.phase {
            Phase::Active | Phase::Before if self.rollback_only => Status::MarkedRollback,
            Phase::Active | Phase::Before => Status::Active,
            Phase::Voting | Phase::Deciding | Phase::Forcing(Goal::Commit | Goal::Prepared) => {
                Status::Preparing
            }
            Phase::Prepared | Phase::Forcing(Goal::OperatorsRollback) => Status::Prepared,
            Phase::Delivering { commit: true } | Phase::Recording { commit: true } => {
                Status::Committing
            }
            Phase::Delivering { commit: false } | Phase::Recording { commit: false } => {
                Status::RollingBack
            }
            Phase::Heuristic { commit: true } | Phase::Ended { commit: true } => Status::Committed,
            Phase::Heuristic { commit: false } | Phase::Ended { commit: false } => {
                Status::RolledBack
            }
            Phase::Stuck => Status::Unknown,
        }
    }

    /// Registers a participant, and returns its place.
    ///
    /// # Errors
    /// The transaction is ending.
    pub fn register(&mut self, name: Arc<str>) -> Result<usize, RegisterError> {
        if !self.is_active() {
            return Err(RegisterError);
        }
        self.participants.push(Participant::new(name));
        Ok(self.participants.len() - 1)
    }

    /// Registers a synchronization, and returns its place.
    ///
    /// # Errors
    /// The transaction is ending.
    pub fn register_synchronization(&mut self) -> Result<usize, RegisterError> {
        if !self.is_active() {
            return Err(RegisterError);
        }
        self.synchronizations += 1;
        Ok(self.synchronizations - 1)
    }

    /// When it wants to hear of the time again: [`Event::Tick`].
    pub fn wake_at(&self) -> Option<Time> {
        let asks = Some(self.ask_at).filter(|at| *at != Time::MAX);
        match self.phase {
            Phase::Active | Phase::Before => self.deadline,
            Phase::Prepared | Phase::Heuristic { .. } => asks,
            Phase::Delivering { commit: true } if self.told => {
                let waiting = self.participants.iter().filter_map(|it| match it.progress {
                    Progress::Waiting { next, .. } => Some(next),
                    _ => None,
                });
                waiting.min()
            }
            _ => None,
        }
    }

    /// A request begins to work in it: [`Event::CallBegan`], for which nothing is to be done at once.
    pub const fn call_began(&mut self) {
        self.calls = self.calls.saturating_add(1);
    }

    /// Such a request has ended: [`Event::CallEnded`].
    pub const fn call_ended(&mut self) {
        self.calls = self.calls.saturating_sub(1);
    }

    /// A subtransaction begins in it that can end in two ways.
    ///
    /// # Errors
    /// The transaction is ending.
    pub fn part_began(&mut self) -> Result<(), RegisterError> {
        if !self.is_active() {
            return Err(RegisterError);
        }
        self.parts = self.parts.saturating_add(1);
        Ok(())
    }

    /// Whether a subtransaction may have committed elsewhere: if it rolls back all the same, the
    /// transaction above must.
    pub const fn has_begun_to_commit(&self) -> bool {
        self.nested && self.next_synchronization > 0
    }

    /// Such a subtransaction has ended.
    pub const fn part_ended(&mut self) {
        self.parts = self.parts.saturating_sub(1);
    }

    /// What is to be done after an event.
    pub fn handle(&mut self, event: Event, now: Time) -> Vec<Action> {
        self.now = now;
        match event {
            Event::Commit => self.commit(),
            Event::CommitSubtransaction => self.commit_subtransaction(),
            Event::Rollback => self.roll_back_as_told(),
            Event::RollbackOnly => self.mark(),
            Event::CallBegan => self.call_began(),
            Event::CallEnded => self.call_ended(),
            Event::BeforeCompletion => self.prepare_for(Purpose::Before),
            Event::Prepare => self.prepare(),
            Event::CommitPrepared => self.commit_as_told(),
            Event::CommitOnePhase => self.commit_one_phase(),
            Event::Forget => self.forget(),
            Event::Abandon => self.abandon(),
            Event::Before { failed, .. } => self.before(failed),
            Event::Voted(which, answer) => self.voted(which, answer),
            Event::OnePhase(which, answer) => self.one_phase(which, answer),
            Event::Delivered(which, answer) => self.delivered(which, answer),
            Event::Forced(what) => self.forced(what),
            Event::Inherited(taken) => self.inherited(taken),
            Event::Superior(answer) => self.superior_says(answer),
            Event::Replay(which) => self.replay(which),
            Event::Held(which) => self.hold(which),
            Event::Answers => self.go_on(),
            Event::Tick => self.tick(),
            Event::Decide { commit } => self.decide(commit),
        }
        std::mem::take(&mut self.out)
    }

    pub(super) fn act(&mut self, action: Action) {
        self.out.push(action);
    }

    /// Replies to the event that is being handled.
    pub(super) fn reply(&mut self, reply: Reply) {
        self.out.push(Action::Reply(reply));
    }

    /// Replies to whoever waits for what is under way.
    pub(super) fn answer(&mut self, reply: Reply) {
        if std::mem::take(&mut self.asked) {
            self.reply(reply);
        }
    }

    fn mark(&mut self) {
        match self.phase {
            Phase::Active | Phase::Before => {
                self.because(RollbackReason::Marked);
                self.rollback_only = true;
                self.reply(Reply::Done);
            }
            _ => self.reply(Reply::Refused),
        }
    }
}
