//! The two operations of an implementation repository that the ORB itself calls
//! (`idl/ImplementationRepository.idl`).
//!
//! They are written by hand, so that the ORB does not need code that is generated for it.

use crate::client::{Object, Waiting};
use crate::exception::{Completion, Error, ExceptionKind, Minor, Raises, SystemException};
use crate::signature::Signature;
use armilla_cdr::{CdrResult, Decoder, Encode, Encoder};
use std::time::Duration;

/// What a server says of itself: `ImplementationRepository::ServerInfo`.
pub(super) struct Presence {
    /// The name under which the repository knows the server, or nothing.
    pub(super) name: String,
    /// The number of the run; 0 for a server that the repository did not start.
    pub(super) run: u64,
    pub(super) process: u32,
    pub(super) host: String,
    /// The names of the persistent POAs, from the root down.
    pub(super) adapters: Vec<Vec<String>>,
}

impl Presence {
    fn encode(&self, out: &mut Encoder<'_>) -> CdrResult {
        out.put_string(&self.name)?;
        out.put_u64(self.run);
        out.put_u32(self.process);
        out.put_string(&self.host)?;
        out.put_length(self.adapters.len())?;
        self.adapters.iter().try_for_each(|path| {
            out.put_length(path.len())?;
            path.iter().try_for_each(|name| out.put_string(name))
        })
    }
}

/// The repository, as a server sees it: `ImplementationRepository::Registry`.
pub(super) struct Registry(pub(super) Object);

impl Registry {
    /// `register_server`. Returns the time after which the server is to register again.
    pub(super) fn register_server<'p>(
        &self,
        presence: &Presence,
        here: &'p Object,
    ) -> Result<Duration, SystemException> {
        let operation = ("register_server", no_signature as _);
        let seconds = Waiting::blocking(|waiting| async move {
            let put = |out: &mut Encoder<'p>| {
                presence.encode(out)?;
                here.encode(out)
            };
            waiting.invoke_raises(&self.0, operation, put, |input| input.u32()).await
        });
        seconds.map(|seconds| Duration::from_secs(seconds.into())).map_err(refused)
    }

    /// `unregister_server`.
    pub(super) fn unregister_server(&self, presence: &Presence) -> Result<(), SystemException> {
        let operation = ("unregister_server", no_signature as _);
        let ended = Waiting::blocking(|waiting| async move {
            let put = |out: &mut Encoder<'_>| presence.encode(out);
            waiting.invoke_raises(&self.0, operation, put, |_| Ok(())).await
        });
        ended.map_err(refused)
    }
}

/// `ImplementationRepository::Refused`, or another user exception.
struct Refusal(String);

impl Raises for Refusal {
    /// Only a repository raises it, and this is its client.
    fn encode<'p>(&'p self, _out: &mut Encoder<'p>) -> CdrResult {
        Ok(())
    }

    fn decode(repository_id: &str, input: &mut Decoder<'_>) -> CdrResult<Option<Self>> {
        Ok(Some(match repository_id.contains("/Refused:") {
            true => Self(input.string()?.into_owned()),
            false => Self(repository_id.to_owned()),
        }))
    }
}

fn refused(error: Error<Refusal>) -> SystemException {
    match error {
        Error::System(exception) => exception,
        Error::User(Refusal(why)) => {
            SystemException::new(ExceptionKind::NoPermission, Minor::IMR_REFUSED, Completion::Yes)
                .with_reason(format!("the implementation repository refuses the server: {why}"))
        }
    }
}

/// Interceptors see calls of these operations without their arguments.
fn no_signature(_operation: &str) -> Option<Signature> {
    None
}
