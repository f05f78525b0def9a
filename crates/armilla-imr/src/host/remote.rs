//! Another host, reached through its activator.

use super::{Host, Launch, Launched, LogStream};
use crate::corba::{self, Activator as _, ActivatorRef, Secret};
use crate::model::RunId;
use armilla::Error;
use armilla_ipc::Address;
use armilla_ipc::process::EndSignal;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time limit of a call to an activator.
const CALL: Duration = Duration::from_secs(10);

/// A host with an activator.
pub(crate) struct RemoteHost {
    name: String,
    known: Mutex<Known>,
}

/// The activator as it has registered last.
struct Known {
    activator: ActivatorRef,
    /// What it asks for as a proof that the repository calls.
    proof: Secret,
    /// From where it has registered.
    from: Option<Address>,
}

impl Known {
    fn new(activator: &ActivatorRef, proof: &Secret, from: Option<Address>) -> Self {
        Self { activator: activator.with_timeout(CALL), proof: *proof, from }
    }
}

impl RemoteHost {
    pub(crate) fn new(
        name: String,
        activator: &ActivatorRef,
        proof: &Secret,
        from: Option<Address>,
    ) -> Self {
        Self { name, known: Mutex::new(Known::new(activator, proof, from)) }
    }

    /// The activator was started anew, perhaps at another address.
    pub(crate) fn set_activator(
        &self,
        activator: &ActivatorRef,
        proof: &Secret,
        from: Option<Address>,
    ) {
        *self.known() = Known::new(activator, proof, from);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a client is on this host: where the activator has called from.
    pub(crate) fn has(&self, client: &Address) -> bool {
        match (&self.known().from, client) {
            (Some(Address::Tcp { host, .. }), Address::Tcp { host: other, .. }) => host == other,
            _ => false,
        }
    }

    fn activator(&self) -> (ActivatorRef, Secret) {
        let known = self.known();
        (known.activator.clone(), known.proof)
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
        let (activator, proof) = self.activator();
        let launched = activator.start(&proof, &what).map_err(|error| match error {
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
        let (activator, proof) = self.activator();
        if let Err(error) = activator.signal(&proof, run.0, signal) {
            tracing::warn!(host = self.name, %error, "a process cannot be signalled");
        }
    }

    fn log(&self, name: &str, stream: LogStream, limit: usize) -> Result<Vec<u8>, String> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let (activator, proof) = self.activator();
        activator.log(&proof, name, stream.into(), limit).map_err(|error| match error {
            Error::User(corba::activator::LogRaises::Refused(refused)) => refused.reason,
            Error::System(exception) => self.failed(exception),
        })
    }

    fn watch(&self, run: RunId, name: &str, process: u32, started: u64) -> bool {
        let (activator, proof) = self.activator();
        activator.watch(&proof, run.0, process, started).unwrap_or_else(|error| {
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
