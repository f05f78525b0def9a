//! An activator: starts and ends processes on this host for a repository on another.

use crate::corba::activator as skeleton;
use crate::corba::activator::{LogRaises, StartRaises};
use crate::corba::{
    self, ActivatorRef, EndSignal, Launched, LogStream, Octets, Refused, Registry, RepositoryRef,
};
use crate::host::{Host, Launch, LocalHost, LogLimits};
use crate::model::{Ending, RunId};
use crate::store::decode_definition;
use armilla::{Error, Orb, SystemException};
use armilla_ipc::process;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The pauses between attempts to reach the repository: the first, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(15)];

/// How long an end is reported, again and again, to a repository that does not answer.
const REPORTS: u32 = 20;

/// An activator in this process. It registers in the repository until it is dropped. The processes
/// that it has started go on.
///
/// ```no_run
/// use armilla::Orb;
/// use armilla_imr::Activator;
///
/// let orb = Orb::builder().listen("iiop://:0")?.build()?;
/// let url = "corbaloc::imr.example.org:2810/ImplementationRepository";
/// let activator = Activator::serve(&orb, url, "node7", "/var/log/armilla")?;
/// orb.run()?;
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

impl Activator {
    /// Serves an activator for the host with this name with `orb`, and keeps it registered in the
    /// repository with this URL. What processes write goes to files in the directory `logs`.
    ///
    /// # Errors
    /// `INITIALIZE` if the ORB cannot listen, `BAD_PARAM` if the URL is malformed, `NO_RESOURCES`
    /// without a thread.
    pub fn serve(
        orb: &Orb,
        url: &str,
        host: &str,
        logs: impl Into<PathBuf>,
    ) -> Result<Self, SystemException> {
        let repository: RepositoryRef = orb.string_to_object(url)?.assume();
        let reporter = repository.clone();
        let on_end = move |run: RunId, ending: Ending| report(&reporter, run, &ending);
        let logs = logs.into();
        let local = LocalHost::new(host.to_owned(), logs, LogLimits::default(), Arc::new(on_end));
        let servant = skeleton::tie(Servant(local));
        let reference: ActivatorRef = orb.root_poa().activate(servant)?;
        let shared = Arc::<Shared>::default();
        let (known, name, ends) = (reference.clone(), host.to_owned(), shared.clone());
        let keep = move || keep_registered(&repository, &name, &known, &ends);
        let thread = thread::Builder::new().name("armilla-imr-host".to_owned()).spawn(keep);
        thread.map_err(|error| {
            let kind = armilla::ExceptionKind::NoResources;
            let minor = armilla::Minor::THREAD_NOT_STARTED;
            SystemException::new(kind, minor, armilla::Completion::No)
                .with_reason(format!("no thread for the activator: {error}"))
        })?;
        Ok(Self { reference, shared })
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
            Err(error) => tracing::warn!(%error, %run, "the end of a process is not reported yet"),
        }
        thread::sleep(pause);
        pause = (pause * 2).min(PAUSES[1]);
    }
}

fn keep_registered(
    repository: &RepositoryRef,
    host: &str,
    reference: &ActivatorRef,
    shared: &Shared,
) {
    let mut pause = PAUSES[0];
    loop {
        let wait = match repository.register_activator(host, reference) {
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

struct Servant(LocalHost);

impl corba::Activator for Servant {
    fn start(&self, what: &corba::Launch) -> Result<Launched, Error<StartRaises>> {
        let refused = |reason| Refused { reason };
        let definition = decode_definition(what.definition.as_bytes()).map_err(refused)?;
        let definition = Arc::new(definition);
        let repository = what.repository.clone();
        let launch = Launch { run: RunId(what.run), definition, repository };
        let started = self.0.start(&launch).map_err(refused)?;
        Ok(Launched {
            process: started.process,
            started: started.started,
            address: started.address.unwrap_or_default(),
        })
    }

    fn signal(&self, run: u64, which: EndSignal) -> Result<(), SystemException> {
        let signal = match which {
            EndSignal::Terminate => process::EndSignal::Terminate,
            EndSignal::Kill => process::EndSignal::Kill,
        };
        self.0.signal(RunId(run), signal);
        Ok(())
    }

    fn log(&self, name: &str, which: LogStream, limit: u32) -> Result<Octets, Error<LogRaises>> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        // A name with a path in it would lead out of the directory.
        crate::model::Definition::new(name)
            .check()
            .map_err(|error| Refused { reason: error.to_string() })?;
        Ok(self.0.log(name, which.into(), limit).map_err(|reason| Refused { reason })?)
    }

    fn watch(&self, run: u64, process: u32, started: u64) -> Result<bool, SystemException> {
        Ok(self.0.watch(RunId(run), "", process, started))
    }
}
