//! Commands of operators.

use super::{Hold, Server};
use crate::model::{Action, Time};

impl Server {
    /// Starts the server if it does not run, whatever it was that kept it from being started.
    ///
    /// # Errors
    /// It has no command.
    pub fn start(&mut self, now: Time) -> Result<(), String> {
        self.forgive();
        self.check_command()?;
        if self.processes.iter().all(|process| process.is_ending()) {
            match self.processes.is_empty() || self.definition.runs_twice() {
                true => self.begin(now, None),
                false => self.start_after_end = true,
            }
        }
        Ok(())
    }

    /// Ends all its processes. It is not started again until an operator does so.
    pub fn stop(&mut self, now: Time) {
        self.hold = Hold::Operator;
        self.actions.push(Action::Record);
        (self.start_after_end, self.replacing) = (false, false);
        self.refuse_all("an operator has stopped it");
        (0..self.processes.len()).for_each(|at| self.terminate(at, now));
    }

    /// Ends all its processes and starts it again. Clients wait meanwhile.
    ///
    /// # Errors
    /// It has no command.
    pub fn restart(&mut self, now: Time) -> Result<(), String> {
        self.check_command()?;
        self.forgive();
        if self.processes.is_empty() {
            self.begin(now, None);
            return Ok(());
        }
        self.start_after_end = true;
        (0..self.processes.len()).for_each(|at| self.terminate(at, now));
        Ok(())
    }

    /// Starts another process, and ends the present one when that serves. No call is lost. A server
    /// with a port of its own cannot run twice: it is [restarted](Self::restart).
    ///
    /// # Errors
    /// It has no command; a process of it is starting.
    pub fn replace(&mut self, now: Time) -> Result<(), String> {
        self.check_command()?;
        if self.serving(None).is_none() || !self.definition.runs_twice() {
            return self.restart(now);
        }
        if self.processes.iter().any(|process| process.is_starting()) {
            return Err(format!("server {:?} is starting already", self.definition.name));
        }
        self.forgive();
        self.replacing = true;
        self.begin(now, None);
        Ok(())
    }

    pub(super) fn check_command(&self) -> Result<(), String> {
        match self.definition.command.is_empty() {
            true => Err(format!("server {:?} has no command", self.definition.name)),
            false => Ok(()),
        }
    }

    pub(super) fn forgive(&mut self) {
        self.hold = Hold::None;
        self.recent_failures.clear();
        self.reason = None;
        self.actions.push(Action::Record);
    }
}
