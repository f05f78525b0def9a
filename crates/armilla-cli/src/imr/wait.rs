//! Waiting until a command has had its effect.

use super::failed;
use armilla_imr::corba::{Repository, RepositoryRef, ServerStatus};
use armilla_terminal::{Failure, Outcome, one_line};
use std::thread;
use std::time::Duration;

/// The pause between two questions.
const PAUSE: Duration = Duration::from_millis(20);

/// A server as it was before a command.
pub(super) struct Before {
    /// The runs that have to be gone.
    runs: Vec<u64>,
    failures: u64,
}

impl Before {
    /// Notes the state of a server whose processes may stay.
    pub(super) fn start(repository: &RepositoryRef, name: &str) -> Outcome<Self> {
        let failures = failed(repository.status(name))?.failures;
        Ok(Self { runs: Vec::new(), failures })
    }

    /// Notes the state of a server whose processes are to be replaced.
    pub(super) fn replacement(repository: &RepositoryRef, name: &str) -> Outcome<Self> {
        let ServerStatus { runs, failures, .. } = failed(repository.status(name))?;
        Ok(Self { runs: runs.into_iter().map(|run| run.run).collect(), failures })
    }

    /// Waits until the server serves, and none of the processes of before is left, so that no call
    /// reaches them. The repository limits each step in time, so this ends.
    pub(super) fn await_service(&self, repository: &RepositoryRef, name: &str) -> Outcome<String> {
        loop {
            let status = failed(repository.status(name))?;
            let is_old = |run: &u64| self.runs.contains(run);
            let serves = |stage: &str| stage == "running";
            let has_old = status.runs.iter().any(|run| is_old(&run.run));
            if !has_old && status.runs.iter().any(|run| serves(&run.stage)) {
                return Ok(status.stage);
            }
            if status.failures > self.failures {
                let old = match has_old && status.runs.iter().any(|run| serves(&run.stage)) {
                    true => "; the process of before goes on",
                    false => "",
                };
                let why = one_line(&status.reason);
                return Err(Failure::because(format_args!("server {name:?}: {why}{old}")));
            }
            if ["held", "stopped"].contains(&&*status.stage) && status.runs.is_empty() {
                let what = "somebody has stopped it meanwhile, or it has ended by itself";
                return Err(Failure::because(format_args!("server {name:?}: {what}")));
            }
            thread::sleep(PAUSE);
        }
    }
}
