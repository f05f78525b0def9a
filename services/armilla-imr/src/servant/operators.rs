//! What operators do.

use super::RepositoryServant;
use crate::corba::repository::{
    DefineRaises, DefinitionRaises, LogRaises, RemoveRaises, ReplaceRaises, RestartRaises,
    StartRaises, StatusRaises, StopRaises,
};
use crate::corba::{
    LogStream, Octets, Refused, Repository, RunStatus, ServerStatus, ServerStatuses, Strings,
    UnknownServer,
};
use crate::engine::{CommandError, Engine};
use crate::model::{Run, Server, Status, Time};
use crate::store::decode_definition;
use armilla::{Error, SystemException};

/// The most octets of a log that are sent.
const MAX_LOG: u32 = 8 << 20;

fn unknown(name: &str) -> UnknownServer {
    UnknownServer { name: name.to_owned() }
}

impl Repository for RepositoryServant {
    fn define(&self, definition: &str, replace: bool) -> Result<(), Error<DefineRaises>> {
        let engine = self.check_operator()?;
        let refused = |reason| Refused { reason };
        let definition = decode_definition(definition.as_bytes()).map_err(refused)?;
        engine.define(definition, replace).map_err(|error| match error {
            CommandError::Unknown(reason) | CommandError::Refused(reason) => refused(reason).into(),
        })
    }

    fn remove(&self, name: &str) -> Result<(), Error<RemoveRaises>> {
        Ok(self.check_operator()?.remove(name)?)
    }

    fn definition(&self, name: &str) -> Result<String, Error<DefinitionRaises>> {
        let definition = self.check_operator()?.definition(name).ok_or_else(|| unknown(name))?;
        // A definition has no part that JSON lacks.
        Ok(serde_json::to_string_pretty(&*definition).unwrap_or_default())
    }

    fn list(&self) -> Result<ServerStatuses, SystemException> {
        let engine = self.engine()?;
        let now = engine.now();
        let all = self.is_operator();
        let shown = |(name, status)| show(name, status, now, all);
        Ok(engine.list().into_iter().map(shown).collect())
    }

    fn status(&self, name: &str) -> Result<ServerStatus, Error<StatusRaises>> {
        let engine = self.engine()?;
        let status = engine.status(name).ok_or_else(|| unknown(name))?;
        Ok(show(name.to_owned(), status, engine.now(), self.is_operator()))
    }

    fn start(&self, name: &str) -> Result<(), Error<StartRaises>> {
        Ok(self.check_operator()?.command(name, Server::start)?)
    }

    fn stop(&self, name: &str) -> Result<(), Error<StopRaises>> {
        let engine = self.check_operator()?;
        engine.with(name, Server::stop).ok_or_else(|| unknown(name))?;
        Ok(())
    }

    fn restart(&self, name: &str) -> Result<(), Error<RestartRaises>> {
        Ok(self.check_operator()?.command(name, Server::restart)?)
    }

    fn replace(&self, name: &str) -> Result<(), Error<ReplaceRaises>> {
        Ok(self.check_operator()?.command(name, Server::replace)?)
    }

    fn log(&self, name: &str, which: LogStream, limit: u32) -> Result<Octets, Error<LogRaises>> {
        let engine = self.check_operator()?;
        let definition = engine.definition(name).ok_or_else(|| unknown(name))?;
        let limit = usize::try_from(limit.min(MAX_LOG)).unwrap_or_default();
        let host = engine.host(definition.host.as_deref()).map_err(CommandError::Refused)?;
        Ok(host.log(name, which.into(), limit).map_err(CommandError::Refused)?)
    }

    fn hosts(&self) -> Result<Strings, SystemException> {
        Ok(self.engine()?.hosts())
    }
}

/// A state as clients see it. With the number of a run a process proves that it is that run, so only
/// operators see `all`.
fn show(name: String, status: Status, now: Time, all: bool) -> ServerStatus {
    let run = |run: Run| RunStatus {
        run: if all { run.id.0 } else { 0 },
        stage: run.stage.to_string(),
        process: run.process.unwrap_or_default(),
        host: run.host,
        endpoint: run.endpoint.map(|at| Engine::address_of(&at)).unwrap_or_default(),
        age: now.saturating_sub(run.since).as_secs(),
        client: run.client.unwrap_or_default(),
    };
    ServerStatus {
        name,
        stage: status.stage.to_string(),
        runs: status.runs.into_iter().map(run).collect(),
        waiting: u32::try_from(status.waiting).unwrap_or(u32::MAX),
        starts: status.starts,
        failures: status.failures,
        forwards: status.forwards,
        reason: status.reason.unwrap_or_default(),
    }
}
