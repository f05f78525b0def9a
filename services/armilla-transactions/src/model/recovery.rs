//! After a crash, and while somebody cannot be reached.

use super::backoff::Time;
use super::event::{Action, Reply, SuperiorAnswer};
use super::identity::Key;
use super::mistakes::{self, Mistake};
use super::participant::{Participant, Progress};
use super::record::{Kind, Record};
use super::status::{RollbackReason, Status};
use super::transaction::{Goal, Options, Phase, Purpose, Transaction};
use std::collections::BTreeMap;

/// After which time one is called again whose host does not answer, whoever finds out when it does.
const HELD: Time = Time::from_secs(3600);

/// The transactions that the records of a log tell of, in no order. Those in doubt ask their
/// superiors, and those that were decided tell their participants, as soon as they hear of the time.
pub fn recover(records: &[Record], now: Time, options: Options) -> Vec<Transaction> {
    let mut found = BTreeMap::<Key, Vec<&Kind>>::new();
    for record in records {
        match &record.kind {
            Kind::End => drop(found.remove(&record.key)),
            kind => found.entry(record.key).or_default().push(kind),
        }
    }
    let restored = found.into_iter().filter_map(|(key, kinds)| restore(key, &kinds, now, options));
    restored.collect()
}

/// Makes one transaction of its records. `None` if they do not say which one it is.
fn restore(key: Key, kinds: &[&Kind], now: Time, options: Options) -> Option<Transaction> {
    let mut restored: Option<Transaction> = None;
    for kind in kinds {
        match kind {
            Kind::Prepared { global, superior, participants } => {
                let mut it = Transaction::subordinate(key, global.clone(), None, options);
                it.superior = Some(superior.clone());
                it.phase = Phase::Prepared;
                it.in_doubt_since = now;
                it.participants = participants.iter().cloned().map(Participant::new).collect();
                it.participants.iter_mut().for_each(|it| it.progress = Progress::Prepared);
                it.ask_at = now;
                restored = Some(it);
            }
            Kind::Committed { global, superior, participants, by_operator } => {
                let mut it = Transaction::root(key, global.clone(), None, options);
                it.subordinate = superior.is_some();
                it.superior = superior.clone();
                it.phase = Phase::Delivering { commit: true };
                it.participants = participants.iter().cloned().map(Participant::new).collect();
                for participant in &mut it.participants {
                    participant.progress = Progress::Waiting { attempts: 0, next: now };
                    participant.told = true;
                }
                it.by_operator = by_operator.then_some(true);
                restored = Some(it);
            }
            Kind::RolledBackByOperator => {
                let it = restored.as_mut()?;
                it.by_operator = Some(false);
                it.phase = Phase::Heuristic { commit: false };
                it.participants.iter_mut().for_each(|it| it.progress = Progress::Done);
            }
            Kind::Heuristic { committed, global, participants } => {
                let commit = *committed;
                let it = restored
                    .get_or_insert_with(|| Transaction::root(key, global.clone(), None, options));
                // Before the decision the others were told to roll back, or will ask.
                if !commit {
                    it.participants.iter_mut().for_each(|it| it.progress = Progress::Done);
                }
                for (name, what) in participants {
                    let known = it.participants.iter_mut().find(|it| {
                        it.name == *name && !matches!(it.progress, Progress::Heuristic(_))
                    });
                    match known {
                        Some(known) => known.progress = Progress::Heuristic(*what),
                        None => {
                            let mut known = Participant::new(name.clone());
                            known.progress = Progress::Heuristic(*what);
                            it.participants.push(known);
                        }
                    }
                }
                it.phase = Phase::Delivering { commit };
            }
            Kind::End => {}
        }
    }
    let it = restored.as_mut()?;
    (it.logged, it.now) = (true, now);
    // Whoever waited has gone with the process. Who tells of a decision now is answered.
    it.told = it.phase != Phase::Prepared;
    if let Phase::Delivering { commit } = it.phase {
        let waits = |it: &Participant| matches!(it.progress, Progress::Waiting { .. });
        let open = |it: &Participant| matches!(it.progress, Progress::Heuristic(_));
        if !it.participants.iter().any(waits) && it.participants.iter().any(open) {
            it.phase = Phase::Heuristic { commit };
        }
    }
    if it.by_operator.is_some() {
        it.ask_at = now;
    }
    restored
}

impl Transaction {
    pub(super) fn ask_later(&mut self) {
        self.ask_at = self.options.backoff.after(self.now, self.asks.max(1));
    }

    pub(super) fn tick(&mut self) {
        match self.phase {
            Phase::Active if self.is_late() => {
                (self.purpose, self.timed_out) = (Purpose::Decision, true);
                self.because(RollbackReason::TimedOut);
                self.rollback_only = true;
                self.deliver(false);
            }
            Phase::Before if self.is_late() => {
                (self.rollback_only, self.timed_out) = (true, true);
                self.because(RollbackReason::TimedOut);
                self.deadline = None;
            }
            Phase::Prepared if self.is_late() && mistakes::has(Mistake::TimesOutInDoubt) => {
                self.deliver(false);
            }
            Phase::Prepared | Phase::Heuristic { .. } if self.ask_at <= self.now => {
                self.ask_at = Time::MAX;
                self.asks = self.asks.saturating_add(1);
                self.act(Action::AskSuperior);
            }
            // Nobody was prepared, or all have answered: a crash has kept the end from the log.
            Phase::Delivering { commit: true } if self.told => self.tell_again(),
            _ => {}
        }
    }

    /// Lets one wait until its host answers.
    pub(super) fn hold(&mut self, which: Option<usize>) {
        let next = self.now + HELD;
        let Some(which) = which else {
            self.ask_at = next;
            return;
        };
        let (Phase::Delivering { commit }, Some(participant)) =
            (self.phase, self.participants.get_mut(which))
        else {
            return;
        };
        match participant.progress {
            Progress::Telling { attempts } => {
                participant.progress = Progress::Waiting { attempts, next };
                self.conclude(commit);
            }
            Progress::Waiting { attempts, .. } => {
                participant.progress = Progress::Waiting { attempts, next };
            }
            _ => {}
        }
    }

    /// Lets all go on that wait.
    pub(super) fn go_on(&mut self) {
        if self.ask_at != Time::MAX {
            self.ask_at = self.now;
        }
        for participant in &mut self.participants {
            if let Progress::Waiting { attempts, .. } = participant.progress {
                participant.progress = Progress::Waiting { attempts, next: self.now };
            }
        }
    }

    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= self.now)
    }

    fn tell_again(&mut self) {
        for which in 0..self.participants.len() {
            let participant = &mut self.participants[which];
            if let Progress::Waiting { attempts, next } = participant.progress
                && next <= self.now
            {
                participant.progress = Progress::Telling { attempts };
                self.act(Action::Commit(which));
            }
        }
        self.conclude(true);
    }

    pub(super) fn superior_says(&mut self, answer: SuperiorAnswer) {
        let mistaken = mistakes::has(Mistake::PresumesAbortWhenUnreachable);
        let commit = match answer {
            SuperiorAnswer::Committed => true,
            SuperiorAnswer::RolledBack => false,
            SuperiorAnswer::AskAgain | SuperiorAnswer::Unreachable if mistaken => false,
            SuperiorAnswer::AskAgain | SuperiorAnswer::Unreachable => return self.ask_later(),
        };
        match self.phase {
            Phase::Prepared => {
                (self.purpose, self.asked) = (Purpose::Decision, false);
                match commit {
                    true => self.force_commit(),
                    false => self.deliver(false),
                }
            }
            Phase::Heuristic { commit: done } if self.by_operator.is_some() => {
                if commit == done && self.combined(done).is_none() {
                    return self.finish(done);
                }
                self.contradicted |= commit != done;
            }
            _ => {}
        }
    }

    /// A participant wants to know the outcome. Whoever is in doubt here as well says so.
    pub(super) fn replay(&mut self, which: Option<usize>) {
        let now = self.now;
        let status = match self.phase {
            Phase::Stuck => return self.reply(Reply::Busy),
            Phase::Delivering { commit } | Phase::Recording { commit } => Self::decided(commit),
            _ => self.status(),
        };
        if let Some(participant) = which.and_then(|which| self.participants.get_mut(which))
            && status == Status::Committed
        {
            participant.told = true;
            // It is there again.
            if let Progress::Waiting { attempts, .. } = participant.progress {
                participant.progress = Progress::Waiting { attempts, next: now };
            }
        }
        self.reply(Reply::Status(status));
    }

    const fn decided(commit: bool) -> Status {
        if commit { Status::Committed } else { Status::RolledBack }
    }

    /// An operator decides for a subordinate in doubt, or ends a transaction that is still active.
    pub(super) fn decide(&mut self, commit: bool) {
        match self.phase {
            Phase::Prepared => {
                (self.purpose, self.asked) = (Purpose::Decision, true);
                self.by_operator = Some(commit);
                if !commit {
                    self.because(RollbackReason::Operator);
                }
                match commit {
                    true => self.force_commit(),
                    false => self.force(Goal::OperatorsRollback, Kind::RolledBackByOperator),
                }
            }
            Phase::Active if !commit => {
                self.because(RollbackReason::Operator);
                self.roll_back_as_told();
            }
            _ => self.reply(Reply::Refused),
        }
    }
}
