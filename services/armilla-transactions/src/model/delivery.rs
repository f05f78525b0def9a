//! From the decision to the end.

use super::backoff::Time;
use super::event::{Action, Refusal, Reply};
use super::mistakes::{self, Mistake};
use super::participant::Progress;
use super::record::{Kind, Record};
use super::status::{Heuristic, Outcome, RollbackReason, Status, Vote};
use super::transaction::{Phase, Purpose, Transaction};

impl Transaction {
    /// Tells those whom the decision concerns.
    pub(super) fn deliver(&mut self, commit: bool) {
        self.phase = Phase::Delivering { commit };
        if !commit {
            self.because(match self.subordinate {
                true => RollbackReason::Superior,
                false => RollbackReason::Asked,
            });
        }
        for which in 0..self.participants.len() {
            let participant = &mut self.participants[which];
            match participant.progress {
                Progress::Prepared => {}
                Progress::Registered | Progress::Asked if !commit => {}
                _ => continue,
            }
            participant.progress = Progress::Telling { attempts: 0 };
            self.tell(which, commit);
        }
        self.conclude(commit);
    }

    fn tell(&mut self, which: usize, commit: bool) {
        self.act(match commit {
            true => Action::Commit(which),
            false => Action::Rollback(which),
        });
    }

    pub(super) fn delivered(&mut self, which: usize, answer: Result<(), Refusal>) {
        let Phase::Delivering { commit } = self.phase else { return };
        let Some(participant) = self.participants.get_mut(which) else { return };
        let Progress::Telling { attempts } = participant.progress else { return };
        let told_before = participant.told;
        // One that was certainly not reached has heard nothing.
        let nothing =
            matches!(answer, Err(Refusal::Unreachable { maybe_done: false } | Refusal::Later));
        participant.told |= !nothing;
        let agrees = |what| what == if commit { Heuristic::Commit } else { Heuristic::Rollback };
        participant.progress = match answer {
            Ok(()) => Progress::Done,
            // It has heard of the decision before, followed it, and forgotten.
            Err(Refusal::Gone) if !commit || told_before => Progress::Done,
            Err(Refusal::Gone) => Progress::Heuristic(Heuristic::Hazard),
            Err(Refusal::RolledBack | Refusal::NotPrepared) if !commit => Progress::Done,
            Err(Refusal::RolledBack) => Progress::Heuristic(Heuristic::Rollback),
            Err(Refusal::NotPrepared) => Progress::Heuristic(Heuristic::Hazard),
            Err(Refusal::Heuristic(what)) if agrees(what) => {
                self.out.push(Action::Forget(which));
                Progress::Done
            }
            Err(Refusal::Heuristic(what)) => Progress::Heuristic(what),
            // It asks, and who knows nothing has rolled back.
            Err(Refusal::Unreachable { .. } | Refusal::Later | Refusal::Other) if !commit => {
                Progress::Done
            }
            Err(Refusal::Unreachable { .. } | Refusal::Later | Refusal::Other) => {
                let attempts = attempts.saturating_add(1);
                let next = self.options.backoff.after(self.now, attempts);
                match mistakes::has(Mistake::ForgetsTooEarly) {
                    true => Progress::Done,
                    false => Progress::Waiting { attempts, next },
                }
            }
        };
        let participant = &self.participants[which];
        self.unrecorded |= matches!(participant.progress, Progress::Heuristic(_));
        self.conclude(commit);
    }

    /// Ends the round if everybody has answered.
    pub(super) fn conclude(&mut self, commit: bool) {
        let telling = |progress| matches!(progress, Progress::Telling { .. });
        if self.participants.iter().any(|it| telling(it.progress)) {
            return;
        }
        if !std::mem::take(&mut self.unrecorded) {
            return self.settle(commit);
        }
        let participants = self.participants.iter().filter_map(|it| match it.progress {
            Progress::Heuristic(what) => Some((it.name.clone(), what)),
            _ => None,
        });
        let participants = participants.collect();
        let kind = Kind::Heuristic { committed: commit, global: self.global.clone(), participants };
        self.phase = Phase::Recording { commit };
        self.logged = true;
        self.act(Action::Force(Record { key: self.key, kind }));
    }

    /// Tells whoever waits, and looks at what is left to do.
    pub(super) fn settle(&mut self, commit: bool) {
        self.phase = Phase::Delivering { commit };
        if !std::mem::replace(&mut self.told, true) {
            let status = if commit { Status::Committed } else { Status::RolledBack };
            for which in 0..self.synchronizations {
                self.act(Action::After(which, status));
            }
            let reply = self.concluding_reply(commit);
            self.answer(reply);
        }
        let has =
            |wanted: fn(Progress) -> bool| self.participants.iter().any(|it| wanted(it.progress));
        if has(|it| matches!(it, Progress::Waiting { .. })) {
            return;
        }
        if has(|it| matches!(it, Progress::Heuristic(_))) || self.by_operator.is_some() {
            self.phase = Phase::Heuristic { commit };
            if self.by_operator.is_some() && self.ask_at == Time::MAX && !self.contradicted {
                self.ask_later();
            }
            return;
        }
        self.finish(commit);
    }

    fn concluding_reply(&self, commit: bool) -> Reply {
        if self.purpose == Purpose::Vote && self.combined(commit).is_none() {
            let vote = if commit { Vote::ReadOnly } else { Vote::Rollback };
            return Reply::Vote(vote);
        }
        Reply::Outcome(self.outcome(commit))
    }

    pub(super) fn outcome(&self, commit: bool) -> Outcome {
        match self.combined(commit) {
            Some(what) => Outcome::Heuristic { committed: commit, what },
            None if commit => Outcome::Committed,
            None => Outcome::RolledBack,
        }
    }

    /// What the heuristic outcomes of participants make together.
    pub(super) fn combined(&self, commit: bool) -> Option<Heuristic> {
        let mut against = None;
        let mut followed = false;
        for participant in &self.participants {
            match participant.progress {
                Progress::Heuristic(Heuristic::Mixed) => return Some(Heuristic::Mixed),
                Progress::Heuristic(Heuristic::Hazard) => against = Some(Heuristic::Hazard),
                Progress::Heuristic(what) => against = against.or(Some(what)),
                Progress::Waiting { .. } => followed = true,
                _ => followed |= participant.told,
            }
        }
        let opposite = if commit { Heuristic::Rollback } else { Heuristic::Commit };
        match against {
            Some(what) if what == opposite && followed => Some(Heuristic::Mixed),
            other => other,
        }
    }

    pub(super) fn finish(&mut self, commit: bool) {
        self.phase = Phase::Ended { commit };
        if self.logged {
            self.act(Action::Write(Record { key: self.key, kind: Kind::End }));
        }
        self.act(Action::End);
    }

    /// The superior has decided to commit. It says so until it is answered.
    pub(super) fn commit_as_told(&mut self) {
        match self.phase {
            Phase::Prepared => {
                (self.purpose, self.asked) = (Purpose::Decision, true);
                self.force_commit();
            }
            Phase::Active | Phase::Before | Phase::Voting => self.reply(Reply::NotPrepared),
            // This coordinator sees to it that the others hear of it.
            Phase::Delivering { commit: true } if self.told => {
                self.reply(Reply::Outcome(self.outcome(true)));
            }
            Phase::Heuristic { commit } => self.compare(true, commit),
            Phase::Ended { commit } => self.reply(Reply::Outcome(self.outcome(commit))),
            _ => self.reply(Reply::Busy),
        }
    }

    /// The originator, the superior or an operator wants it rolled back.
    pub(super) fn roll_back_as_told(&mut self) {
        match self.phase {
            Phase::Active | Phase::Prepared => {
                (self.purpose, self.asked) = (Purpose::Decision, true);
                self.deliver(false);
            }
            Phase::Before | Phase::Voting | Phase::Forcing(super::transaction::Goal::Prepared) => {
                self.rollback_only = true;
                self.reply(Reply::Busy);
            }
            Phase::Delivering { commit: false } | Phase::Ended { commit: false } => {
                self.reply(Reply::Outcome(self.outcome(false)));
            }
            Phase::Heuristic { commit } => self.compare(false, commit),
            Phase::Delivering { commit: true } if self.by_operator.is_some() => {
                self.contradicted = true;
                let what = Heuristic::Commit;
                self.reply(Reply::Outcome(Outcome::Heuristic { committed: true, what }));
            }
            Phase::Delivering { .. } | Phase::Deciding | Phase::Ended { .. } => {
                self.reply(Reply::Refused);
            }
            Phase::Forcing(_) | Phase::Recording { .. } | Phase::Stuck => self.reply(Reply::Busy),
        }
    }

    /// The superior's decision meets what has happened here.
    fn compare(&mut self, decided: bool, commit: bool) {
        let own = self.combined(commit);
        if own.is_none() && decided == commit {
            self.reply(Reply::Outcome(self.outcome(commit)));
            return self.finish(commit);
        }
        self.contradicted |= decided != commit;
        let what = own.unwrap_or(if commit { Heuristic::Commit } else { Heuristic::Rollback });
        self.reply(Reply::Outcome(Outcome::Heuristic { committed: commit, what }));
    }

    pub(super) fn forget(&mut self) {
        let Phase::Heuristic { commit } = self.phase else { return self.reply(Reply::Refused) };
        for which in 0..self.participants.len() {
            if let Progress::Heuristic(_) = self.participants[which].progress {
                self.participants[which].progress = Progress::Done;
                self.act(Action::Forget(which));
            }
        }
        self.reply(Reply::Done);
        self.finish(commit);
    }

    /// Gives up those that cannot be reached.
    pub(super) fn abandon(&mut self) {
        let telling = |progress| matches!(progress, Progress::Telling { .. });
        let busy = self.participants.iter().any(|it| telling(it.progress));
        match self.phase {
            Phase::Delivering { commit } if self.told && !busy => {
                for participant in &mut self.participants {
                    if let Progress::Waiting { .. } = participant.progress {
                        participant.progress = Progress::Done;
                    }
                }
                self.by_operator = None;
                self.phase = Phase::Heuristic { commit };
                self.forget();
            }
            Phase::Heuristic { .. } => self.forget(),
            Phase::Delivering { .. } | Phase::Recording { .. } => self.reply(Reply::Busy),
            _ => self.reply(Reply::Refused),
        }
    }
}
