//! Another host, reached through its activator.

use super::{Host, Launch, Launched, LogStream};
use crate::corba::{self, Activator as _, ActivatorRef, Secret};
use crate::model::RunId;
use armilla::{Caller, Error};
use armilla_ipc::Address;
use armilla_ipc::process::EndSignal;
use std::fmt::Display;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time limit of a call to an activator.
const CALL: Duration = Duration::from_secs(10);

/// How many calls wait for one activator at most. One that is silent must not occupy all threads.
const MAX_CALLS: usize = 16;

/// How long nothing was heard of an activator when one at another address takes its place.
const MOVED: Duration = Duration::from_secs(60);

/// A host with an activator.
pub(crate) struct RemoteHost {
    name: String,
    known: Mutex<Known>,
    /// Calls that wait for an answer.
    under_way: AtomicUsize,
}

/// The activator as it has registered last.
struct Known {
    activator: ActivatorRef,
    /// What it asks for as a proof that the repository calls.
    proof: Secret,
    /// From where it has registered, and when.
    from: Option<Caller>,
    since: Instant,
}

impl Known {
    fn new(activator: &ActivatorRef, proof: &Secret, from: Option<Caller>) -> Self {
        let (activator, since) = (activator.with_timeout(CALL), Instant::now());
        Self { activator, proof: *proof, from, since }
    }
}

/// Whether both are at the same address. Those on the host of the repository are, by whichever of
/// its addresses they come.
fn is_same_host(one: &Caller, other: &Caller) -> bool {
    let host = |caller: &Caller| match &caller.address {
        Some(Address::Tcp { host, .. }) => Some(host.clone()),
        _ => None,
    };
    match (host(one), host(other)) {
        (Some(one), Some(other)) if one == other => true,
        _ => one.is_on_this_host() && other.is_on_this_host(),
    }
}

impl RemoteHost {
    pub(crate) fn new(
        name: String,
        activator: &ActivatorRef,
        proof: &Secret,
        from: Option<Caller>,
    ) -> Self {
        let known = Mutex::new(Known::new(activator, proof, from));
        Self { name, known, under_way: AtomicUsize::new(0) }
    }

    /// The activator has registered again, or was started anew.
    ///
    /// # Errors
    /// It is at another address than the one before, which was heard of a moment ago.
    pub(crate) fn set_activator(
        &self,
        activator: &ActivatorRef,
        proof: &Secret,
        from: Option<Caller>,
    ) -> Result<(), String> {
        let mut known = self.known();
        let same = match (&known.from, &from) {
            (Some(before), Some(now)) => is_same_host(before, now),
            _ => false,
        };
        if !same && known.since.elapsed() < MOVED {
            return Err(format!(
                "the activator of host {:?} is at another address; one here takes its place when \
                 nothing was heard of that one for {} seconds",
                self.name,
                MOVED.as_secs()
            ));
        }
        *known = Known::new(activator, proof, from);
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a client is on this host: where the activator has called from.
    pub(crate) fn has(&self, client: &Caller) -> bool {
        self.known().from.as_ref().is_some_and(|from| is_same_host(from, client))
    }

    /// Calls the activator, unless too many calls wait for it already.
    fn call<R>(
        &self,
        what: impl FnOnce(&ActivatorRef, &Secret) -> Result<R, String>,
    ) -> Result<R, String> {
        struct Over<'h>(&'h AtomicUsize);
        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Relaxed);
            }
        }
        let before = self.under_way.fetch_add(1, Ordering::Relaxed);
        let _over = Over(&self.under_way);
        if before >= MAX_CALLS {
            return Err(self.failed(format!("{MAX_CALLS} calls wait for its answer already")));
        }
        let known = self.known();
        let (activator, proof) = (known.activator.clone(), known.proof);
        drop(known);
        what(&activator, &proof)
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
        let launched = self.call(|activator, proof| {
            activator.start(proof, &what).map_err(|error| match error {
                Error::User(corba::activator::StartRaises::Refused(refused)) => refused.reason,
                Error::System(exception) => self.failed(exception),
            })
        })?;
        let corba::Launched { process, started, address } = launched;
        Ok(Launched { process, started, address: Some(address).filter(|text| !text.is_empty()) })
    }

    fn signal(&self, run: RunId, signal: EndSignal) {
        let signal = match signal {
            EndSignal::Terminate => corba::EndSignal::Terminate,
            EndSignal::Kill => corba::EndSignal::Kill,
        };
        let signalled = self.call(|activator, proof| {
            activator.signal(proof, run.0, signal).map_err(|error| self.failed(error))
        });
        if let Err(why) = signalled {
            tracing::warn!(why, "a process cannot be signalled");
        }
    }

    fn log(&self, name: &str, stream: LogStream, limit: usize) -> Result<Vec<u8>, String> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        self.call(|activator, proof| {
            activator.log(proof, name, stream.into(), limit).map_err(|error| match error {
                Error::User(corba::activator::LogRaises::Refused(refused)) => refused.reason,
                Error::System(exception) => self.failed(exception),
            })
        })
    }

    fn watch(&self, run: RunId, name: &str, process: u32, started: u64) -> bool {
        let watched = self.call(|activator, proof| {
            activator.watch(proof, run.0, process, started).map_err(|error| self.failed(error))
        });
        watched.unwrap_or_else(|why| {
            tracing::warn!(server = name, why, "a process is out of sight");
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

#[cfg(test)]
mod tests {
    use super::*;
    use armilla::Orb;

    fn host() -> (RemoteHost, ActivatorRef) {
        let orb = Orb::new().unwrap();
        let activator = orb.string_to_object("corbaloc::192.0.2.1:1/a").unwrap().assume();
        let from = Some(at("192.0.2.1"));
        (RemoteHost::new("node7".to_owned(), &activator, &[1; 32], from), activator)
    }

    fn at(host: &str) -> Caller {
        Caller::at(Address::tcp(host, 40_000))
    }

    #[test]
    fn few_calls_wait_for_a_silent_activator() {
        fn nest(host: &RemoteHost, calls: usize) -> Result<usize, String> {
            host.call(|_, _| if calls == 1 { Ok(0) } else { nest(host, calls - 1) })
        }
        let (host, _) = host();
        assert_eq!(nest(&host, MAX_CALLS), Ok(0));
        let refused = nest(&host, MAX_CALLS + 1).unwrap_err();
        assert!(refused.contains("16 calls wait"), "{refused}");
        assert_eq!(nest(&host, MAX_CALLS), Ok(0), "the others are over");
    }

    #[test]
    fn an_activator_elsewhere_does_not_take_the_place_of_one_that_is_alive() {
        let (host, activator) = host();
        for elsewhere in [None, Some(at("192.0.2.2")), Some(at("127.0.0.1"))] {
            let refused = host.set_activator(&activator, &[2; 32], elsewhere).unwrap_err();
            assert!(refused.contains("another address"), "{refused}");
        }
        assert_eq!(host.known().proof, [1; 32]);
        assert!(host.has(&at("192.0.2.1")) && !host.has(&at("192.0.2.2")));
        host.set_activator(&activator, &[2; 32], Some(at("192.0.2.1"))).unwrap();
        assert_eq!(host.known().proof, [2; 32]);
    }
}
