//! An activator: starts and ends processes on this host for a repository on another.
//!
//! `known` says who that repository is.

mod known;

use crate::corba::activator as skeleton;
use crate::corba::activator::{LogRaises, StartRaises};
use crate::corba::{
    self, ActivatorRef, EndSignal, Launched, LogStream, Octets, Refused, Registry, RepositoryRef,
    Secret,
};
use crate::host::{Host, Launch, LocalHost, LogLimits};
use crate::host_name;
use crate::model::{Ending, RunId};
use crate::store::decode_definition;
use armilla::{Completion, Error, ExceptionKind, Minor, Orb, SystemException};
use armilla_ipc::{host, process};
use known::{KnownRepository, addresses};
use std::fmt::{self, Display};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The pauses between attempts to reach the repository: the first, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(15)];

/// The time limit of a call to the repository.
const CALL: Duration = Duration::from_secs(10);

/// How long an end is reported, again and again, to a repository that does not answer.
const REPORTS: u32 = 20;

/// An activator in this process. It registers in the repository until it is dropped. The processes
/// that it has started go on.
///
/// Whoever may call it can run any program as its user. It believes nobody but the repository: a
/// caller must come from an address of the repository's host, and show a secret that the activator
/// makes when it starts and tells the repository alone. What travels between the two is not
/// encrypted.
///
/// ```no_run
/// use armilla::Orb;
/// use armilla_imr::Activator;
///
/// let url = "corbaloc::imr.example.org:2810/ImplementationRepository";
/// let endpoint = Activator::endpoint(&Orb::new()?, url)?;
/// let orb = Orb::builder().listen(&endpoint)?.build()?;
/// let activator = Activator::builder(url, "/var/log/armilla").host("node7").serve(&orb)?;
/// orb.run()?;
/// # drop(activator);
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[must_use = "the activator ends when this is dropped"]
pub struct Activator {
    reference: ActivatorRef,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    ended: Mutex<bool>,
    changed: Condvar,
}

/// What an activator is made from.
#[derive(Debug)]
#[must_use = "only `serve` makes the activator"]
pub struct ActivatorBuilder {
    url: String,
    logs: PathBuf,
    host: Option<String>,
    callers: Vec<IpAddr>,
}

impl ActivatorBuilder {
    /// Sets the name of this host. Default: the one that the system has.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.host = Some(name.into());
        self
    }

    /// Adds an address from which the repository calls, for one that calls from another address
    /// than that of its URL: a host with several addresses, or one behind address translation.
    pub fn called_from(mut self, address: IpAddr) -> Self {
        self.callers.push(address);
        self
    }

    /// Serves the activator with `orb`, and keeps it registered in the repository.
    ///
    /// # Errors
    /// `INITIALIZE` if the ORB cannot listen, `BAD_PARAM` if the URL is malformed, `NO_RESOURCES`
    /// without a thread or random numbers.
    pub fn serve(self, orb: &Orb) -> Result<Activator, SystemException> {
        let repository = repository(orb, &self.url)?;
        let repository = KnownRepository::new(repository, self.callers);
        let repository = repository.map_err(|error| no_resources("no random numbers", &error))?;
        let repository = Arc::new(repository);
        let reporter = repository.clone();
        let on_end = move |run, ending| report(reporter.reference(), run, &ending);
        let (name, limits) = (self.host.unwrap_or_else(host_name), LogLimits::default());
        let host = LocalHost::new(name.clone(), self.logs, limits, Arc::new(on_end));
        let servant = Servant { host, repository: repository.clone() };
        let reference: ActivatorRef = orb.root_poa().activate(skeleton::tie(servant))?;
        let shared = Arc::<Shared>::default();
        let (known, ends) = (reference.clone(), shared.clone());
        let keep = move || keep_registered(&repository, &name, &known, &ends);
        let thread = thread::Builder::new().name("armilla-imr-host".to_owned()).spawn(keep);
        thread.map_err(|error| no_resources("no thread for the activator", &error))?;
        Ok(Activator { reference, shared })
    }
}

/// The repository with this URL. Calls to it have a time limit.
fn repository(orb: &Orb, url: &str) -> Result<RepositoryRef, SystemException> {
    let repository: RepositoryRef = orb.string_to_object(url)?.assume();
    Ok(repository.with_timeout(CALL))
}

fn no_resources(what: &str, error: &dyn Display) -> SystemException {
    let (kind, minor) = (ExceptionKind::NoResources, Minor::THREAD_NOT_STARTED);
    SystemException::new(kind, minor, Completion::No).with_reason(format!("{what}: {error}"))
}

impl Activator {
    /// Begins to make an activator for the repository with this URL. What processes write goes to
    /// files in the directory `logs`.
    pub fn builder(url: impl Into<String>, logs: impl Into<PathBuf>) -> ActivatorBuilder {
        let (host, callers) = (None, Vec::new());
        ActivatorBuilder { url: url.into(), logs: logs.into(), host, callers }
    }

    /// The endpoint at which only those reach an activator who reach the host by the network that
    /// leads to the repository: `iiop://ADDRESS:0`, with the address from which packets to the
    /// repository leave. For a repository on this host that is the loopback.
    ///
    /// # Errors
    /// `BAD_PARAM` if the URL is malformed, `TRANSIENT` if no address of the repository is known or
    /// no network leads there.
    pub fn endpoint(orb: &Orb, url: &str) -> Result<String, SystemException> {
        let found = addresses(&repository(orb, url)?);
        match found.iter().find_map(|repository| host::address_towards(*repository)) {
            Some(here) => Ok(format!("iiop://{}", SocketAddr::new(here, 0))),
            None => {
                let kind = ExceptionKind::Transient;
                let why = format!("no network leads to the repository {url}");
                let failed = SystemException::new(kind, Minor::default(), Completion::No);
                Err(failed.with_reason(why).with_hint("-ORBEndpoint says where to listen"))
            }
        }
    }

    /// The activator as an object.
    pub fn reference(&self) -> &ActivatorRef {
        &self.reference
    }
}

impl Drop for Activator {
    fn drop(&mut self) {
        *self.shared.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.changed.notify_all();
    }
}

impl fmt::Debug for Activator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Activator").finish_non_exhaustive()
    }
}

/// Tells the repository the end of a process.
fn report(repository: &RepositoryRef, run: RunId, ending: &Ending) {
    let mut pause = PAUSES[0];
    for _ in 0..REPORTS {
        match repository.exited(run.0, ending.success, &ending.what) {
            Ok(()) => return,
            Err(error) => tracing::warn!(%error, "the end of a process is not reported yet"),
        }
        thread::sleep(pause);
        pause = (pause * 2).min(PAUSES[1]);
    }
}

fn keep_registered(
    repository: &KnownRepository,
    host: &str,
    reference: &ActivatorRef,
    shared: &Shared,
) {
    let mut pause = PAUSES[0];
    loop {
        repository.look_up();
        let registered =
            repository.reference().register_activator(host, reference, repository.proof());
        let wait = match registered {
            Ok(seconds) => {
                pause = PAUSES[0];
                Duration::from_secs(seconds.max(1).into())
            }
            Err(error) => {
                tracing::warn!(%error, host, "the activator is not registered, and keeps trying");
                let wait = pause;
                pause = (pause * 2).min(PAUSES[1]);
                wait
            }
        };
        let ended = shared.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = shared.changed.wait_timeout_while(ended, wait, |ended| !*ended);
        if *waited.unwrap_or_else(PoisonError::into_inner).0 {
            return;
        }
    }
}

struct Servant {
    host: LocalHost,
    repository: Arc<KnownRepository>,
}

impl corba::Activator for Servant {
    fn start(&self, proof: &Secret, what: &corba::Launch) -> Result<Launched, Error<StartRaises>> {
        self.repository.check(proof)?;
        let refused = |reason| Refused { reason };
        let definition = decode_definition(what.definition.as_bytes()).map_err(refused)?;
        let definition = Arc::new(definition);
        let repository = what.repository.clone();
        let launch = Launch { run: RunId(what.run), definition, repository };
        let started = self.host.start(&launch).map_err(refused)?;
        Ok(Launched {
            process: started.process,
            started: started.started,
            address: started.address.unwrap_or_default(),
        })
    }

    fn signal(&self, proof: &Secret, run: u64, which: EndSignal) -> Result<(), SystemException> {
        self.repository.check(proof)?;
        let signal = match which {
            EndSignal::Terminate => process::EndSignal::Terminate,
            EndSignal::Kill => process::EndSignal::Kill,
        };
        self.host.signal(RunId(run), signal);
        Ok(())
    }

    fn log(
        &self,
        proof: &Secret,
        name: &str,
        which: LogStream,
        limit: u32,
    ) -> Result<Octets, Error<LogRaises>> {
        self.repository.check(proof)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        // A name with a path in it would lead out of the directory.
        crate::model::Definition::new(name)
            .check()
            .map_err(|error| Refused { reason: error.to_string() })?;
        Ok(self.host.log(name, which.into(), limit).map_err(|reason| Refused { reason })?)
    }

    fn watch(
        &self,
        proof: &Secret,
        run: u64,
        process: u32,
        started: u64,
    ) -> Result<bool, SystemException> {
        self.repository.check(proof)?;
        Ok(self.host.watch(RunId(run), "", process, started))
    }
}
