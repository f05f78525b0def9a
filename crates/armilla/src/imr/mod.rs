//! The server's side of an implementation repository: telling it that this server runs, and that it
//! ends.
//!
//! `-ORBImR URL` names the repository. References of persistent POAs then lead to it (see
//! `server/dispatch/find.rs`), and it forwards clients to where this module says that the server
//! listens. A thread of its own does so, from the moment when the program runs its ORB until the
//! ORB is shut down, and says it again now and then, in case the repository was restarted.

mod registry;

use crate::exception::SystemException;
use crate::log::report;
use crate::runtime::{Orb, Part, PartSlot, WeakOrb};
use crate::server::poa::{Lifespan, Poa, Policy};
use crate::sync::lock;
use registry::{Presence, Registry};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The environment variable in which a repository tells a server that it starts under which number
/// it knows this run.
pub(crate) const RUN_VARIABLE: &str = "ARMILLA_IMR_RUN";

/// The time limit of a call to the repository.
const CALL: Duration = Duration::from_secs(5);

/// The pauses between attempts to reach the repository: the first, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(15)];

/// The shortest time between two registrations that the repository may ask for.
const MIN_PERIOD: Duration = Duration::from_secs(1);

/// The registration of an ORB that has a repository.
pub(crate) struct Registration {
    url: String,
    thread: OnceLock<Option<JoinHandle<()>>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    ended: bool,
    /// Whether the repository knows this server.
    known: bool,
}

impl Part for Mutex<Registration> {
    const SLOT: PartSlot = PartSlot::Registration;
}

impl Registration {
    /// Installs what registers the server, if its settings name a repository.
    pub(crate) fn install(orb: &Orb) {
        if let Some(location) = orb.settings().imr_location() {
            let (thread, shared) = Default::default();
            let url = location.to_string();
            orb.install(Mutex::new(Self { url, thread, shared }));
        }
    }
}

impl Orb {
    /// Begins to register the server, unless that was done before or there is no repository.
    pub(crate) fn begin_registration(&self) {
        let Some(registration) = self.find_part::<Mutex<Registration>>() else { return };
        let registration = lock(registration);
        registration.thread.get_or_init(|| {
            let (weak, shared) = (self.downgrade(), registration.shared.clone());
            let url = registration.url.clone();
            let keep = move || keep_registered(&weak, &url, &shared);
            let thread = thread::Builder::new().name("armilla-imr".to_owned()).spawn(keep);
            thread
                .inspect_err(|error| report!(warn, "no thread for registration", error = error))
                .ok()
        });
    }

    /// Tells the repository that the server ends, so that it forwards no further clients to it.
    pub(crate) fn end_registration(&self) {
        let Some(registration) = self.find_part::<Mutex<Registration>>() else { return };
        let mut registration = lock(registration);
        lock(&registration.shared.state).ended = true;
        registration.shared.ended.notify_all();
        if let Some(thread) = registration.thread.take().flatten() {
            // Its calls have time limits, and it does not panic.
            thread.join().ok();
        }
        if lock(&registration.shared.state).known
            && let Err(error) = registry(self, &registration.url)
                .and_then(|registry| registry.unregister_server(&presence(self)))
        {
            report!(warn, "the implementation repository was not told of the end", error = error);
        }
    }
}

/// Registers the server, again and again.
fn keep_registered(orb: &WeakOrb, url: &str, shared: &Shared) {
    let (mut pause, mut complained) = (PAUSES[0], false);
    loop {
        let Some(orb) = orb.upgrade() else { return };
        let registered = register(&orb, url);
        drop(orb);
        let mut state = lock(&shared.state);
        let wait = match registered {
            Ok(period) => {
                if !state.known {
                    tracing::info!(repository = url, "registered");
                }
                (state.known, complained, pause) = (true, false, PAUSES[0]);
                period.max(MIN_PERIOD)
            }
            Err(error) => {
                if !complained {
                    complained = true;
                    report!(
                        warn,
                        "the server is not registered, and keeps trying",
                        repository = url,
                        error = error,
                    );
                }
                let wait = pause;
                pause = (pause * 2).min(PAUSES[1]);
                wait
            }
        };
        let waited = shared.ended.wait_timeout_while(state, wait, |state| !state.ended);
        if waited.unwrap_or_else(PoisonError::into_inner).0.ended {
            return;
        }
    }
}

/// Registers the server once. Returns the time after which it is to do so again.
fn register(orb: &Orb, url: &str) -> Result<Duration, SystemException> {
    // A reference to no object of the root POA: it carries the addresses of this server itself, and
    // a server that answers for it, whatever it says, is alive.
    let here = orb.root_poa().create_object("IDL:omg.org/CORBA/Object:1.0")?;
    registry(orb, url)?.register_server(&presence(orb), &here)
}

fn registry(orb: &Orb, url: &str) -> Result<Registry, SystemException> {
    Ok(Registry(orb.string_to_object(url)?.with_timeout(CALL)))
}

/// What the repository is told of this server.
fn presence(orb: &Orb) -> Presence {
    let run = std::env::var(RUN_VARIABLE).ok().and_then(|run| run.parse().ok());
    let mut adapters = Vec::new();
    persistent_adapters(&orb.root_poa(), &mut Vec::new(), &mut adapters);
    Presence {
        name: orb.settings().server_id.clone(),
        run: run.unwrap_or_default(),
        process: std::process::id(),
        host: host(),
        adapters,
    }
}

/// The name of this host, as the repository and its activators know it.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// Adds the names of each persistent POA below `poa`.
fn persistent_adapters(poa: &Poa, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    for child in poa.children() {
        path.push(child.name().to_owned());
        if child.policies().contains(&Policy::from(Lifespan::Persistent)) {
            found.push(path.clone());
        }
        persistent_adapters(&child, path, found);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use crate::Orb;

    #[test]
    fn a_repository_without_an_address_is_refused() {
        for url in ["corbaloc:rir:/ImR", "IOR:00", "host", "corbaname::h#n"] {
            let orb = Orb::builder().settings(|settings| settings.imr = Some(url.into())).build();
            assert!(orb.is_err(), "{url}");
        }
    }
}
