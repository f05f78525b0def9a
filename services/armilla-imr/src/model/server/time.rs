//! What happens with time: checks whether processes answer, and deadlines.

use super::{Hold, Server};
use crate::model::{Action, Activation, RunId, RunStage, Time};
use std::mem;

impl Server {
    pub(super) fn check(&mut self, at: usize, now: Time) {
        let period = self.definition.check_period;
        let place = &mut self.processes[at];
        if !place.checking
            && let Some(endpoint) = &place.run.endpoint
        {
            place.checking = true;
            place.next_check = (!period.is_zero()).then_some(now + period);
            self.actions.push(Action::Check(place.run.id, endpoint.clone()));
        }
    }

    /// The outcome of a check. `gone` says that nobody listens there.
    pub fn checked(&mut self, now: Time, run: RunId, alive: bool, gone: bool) {
        let Some(at) = self.position(run) else { return };
        let limit = self.definition.check_limit;
        let place = &mut self.processes[at];
        place.checking = false;
        if place.run.stage != RunStage::Running {
            return;
        }
        if alive {
            place.unanswered = 0;
            return self.forward_all(at);
        }
        place.unanswered += 1;
        if !place.watched && (gone || place.unanswered >= limit) {
            let ended = self.processes.remove(at);
            self.actions.push(Action::Record);
            let host = ended.run.host;
            self.fail(now, format!("the process on {host:?} that was started by hand is gone"));
            if self.definition.command.is_empty() {
                self.hold = Hold::None;
                self.refuse_all("it is not running, and the repository has no command to start it");
            }
        } else if gone && !self.waiters.is_empty() {
            // It does not listen any more: its end will be reported, or is overdue.
            place.run.stage = RunStage::Ending;
            place.deadline = Some(now + self.definition.drain_timeout);
            place.next_check = None;
            place.failure = Some("it does not listen any more".to_owned());
            self.actions.push(Action::Record);
        } else if place.unanswered >= limit {
            let why = format!("it did not answer {limit} checks, and was ended");
            place.failure = Some(why);
            place.run.stage = RunStage::Ending;
            place.deadline = None;
            self.actions.push(Action::Kill(run));
            self.actions.push(Action::Record);
        }
    }

    /// Does what is due.
    pub fn tick(&mut self, now: Time) {
        let due = |time: Option<Time>| time.is_some_and(|time| time <= now);
        for at in 0..self.processes.len() {
            if due(self.processes[at].next_check) {
                self.check(at, now);
            }
            if due(self.processes[at].deadline) {
                self.expire(at, now);
            }
        }
        self.processes.retain(|place| !place.is_forgotten());
        let (over, left) = mem::take(&mut self.waiters)
            .into_iter()
            .partition::<Vec<_>, _>(|waiter| waiter.until <= now);
        self.waiters = left;
        for waiter in over {
            let limit = self.definition.start_timeout;
            let why = self.reason.as_ref().map_or_else(String::new, |why| format!(": {why}"));
            self.refuse(waiter.id, &format!("it did not serve within {limit:?}{why}"));
        }
        if let Hold::BackOff(until) = self.hold
            && until <= now
        {
            self.hold = Hold::None;
            if self.processes.is_empty() || self.definition.runs_twice() {
                self.begin_again(now);
            }
        }
    }

    /// Starts those that are wanted after a pause.
    pub(super) fn begin_again(&mut self, now: Time) {
        let keeps = self.definition.activation == Activation::AtStart || self.start_after_end;
        if self.definition.activation == Activation::PerClient {
            let mut clients: Vec<_> =
                self.waiters.iter().map(|waiter| waiter.client.clone()).collect();
            clients.sort();
            clients.dedup();
            clients.into_iter().for_each(|client| self.begin(now, Some(client)));
        } else if self.processes.iter().all(|process| process.is_ending())
            && (keeps || !self.waiters.is_empty() && self.may_start_by_call())
        {
            self.begin(now, None);
        }
    }

    /// The deadline of a process has come.
    pub(super) fn expire(&mut self, at: usize, now: Time) {
        let (limit, place) = (self.definition.start_timeout, &mut self.processes[at]);
        match place.run.stage {
            // It was started by hand, and does not answer where it has said that it listens.
            RunStage::Starting if !place.watched => {
                place.run.stage = RunStage::Draining;
                place.deadline = Some(Time::MAX);
            }
            RunStage::Spawning | RunStage::Starting => {
                place.failure = Some(format!("it did not serve within {limit:?}, and was ended"));
                let has_process = place.run.stage == RunStage::Starting;
                place.run.stage = RunStage::Ending;
                place.deadline = None;
                if has_process {
                    self.actions.push(Action::Kill(place.run.id));
                }
            }
            RunStage::Running => place.deadline = None,
            RunStage::Draining if !place.watched => place.deadline = Some(Time::MAX),
            RunStage::Draining => self.terminate(at, now),
            RunStage::Ending => {
                place.deadline = None;
                self.actions.push(Action::Kill(place.run.id));
            }
        }
    }

    /// When [`tick`](Self::tick) has something to do.
    pub fn next_tick(&self) -> Option<Time> {
        let processes = self.processes.iter();
        let of_processes = processes.flat_map(|place| [place.deadline, place.next_check]);
        let of_waiters = self.waiters.iter().map(|waiter| Some(waiter.until));
        let of_hold = match self.hold {
            Hold::BackOff(until) => Some(until),
            _ => None,
        };
        let all = of_processes.chain(of_waiters).chain([of_hold]).flatten();
        all.filter(|time| *time < Time::MAX).min()
    }
}
