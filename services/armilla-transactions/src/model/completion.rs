//! From the wish to commit to the decision.

use super::event::{Action, Forced, Refusal, Reply};
use super::mistakes::{self, Mistake};
use super::participant::Progress;
use super::record::{Kind, Record};
use super::status::{Heuristic, Outcome, RollbackReason, Vote};
use super::transaction::{Goal, Phase, Purpose, Transaction};

impl Transaction {
    pub(super) fn commit(&mut self) {
        match self.subordinate {
            true => self.reply(Reply::Refused),
            false => self.prepare_for(Purpose::Commit),
        }
    }

    /// The superior has committed a subtransaction.
    pub(super) fn commit_subtransaction(&mut self) {
        match self.nested {
            true => self.prepare_for(Purpose::Commit),
            false => self.reply(Reply::Refused),
        }
    }

    /// The superior asks for the vote. It may ask twice.
    pub(super) fn prepare(&mut self) {
        match self.phase {
            Phase::Active if self.nested => self.reply(Reply::Refused),
            Phase::Active => self.prepare_for(Purpose::Vote),
            Phase::Prepared => self.reply(Reply::Vote(Vote::Commit)),
            Phase::Delivering { commit: false } | Phase::Ended { commit: false } => {
                self.reply(Reply::Vote(Vote::Rollback));
            }
            _ => self.reply(Reply::Busy),
        }
    }

    pub(super) fn commit_one_phase(&mut self) {
        match self.nested {
            true => self.reply(Reply::Refused),
            false => self.prepare_for(Purpose::OnePhase),
        }
    }

    pub(super) fn prepare_for(&mut self, purpose: Purpose) {
        match self.phase {
            Phase::Active => {}
            Phase::Delivering { commit: false } | Phase::Ended { commit: false } => {
                return self.reply(Reply::Outcome(Outcome::RolledBack));
            }
            _ => return self.reply(Reply::Refused),
        }
        (self.purpose, self.asked) = (purpose, true);
        let late = self.is_late();
        self.timed_out |= late;
        // Synchronizations are not called for a transaction that cannot commit.
        let calls = self.options.checked && self.calls > 0 || self.parts > 0;
        if late {
            self.because(RollbackReason::TimedOut);
        } else if calls {
            self.because(RollbackReason::Calls);
        }
        if self.rollback_only || late || calls {
            return self.cannot_commit();
        }
        self.phase = Phase::Before;
        self.next_before();
    }

    fn next_before(&mut self) {
        if self.next_synchronization < self.synchronizations {
            self.next_synchronization += 1;
            return self.act(Action::Before(self.next_synchronization - 1));
        }
        match self.purpose {
            Purpose::Before => {
                self.phase = Phase::Active;
                self.answer(Reply::Done);
            }
            _ => self.vote(),
        }
    }

    pub(super) fn before(&mut self, failed: bool) {
        if self.phase != Phase::Before {
            return;
        }
        if failed {
            self.because(RollbackReason::Synchronization);
        }
        self.rollback_only |= failed;
        match self.rollback_only {
            true => self.cannot_commit(),
            false => self.next_before(),
        }
    }

    fn cannot_commit(&mut self) {
        if self.purpose == Purpose::Before {
            self.rollback_only = true;
            self.phase = Phase::Active;
            return self.answer(Reply::Outcome(Outcome::RolledBack));
        }
        self.deliver(false);
    }

    /// Asks participants, or the only one to decide.
    fn vote(&mut self) {
        if self.nested {
            self.phase = Phase::Deciding;
            return self.act(Action::Bequeath);
        }
        let decides = matches!(self.purpose, Purpose::Commit | Purpose::OnePhase);
        match self.participants.len() {
            0 => self.read_only(),
            1 if decides => {
                self.phase = Phase::Deciding;
                self.participants[0].progress = Progress::Asked;
                self.act(Action::CommitOnePhase(0));
            }
            _ => {
                self.phase = Phase::Voting;
                for which in 0..self.participants.len() {
                    self.participants[which].progress = Progress::Asked;
                    self.act(Action::Prepare(which));
                }
            }
        }
    }

    /// Nobody has changed anything.
    fn read_only(&mut self) {
        self.phase = Phase::Delivering { commit: true };
        self.settle(true);
    }

    pub(super) fn voted(&mut self, which: usize, answer: Result<Vote, Refusal>) {
        let Some(participant) = self.participants.get_mut(which) else { return };
        if self.phase != Phase::Voting || participant.progress != Progress::Asked {
            return;
        }
        let refused = !matches!(answer, Ok(Vote::Commit | Vote::ReadOnly));
        participant.progress = match answer {
            Ok(Vote::Commit) => Progress::Prepared,
            Ok(Vote::ReadOnly | Vote::Rollback) => Progress::Done,
            Err(Refusal::Gone | Refusal::RolledBack) => Progress::Done,
            // What it did alone, all do now.
            Err(Refusal::Heuristic(Heuristic::Rollback)) => {
                self.out.push(Action::Forget(which));
                Progress::Done
            }
            Err(Refusal::Heuristic(what)) => {
                self.unrecorded = true;
                Progress::Heuristic(what)
            }
            // It may have prepared: it is told.
            Err(
                Refusal::Unreachable { .. }
                | Refusal::Later
                | Refusal::NotPrepared
                | Refusal::Other,
            ) => Progress::Registered,
        };
        if refused {
            self.because(RollbackReason::Vote);
        }
        self.rollback_only |= refused;
        if self.participants.iter().any(|it| it.progress == Progress::Asked) {
            return;
        }
        // A vote may take longer than the transaction has.
        if self.is_late() {
            self.timed_out = true;
            self.because(RollbackReason::TimedOut);
        }
        if self.rollback_only || self.timed_out {
            return self.deliver(false);
        }
        if !self.participants.iter().any(|it| it.progress == Progress::Prepared) {
            return self.read_only();
        }
        match self.purpose {
            Purpose::Vote => self.force_prepared(),
            _ => self.force_commit(),
        }
    }

    /// The transaction above a subtransaction has its participants, or has ended.
    pub(super) fn inherited(&mut self, taken: bool) {
        if self.phase != Phase::Deciding || !self.nested {
            return;
        }
        if !taken {
            self.because(RollbackReason::Superior);
            return self.deliver(false);
        }
        for participant in &mut self.participants {
            participant.progress = Progress::Done;
        }
        self.conclude(true);
    }

    pub(super) fn one_phase(&mut self, which: usize, answer: Result<(), Refusal>) {
        if self.phase != Phase::Deciding || which != 0 || self.nested {
            return;
        }
        let participant = &mut self.participants[0];
        let commit = match answer {
            Ok(()) => true,
            Err(Refusal::RolledBack | Refusal::Gone) => false,
            // What the only one has done is what was decided.
            Err(Refusal::Heuristic(what @ (Heuristic::Commit | Heuristic::Rollback))) => {
                self.out.push(Action::Forget(0));
                what == Heuristic::Commit
            }
            Err(Refusal::Unreachable { maybe_done: false } | Refusal::Later) => {
                participant.progress = Progress::Registered;
                self.because(RollbackReason::Vote);
                return self.deliver(false);
            }
            Err(refusal) => {
                let what = match refusal {
                    Refusal::Heuristic(what) => what,
                    // It has decided, and nobody knows what.
                    _ => Heuristic::Hazard,
                };
                participant.progress = Progress::Heuristic(what);
                (self.unrecorded, participant.told) = (true, true);
                return self.conclude(true);
            }
        };
        participant.progress = Progress::Done;
        participant.told = true;
        if !commit {
            self.because(RollbackReason::Vote);
        }
        self.conclude(commit);
    }

    fn force_prepared(&mut self) {
        let Some(superior) = self.superior.clone() else {
            // Nobody could be asked for the outcome after a crash.
            return self.deliver(false);
        };
        let (global, participants) = (self.global.clone(), self.prepared());
        let kind = Kind::Prepared { global, superior, participants };
        if mistakes::has(Mistake::VotesBeforeForce) {
            self.phase = Phase::Prepared;
            self.answer(Reply::Vote(Vote::Commit));
        }
        self.force(Goal::Prepared, kind);
    }

    pub(super) fn force_commit(&mut self) {
        let kind = Kind::Committed {
            global: self.global.clone(),
            superior: self.superior.clone(),
            participants: self.prepared(),
            by_operator: self.by_operator.is_some(),
        };
        if mistakes::has(Mistake::DeliversBeforeForce) {
            self.deliver(true);
        }
        self.force(Goal::Commit, kind);
    }

    fn prepared(&self) -> Vec<std::sync::Arc<str>> {
        let prepared = self.participants.iter().filter(|it| it.progress == Progress::Prepared);
        prepared.map(|it| it.name.clone()).collect()
    }

    pub(super) fn force(&mut self, goal: Goal, kind: Kind) {
        let early = [Mistake::VotesBeforeForce, Mistake::DeliversBeforeForce];
        if !early.into_iter().any(mistakes::has) || self.phase == Phase::Voting {
            self.phase = Phase::Forcing(goal);
        }
        self.logged = true;
        self.act(Action::Force(Record { key: self.key, kind }));
    }

    pub(super) fn forced(&mut self, what: Forced) {
        let is_durable = what == Forced::Durable;
        match self.phase {
            Phase::Forcing(Goal::Commit) if is_durable => self.deliver(true),
            // The record before stays true: the superior tells again, or is asked again.
            Phase::Forcing(Goal::Commit | Goal::OperatorsRollback)
                if !is_durable && self.purpose == Purpose::Decision =>
            {
                self.by_operator = None;
                self.phase = Phase::Prepared;
                self.ask_later();
                self.answer(Reply::Busy);
            }
            Phase::Forcing(Goal::Commit)
                if what == Forced::Absent || mistakes::has(Mistake::RollsBackAfterFailedForce) =>
            {
                self.logged = what != Forced::Absent;
                self.because(RollbackReason::Log);
                self.deliver(false);
            }
            Phase::Forcing(Goal::Commit) => {
                self.phase = Phase::Stuck;
                self.answer(Reply::Outcome(Outcome::Unknown));
            }
            Phase::Forcing(Goal::Prepared) if is_durable && !self.rollback_only => {
                self.phase = Phase::Prepared;
                self.in_doubt_since = self.now;
                self.ask_at = self.now + self.options.patience;
                self.answer(Reply::Vote(Vote::Commit));
            }
            // A vote to roll back is right whether the record is there or not: the superior has
            // rolled back when it is asked.
            Phase::Forcing(Goal::Prepared | Goal::OperatorsRollback) => {
                if self.by_operator.is_none() {
                    self.because(RollbackReason::Log);
                }
                self.deliver(false);
            }
            Phase::Recording { commit } => self.settle(commit),
            _ => {}
        }
    }
}
