//! Processes: their starts, what they report, and their ends.

use super::{Ending, Hold, Process, Server};
use crate::model::{Action, Activation, Endpoint, Run, RunId, RunStage, Time};
use std::mem;

impl Server {
    pub(super) fn begin(&mut self, now: Time, client: Option<String>) {
        let id = (self.next_run)();
        let run = Run {
            id,
            stage: RunStage::Spawning,
            process: None,
            started: 0,
            host: String::new(),
            endpoint: None,
            since: now,
            client,
        };
        let deadline = Some(now + self.definition.start_timeout);
        self.processes.push(Process::new(run, true, deadline));
        (self.hold, self.start_after_end) = (Hold::None, false);
        self.starts += 1;
        self.actions.push(Action::Spawn(id));
    }

    /// The process of a run exists. `address` is where it will listen if it does not register.
    pub fn spawned(
        &mut self,
        run: RunId,
        (process, started): (u32, u64),
        host: &str,
        address: Option<Endpoint>,
    ) {
        let Some(at) = self.position(run) else { return };
        let place = &mut self.processes[at];
        (place.run.process, place.run.started) = (Some(process), started);
        host.clone_into(&mut place.run.host);
        if place.run.stage == RunStage::Spawning {
            place.run.stage = RunStage::Starting;
            place.run.endpoint = place.run.endpoint.take().or(address);
            if place.run.endpoint.is_some() {
                self.actions.push(Action::AwaitAnswer(run));
            }
        } else if place.run.stage == RunStage::Ending {
            // An operator has stopped the server while the process was being made.
            self.actions.push(Action::Terminate(run));
        }
        self.actions.push(Action::Record);
    }

    /// There will be no process.
    pub fn start_failed(&mut self, now: Time, run: RunId, why: &str) {
        let Some(at) = self.position(run) else { return };
        let failed = self.processes.remove(at);
        if failed.run.stage == RunStage::Ending {
            return self.after_end(now);
        }
        self.fail(now, format!("it cannot be started: {why}"));
    }

    /// A process has registered. `run` is 0 if it does not know that it was started by a
    /// repository.
    ///
    /// # Errors
    /// The repository does not accept it; the text says why.
    pub fn registered(
        &mut self,
        now: Time,
        run: RunId,
        process: u32,
        host: &str,
        endpoint: Endpoint,
    ) -> Result<(), String> {
        if let Some(at) = self.position(run) {
            self.processes[at].proven = true;
            let place = &mut self.processes[at].run;
            place.process = Some(process);
            if place.host.is_empty() {
                host.clone_into(&mut place.host);
            }
            match place.stage {
                RunStage::Draining | RunStage::Ending => return Ok(()),
                _ if place.endpoint.as_ref() == Some(&endpoint)
                    && place.stage == RunStage::Running =>
                {
                    return Ok(());
                }
                _ => {}
            }
            place.endpoint = Some(endpoint);
            self.serves(now, at);
            return Ok(());
        }
        if self.may_start_by_call() {
            return Err(format!(
                "the repository starts the server {:?} itself, and did not start this process",
                self.definition.name
            ));
        }
        if let Some(at) = self.registered_by_hand(now, process, host, endpoint)? {
            self.serves(now, at);
        }
        Ok(())
    }

    /// A process has announced where it listens. All that it says of itself is the name of the
    /// server, and its objects may not be there yet: the repository asks for them. `is_near` says
    /// whether it is on the host where the repository starts the server.
    ///
    /// # Errors
    /// The repository does not accept it; the text says why.
    pub fn announced(
        &mut self,
        now: Time,
        is_near: bool,
        host: &str,
        endpoint: Endpoint,
    ) -> Result<(), String> {
        let name = self.definition.name.clone();
        if !self.may_start_by_call() {
            if !is_near {
                return Err(format!("no server {name:?} may be where this process is"));
            }
            if let Some(at) = self.registered_by_hand(now, 0, host, endpoint)? {
                let place = &mut self.processes[at];
                place.run.stage = RunStage::Starting;
                place.deadline = Some(now + self.definition.start_timeout);
                self.actions.push(Action::AwaitAnswer(place.run.id));
            }
            return Ok(());
        }
        if !is_near {
            return Err(format!(
                "the repository starts the server {name:?} itself, on another host than that of \
                 this process"
            ));
        }
        let known = |place: &Process| place.run.endpoint.as_ref() == Some(&endpoint);
        // The repository asks at the address of the definition, if there is one.
        if self.definition.address.is_some() || self.processes.iter().any(known) {
            return Ok(());
        }
        if self.definition.activation == Activation::PerClient {
            return Err(format!(
                "each client of the server {name:?} has a process of its own, and this one does \
                 not say which it is: the definition needs `--address` with {{port}}"
            ));
        }
        let starts = |place: &Process| place.is_starting() && place.run.endpoint.is_none();
        let Some(at) = self.processes.iter().position(starts) else {
            return Err(format!("the repository does not start a process of {name:?} at present"));
        };
        let run = &mut self.processes[at].run;
        run.endpoint = Some(endpoint);
        if run.stage == RunStage::Starting {
            self.actions.push(Action::AwaitAnswer(run.id));
        }
        Ok(())
    }

    /// A process that has announced itself says that it ends; one that knows the number of its run
    /// says so with that. While another one ends, that is the
    /// one which says so.
    pub fn announced_end(&mut self, now: Time, is_near: bool) {
        if is_near
            && let [place] = &self.processes[..]
            && !place.proven
        {
            let run = place.run.id;
            self.unregistered(now, run, 0, "");
        }
    }

    /// A process has registered that somebody else has started. Returns its place, if where it
    /// listens is new.
    ///
    /// # Errors
    /// An operator has stopped the server.
    fn registered_by_hand(
        &mut self,
        now: Time,
        process: u32,
        host: &str,
        endpoint: Endpoint,
    ) -> Result<Option<usize>, String> {
        if self.hold == Hold::Operator {
            return Err(format!(
                "an operator has stopped the server {:?}; `start` admits it again",
                self.definition.name
            ));
        }
        let same = |place: &Process| {
            place.run.process == Some(process) && place.run.host == host && !place.watched
        };
        let at = match self.processes.iter().position(same) {
            Some(at) if self.processes[at].run.endpoint.as_ref() == Some(&endpoint) => {
                return Ok(None);
            }
            Some(at) => at,
            None => {
                let run = Run {
                    id: (self.next_run)(),
                    stage: RunStage::Starting,
                    process: Some(process),
                    started: 0,
                    host: host.to_owned(),
                    endpoint: None,
                    since: now,
                    client: None,
                };
                self.processes.push(Process::new(run, false, None));
                self.processes.len() - 1
            }
        };
        self.processes[at].run.endpoint = Some(endpoint);
        self.hold = Hold::None;
        // A server that somebody started anew takes the place of the one before.
        let older = 0..at;
        older.for_each(|at| {
            if !self.processes[at].watched {
                self.processes[at].run.stage = RunStage::Draining;
                self.processes[at].deadline = Some(now + self.definition.drain_timeout);
            }
        });
        Ok(Some(at))
    }

    /// A run whose address the repository asked has answered.
    pub fn answers(&mut self, now: Time, run: RunId) {
        if let Some(at) = self.position(run)
            && self.processes[at].run.stage == RunStage::Starting
        {
            self.serves(now, at);
        }
    }

    /// A process serves from now on.
    pub(super) fn serves(&mut self, now: Time, at: usize) {
        let period = self.definition.check_period;
        let place = &mut self.processes[at];
        place.run.stage = RunStage::Running;
        place.deadline = None;
        (place.checking, place.unanswered) = (false, 0);
        place.next_check = (!period.is_zero()).then_some(now + period);
        let (shared, id) = (place.run.client.is_none(), place.run.id);
        self.forward_all(at);
        if shared && self.replacing && self.processes[at].watched {
            self.replacing = false;
            let drain = now + self.definition.drain_delay;
            for older in &mut self.processes {
                let replaced = older.run.stage == RunStage::Running && older.run.client.is_none();
                if replaced && older.run.id != id {
                    older.run.stage = RunStage::Draining;
                    (older.deadline, older.next_check) = (Some(drain), None);
                }
            }
        }
        self.actions.push(Action::Record);
    }

    /// A process says that it ends: nobody is forwarded to it any more.
    pub fn unregistered(&mut self, now: Time, run: RunId, process: u32, host: &str) {
        let found = self.processes.iter().position(|place| {
            let same = place.run.process == Some(process) && place.run.host == host;
            // What others know of a process says nothing for one that knows the number of its run.
            place.run.id == run || same && !place.is_started_here()
        });
        let Some(at) = found else { return };
        if !self.processes[at].watched {
            self.processes.remove(at);
            self.actions.push(Action::Record);
            return self.after_end(now);
        }
        let place = &mut self.processes[at];
        if place.run.stage != RunStage::Ending {
            place.run.stage = RunStage::Ending;
            place.deadline = Some(now + self.definition.drain_timeout);
            place.next_check = None;
            self.actions.push(Action::Record);
        }
    }

    /// The process of a run has ended.
    pub fn exited(&mut self, now: Time, run: RunId, ending: &Ending) {
        let Some(at) = self.position(run) else { return };
        let ended = self.processes.remove(at);
        self.actions.push(Action::Record);
        let failure = ended.failure.filter(|_| !ending.success);
        let failure = failure.map(|why| format!("{why}: {}", ending.what));
        let failure = failure.or_else(|| match ended.run.stage {
            RunStage::Spawning | RunStage::Starting => {
                Some(format!("it ended before it served: {}", ending.what))
            }
            RunStage::Running if !ending.success => Some(format!("it ended: {}", ending.what)),
            // It ran for a while and had no more to do.
            _ => None,
        });
        match failure {
            Some(why) => self.fail(now, why),
            None => self.after_end(now),
        }
    }

    /// What follows the end of a process that is no failure.
    pub(super) fn after_end(&mut self, now: Time) {
        if self.hold != Hold::None {
            return;
        }
        let alone = self.processes.iter().all(|process| process.is_ending());
        let free = self.processes.is_empty() || self.definition.runs_twice();
        let wanted = self.start_after_end
            || self.definition.activation == Activation::AtStart
            || !self.waiters.is_empty() && self.may_start_by_call();
        if alone && free && wanted && self.definition.activation != Activation::PerClient {
            self.begin(now, None);
        }
    }

    pub(super) fn fail(&mut self, now: Time, why: String) {
        self.failures += 1;
        let was_replacing = mem::take(&mut self.replacing);
        tracing::warn!(server = self.definition.name, why, "a server failed");
        self.reason = Some(why.clone());
        self.actions.push(Action::Record);
        if self.hold == Hold::Operator || was_replacing && self.serving(None).is_some() {
            return;
        }
        let window = self.definition.failure_window;
        self.recent_failures.push_back(now);
        self.recent_failures.retain(|at| *at + window >= now);
        let count = u32::try_from(self.recent_failures.len()).unwrap_or(u32::MAX);
        if count >= self.definition.failure_limit {
            self.hold = Hold::Failed;
            self.start_after_end = false;
            self.refuse_all(&format!("it has failed {count} times and is not started: {why}"));
            return;
        }
        let doubled = self.definition.back_off.saturating_mul(1 << (count - 1).min(20));
        self.hold = Hold::BackOff(now + doubled.min(self.definition.max_back_off));
    }

    pub(super) fn terminate(&mut self, at: usize, now: Time) {
        let (drain, place) = (self.definition.drain_timeout, &mut self.processes[at]);
        if place.run.stage == RunStage::Ending {
            return;
        }
        if !place.watched {
            // Nobody here can end it; it gets no more clients.
            place.run.stage = RunStage::Draining;
            (place.deadline, place.next_check) = (Some(now), None);
            self.actions.push(Action::Record);
            return;
        }
        let has_process = place.run.stage != RunStage::Spawning;
        place.run.stage = RunStage::Ending;
        (place.deadline, place.next_check) = (Some(now + drain), None);
        if has_process {
            self.actions.push(Action::Terminate(place.run.id));
            self.actions.push(Action::Record);
        }
    }
}
