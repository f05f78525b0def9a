//! Requests of clients: forwarded at once, or when a process serves.

use super::{Hold, Server, Waiter};
use crate::model::{Action, Activation, Endpoint, RunId, RunStage, Time, WaiterId};
use std::mem;

impl Server {
    /// A request of a client that waits to be forwarded.
    pub fn request(&mut self, now: Time, id: WaiterId, client: &str) {
        let own = (self.definition.activation == Activation::PerClient).then_some(client);
        if let Some(at) = self.serving(own) {
            let process = &mut self.processes[at];
            // A client that comes back has probably not found the server where it was sent. And
            // nobody reports the end of a process that the repository did not start. So both are
            // asked first.
            if process.watched && process.meets(client) {
                let (run, endpoint) = (process.run.id, process.run.endpoint.clone());
                return self.forward(id, run, endpoint);
            }
            self.check(at, now);
            return self.wait(now, id, client);
        }
        let starts = self.processes.iter().any(|process| {
            matches!(process.run.stage, RunStage::Spawning | RunStage::Starting)
                && process.run.client.as_deref() == own
        });
        match self.hold {
            Hold::None | Hold::BackOff(_) if starts => self.wait(now, id, client),
            Hold::BackOff(_) => self.wait(now, id, client),
            Hold::None if self.start_after_end => self.wait(now, id, client),
            Hold::None if self.may_start_by_call() => {
                self.wait(now, id, client);
                // Otherwise the end of the last process starts the next.
                if self.processes.is_empty() || self.definition.runs_twice() {
                    self.begin(now, own.map(str::to_owned));
                }
            }
            Hold::None => {
                let why = match self.definition.command.is_empty() {
                    true => "it is not running, and the repository has no command to start it",
                    false => "it is not running, and only an operator starts it",
                };
                self.refuse(id, why);
            }
            Hold::Operator => self.refuse(id, "an operator has stopped it"),
            Hold::Failed => {
                let why = self.reason.clone().unwrap_or_default();
                self.refuse(id, &format!("it has failed too often and is not started: {why}"));
            }
        }
    }

    /// The client does not wait any more.
    pub fn cancel(&mut self, id: WaiterId) {
        self.waiters.retain(|waiter| waiter.id != id);
    }

    pub(super) fn may_start_by_call(&self) -> bool {
        !self.definition.command.is_empty() && self.definition.activation != Activation::Manual
    }

    pub(super) fn wait(&mut self, now: Time, id: WaiterId, client: &str) {
        let until = now + self.definition.start_timeout;
        self.waiters.push(Waiter { id, client: client.to_owned(), until });
    }

    pub(super) fn forward(&mut self, id: WaiterId, run: RunId, endpoint: Option<Endpoint>) {
        if let Some(endpoint) = endpoint {
            self.forwards += 1;
            self.actions.push(Action::Forward(id, run, endpoint));
        }
    }

    pub(super) fn refuse(&mut self, id: WaiterId, why: &str) {
        let what = format!("server {:?}: {why}", self.definition.name);
        self.actions.push(Action::Refuse(id, what));
    }

    pub(super) fn refuse_all(&mut self, why: &str) {
        for waiter in mem::take(&mut self.waiters) {
            self.refuse(waiter.id, why);
        }
    }

    /// Forwards those that wait for a run that serves.
    pub(super) fn forward_all(&mut self, at: usize) {
        let run = self.processes[at].run.clone();
        let (now_served, others): (Vec<_>, Vec<_>) = mem::take(&mut self.waiters)
            .into_iter()
            .partition(|waiter| run.client.as_ref().is_none_or(|client| *client == waiter.client));
        self.waiters = others;
        for waiter in now_served {
            self.processes[at].meets(&waiter.client);
            self.forward(waiter.id, run.id, run.endpoint.clone());
        }
    }

    /// The newest process that serves this client, or all clients.
    pub(super) fn serving(&self, client: Option<&str>) -> Option<usize> {
        self.processes.iter().rposition(|process| {
            process.run.stage == RunStage::Running && process.run.client.as_deref() == client
        })
    }
}
