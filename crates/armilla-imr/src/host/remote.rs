//! Another host, reached through its activator.

use super::{Host, Launch, Launched, LogStream};
use crate::corba::{self, Activator as _, ActivatorRef};
use crate::model::RunId;
use armilla::Error;
use armilla_ipc::Address;
use armilla_ipc::process::EndSignal;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The time limit of a call to an activator.
const CALL: Duration = Duration::from_secs(10);

/// A host with an activator.
pub(crate) struct RemoteHost {
    name: String,
    activator: Mutex<ActivatorRef>,
    /// From where the activator has registered.
    address: Mutex<Option<Address>>,
}

impl RemoteHost {
    pub(crate) fn new(name: String, activator: &ActivatorRef, from: Option<Address>) -> Self {
        let activator = Mutex::new(activator.with_timeout(CALL));
        Self { name, activator, address: Mutex::new(from) }
    }

    /// The activator was started anew, perhaps at another address.
    pub(crate) fn set_activator(&self, activator: &ActivatorRef, from: Option<Address>) {
        *self.activator.lock().unwrap_or_else(PoisonError::into_inner) =
            activator.with_timeout(CALL);
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = from;
    }

    /// Whether a client is on this host: where the activator has called from.
    pub(crate) fn has(&self, client: &Address) -> bool {
        let known = self.address.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*known, client) {
            (Some(Address::Tcp { host, .. }), Address::Tcp { host: other, .. }) => host == other,
            _ => false,
        }
    }

    fn activator(&self) -> ActivatorRef {
        self.activator.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn failed(&self, error: impl Display) -> String {
        format!("the activator of {:?}: {error}", self.name)
    }
}

impl Host for RemoteHost {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn start(&self, launch: &Launch) -> Result<Launched, String> {
        let definition = serde_json::to_string(&*launch.definition);
        let definition = definition.map_err(|error| self.failed(error))?;
        let what = corba::Launch {
            run: launch.run.0,
            name: launch.definition.name.clone(),
            definition,
            repository: launch.repository.clone(),
        };
        let launched = self.activator().start(&what).map_err(|error| match error {
            Error::User(corba::activator::StartRaises::Refused(refused)) => refused.reason,
            Error::System(exception) => self.failed(exception),
        })?;
        let corba::Launched { process, started, address } = launched;
        Ok(Launched { process, started, address: Some(address).filter(|text| !text.is_empty()) })
    }

    fn signal(&self, run: RunId, signal: EndSignal) {
        let signal = match signal {
            EndSignal::Terminate => corba::EndSignal::Terminate,
            EndSignal::Kill => corba::EndSignal::Kill,
        };
        if let Err(error) = self.activator().signal(run.0, signal) {
            tracing::warn!(host = self.name, %error, "a process cannot be signalled");
        }
    }

    fn log(&self, name: &str, stream: LogStream, limit: usize) -> Result<Vec<u8>, String> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        self.activator().log(name, stream.into(), limit).map_err(|error| match error {
            Error::User(corba::activator::LogRaises::Refused(refused)) => refused.reason,
            Error::System(exception) => self.failed(exception),
        })
    }

    fn watch(&self, run: RunId, name: &str, process: u32, started: u64) -> bool {
        self.activator().watch(run.0, process, started).unwrap_or_else(|error| {
            tracing::warn!(host = self.name, server = name, %error, "a process is out of sight");
            false
        })
    }
}

impl From<LogStream> for corba::LogStream {
    fn from(stream: LogStream) -> Self {
        match stream {
            LogStream::Output => Self::Output,
            LogStream::Errors => Self::Errors,
        }
    }
}

impl From<corba::LogStream> for LogStream {
    fn from(stream: corba::LogStream) -> Self {
        match stream {
            corba::LogStream::Output => Self::Output,
            corba::LogStream::Errors => Self::Errors,
        }
    }
}
