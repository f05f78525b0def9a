//! What drives the model: requests, hosts, time, and the store.
//!
//! All changes of the model happen under one lock, which is never held while something is done that
//! takes time. `actions` carries out what the model asks for, `references` makes references to
//! servers, `probe` asks servers, `workers` are the threads.

mod actions;
mod probe;
mod references;
mod workers;

pub(crate) use references::tls_port;

use crate::corba::{ActivatorRef, Secret};
use crate::host::{Host, LocalHost, RemoteHost};
use crate::model::{
    Definition, Ending, Endpoint, Key, Repository, RepositoryError, RunId, Server, Status, Time,
    WaiterId,
};
use crate::random;
use crate::store::{Kept, Store};
use armilla::{
    Caller, Completion, ExceptionKind, LocationReply, Minor, Orb, SoughtKey, SystemException,
};
use armilla_ipc::{Address, host};
use references::Place;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::thread;
use std::time::{Duration, Instant};
use workers::Workers;

/// How often log files are looked at.
const ROTATION: Duration = Duration::from_secs(5);

/// A repository that runs.
pub(crate) struct Engine {
    orb: Orb,
    begin: Instant,
    state: Mutex<State>,
    /// The next tick may be earlier now.
    sooner: Condvar,
    /// Start, signal and store.
    workers: Workers,
    /// Wait for the answers of servers. Those that are silent hold up no start.
    askers: Workers,
    local: LocalHost,
    remote: RwLock<BTreeMap<String, Arc<RemoteHost>>>,
    store: Store,
    /// `HOST:PORT` of the repository, for servers.
    address: String,
    on_change: OnChange,
}

/// Is told which server has changed.
pub(crate) type OnChange = Box<dyn Fn(&str) + Send + Sync>;

struct State {
    repository: Repository,
    waiting: HashMap<WaiterId, Waiting>,
    next_waiter: u64,
    places: HashMap<Endpoint, Place>,
    /// An object of each server that a client was forwarded to.
    objects: HashMap<String, Box<[u8]>>,
    /// The servers whose runs are to be stored, and whether a thread does so.
    unrecorded: BTreeSet<String>,
    recording: bool,
    ended: bool,
}

/// A client that waits.
struct Waiting {
    server: String,
    key: Box<[u8]>,
    reply: LocationReply,
}

/// What to do with a server failed.
#[derive(Debug)]
pub(crate) enum CommandError {
    Unknown(String),
    Refused(String),
}

impl From<RepositoryError> for CommandError {
    fn from(error: RepositoryError) -> Self {
        match error {
            RepositoryError::Unknown(name) => Self::Unknown(name),
            other => Self::Refused(other.to_string()),
        }
    }
}

impl Engine {
    pub(crate) fn new(
        orb: &Orb,
        store: Store,
        local: LocalHost,
        address: String,
        on_change: OnChange,
    ) -> Arc<Self> {
        let state = State {
            repository: Repository::new(random::run),
            waiting: HashMap::new(),
            next_waiter: 0,
            places: HashMap::new(),
            objects: HashMap::new(),
            unrecorded: BTreeSet::new(),
            recording: false,
            ended: false,
        };
        Arc::new(Self {
            orb: orb.clone(),
            begin: Instant::now(),
            state: Mutex::new(state),
            sooner: Condvar::new(),
            workers: Workers::default(),
            askers: Workers::default(),
            local,
            remote: RwLock::default(),
            store,
            address,
            on_change,
        })
    }

    /// The time since the repository was started.
    pub(crate) fn now(&self) -> Time {
        self.begin.elapsed()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with a server, and carries out what follows.
    pub(crate) fn with<R>(
        self: &Arc<Self>,
        name: &str,
        what: impl FnOnce(&mut Server, Time) -> R,
    ) -> Option<R> {
        let now = self.now();
        let mut state = self.lock();
        let server = state.repository.server(name)?;
        let result = what(server, now);
        self.carry_out(name, state);
        Some(result)
    }

    /// The same with the server that has this run.
    pub(crate) fn with_run<R>(
        self: &Arc<Self>,
        run: RunId,
        what: impl FnOnce(&mut Server, Time) -> R,
    ) -> Option<R> {
        let name = self.lock().repository.server_of(run)?.to_owned();
        self.with(&name, what)
    }

    // Clients.

    /// Answers a request for an object of a server: now, or when the server runs.
    pub(crate) fn locate(self: &Arc<Self>, sought: SoughtKey<'_>, reply: LocationReply) {
        let adapter = sought.adapter();
        let key = Key { octets: sought.octets(), adapter: adapter.as_deref() };
        let mut state = self.lock();
        let Some(name) = state.repository.owner(&key).map(str::to_owned) else {
            drop(state);
            tracing::debug!(key = %sought.octets().escape_ascii(), "no server has this key");
            return reply.unknown_with(unregistered(sought));
        };
        state.next_waiter += 1;
        let id = WaiterId(state.next_waiter);
        let waiting = Waiting { server: name.clone(), key: sought.octets().into(), reply };
        state.waiting.insert(id, waiting);
        let now = self.now();
        if let Some(server) = state.repository.server(&name) {
            server.request(now, id, &sought.peer().to_string());
        }
        self.carry_out(&name, state);
    }

    // Operators.

    /// Adds or changes a server.
    pub(crate) fn define(
        self: &Arc<Self>,
        definition: Definition,
        replace: bool,
    ) -> Result<(), CommandError> {
        let name = definition.name.clone();
        let now = self.now();
        let mut state = self.lock();
        let before = state.repository.server(&name).map(|server| server.definition().clone());
        let server = state.repository.define(definition.clone(), replace)?;
        if let Err(error) = self.store.put(&definition) {
            // What is not on the disk is not there.
            match before {
                Some(before) => server.set_definition((*before).clone()),
                None => state.repository.remove(&name).unwrap_or_default(),
            }
            return Err(CommandError::Refused(error.to_string()));
        }
        server.open(now);
        self.carry_out(&name, state);
        // Also if nothing is to be done for it.
        (self.on_change)(&name);
        Ok(())
    }

    /// Removes a server that does not run.
    pub(crate) fn remove(&self, name: &str) -> Result<(), CommandError> {
        let mut state = self.lock();
        state.repository.check_removal(name)?;
        // What is still on the disk is still there.
        self.store.remove(name).map_err(|error| CommandError::Refused(error.to_string()))?;
        state.repository.remove(name)?;
        state.objects.remove(name);
        let of_server = state.waiting.extract_if(|_, waiting| waiting.server == name);
        let waiting: Vec<Waiting> = of_server.map(|(_, waiting)| waiting).collect();
        drop(state);
        // Clients that waited for the pause after a failure to end are told by this.
        drop(waiting);
        (self.on_change)(name);
        Ok(())
    }

    /// Whether the repository can do its work: what it is told must reach the disk.
    pub(crate) fn check_store(&self) -> Result<(), String> {
        self.store.check().map_err(|error| format!("the store cannot be written: {error}"))
    }

    /// The definition of a server.
    pub(crate) fn definition(&self, name: &str) -> Option<Arc<Definition>> {
        self.lock().repository.server(name).map(|server| server.definition().clone())
    }

    /// The states of all servers.
    pub(crate) fn list(&self) -> Vec<(String, Status)> {
        let state = self.lock();
        let servers = state.repository.servers();
        servers.map(|(name, server)| (name.to_owned(), server.status())).collect()
    }

    /// The state of a server.
    pub(crate) fn status(&self, name: &str) -> Option<Status> {
        self.lock().repository.server(name).map(|server| server.status())
    }

    /// A command of an operator.
    pub(crate) fn command(
        self: &Arc<Self>,
        name: &str,
        command: impl FnOnce(&mut Server, Time) -> Result<(), String>,
    ) -> Result<(), CommandError> {
        match self.with(name, command) {
            None => Err(CommandError::Unknown(name.to_owned())),
            Some(done) => done.map_err(CommandError::Refused),
        }
    }

    /// Where a run listens, for operators.
    pub(crate) fn address_of(endpoint: &str) -> String {
        Place::parse(endpoint).map_or_else(|| endpoint.to_owned(), |place| place.address())
    }

    // Servers and hosts.

    /// The name of the server to which a key belongs that an ORB of another vendor has made.
    pub(crate) fn owner_of(&self, octets: &[u8]) -> Option<String> {
        self.lock().repository.owner(&Key { octets, adapter: None }).map(str::to_owned)
    }

    /// The name of the server that a process says it is.
    pub(crate) fn identify(
        &self,
        name: &str,
        run: RunId,
        adapters: &[Vec<String>],
    ) -> Option<String> {
        let state = self.lock();
        let repository = &state.repository;
        let found = repository.server_of(run).or_else(|| repository.identify(name, adapters));
        found.map(str::to_owned)
    }

    /// The process of a run has ended.
    pub(crate) fn exited(self: &Arc<Self>, run: RunId, ending: &Ending) {
        self.with_run(run, |server, now| server.exited(now, run, ending));
    }

    /// The host with this name; the repository's own without one.
    pub(crate) fn host(&self, name: Option<&str>) -> Result<Arc<dyn Host>, String> {
        let Some(name) = name.filter(|name| *name != self.local.name()) else {
            return Ok(Arc::new(self.local.clone()));
        };
        let remote = self.remote.read().unwrap_or_else(PoisonError::into_inner);
        match remote.get(name) {
            Some(host) => Ok(host.clone()),
            None => Err(format!("host {name:?} has no activator")),
        }
    }

    /// Whether a client is on the host with this name, the repository's own without one.
    fn is_at(&self, name: Option<&str>, client: &Caller) -> bool {
        let remote = self.remote.read().unwrap_or_else(PoisonError::into_inner);
        match name.filter(|name| *name != self.local.name()) {
            None => client.is_on_this_host(),
            Some(name) => remote.get(name).is_some_and(|host| host.has(client)),
        }
    }

    /// Whether a client may speak for a server: it is on the host of this run, of the definition if
    /// it names no run, or where the definition says that servers may be that were started by hand.
    pub(crate) fn may_speak(&self, name: &str, run: RunId, client: Option<&Caller>) -> bool {
        let mut state = self.lock();
        let Some(server) = state.repository.server(name) else { return false };
        let definition = server.definition().clone();
        let of_run = server.host_of(run).map(str::to_owned);
        let by_hand = of_run.is_none() && server.is_started_by_hand();
        drop(state);
        let host = of_run.filter(|host| !host.is_empty()).or_else(|| definition.host.clone());
        let included = |ip| definition.registered_from.iter().any(|network| network.includes(ip));
        let admitted = |client: &Caller| match &client.address {
            Some(at @ Address::Tcp { .. }) => at.ip().is_some_and(included),
            // Over TCP it might have come from any address of this host.
            Some(Address::SameHost) => host::addresses().into_iter().any(included),
            _ => false,
        };
        client.is_some_and(|client| {
            self.is_at(host.as_deref(), client) || by_hand && admitted(client)
        })
    }

    /// The names of all hosts.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let remote = self.remote.read().unwrap_or_else(PoisonError::into_inner);
        [self.local.name()].into_iter().chain(remote.keys().cloned()).collect()
    }

    /// The activator of a host.
    pub(crate) fn set_activator(
        &self,
        host: &str,
        activator: &ActivatorRef,
        proof: &Secret,
        from: Option<Caller>,
    ) -> Result<(), String> {
        if host == self.local.name() || host.is_empty() {
            return Err(format!("host {host:?} is that of the repository itself"));
        }
        let mut remote = self.remote.write().unwrap_or_else(PoisonError::into_inner);
        match remote.get(host) {
            Some(known) => known.set_activator(activator, proof, from)?,
            None => {
                let known = Arc::new(RemoteHost::new(host.to_owned(), activator, proof, from));
                remote.insert(host.to_owned(), known);
                tracing::info!(host, "an activator has registered");
            }
        }
        Ok(())
    }

    // The life of the repository.

    /// Reads the store, finds the processes of an earlier repository, and begins.
    pub(crate) fn open(self: &Arc<Self>) -> Result<(), CommandError> {
        let kept = self.store.load();
        let kept = kept.map_err(|error| CommandError::Refused(error.to_string()))?;
        for Kept { definition, runs, state } in kept {
            let name = definition.name.clone();
            let host = definition.host.clone();
            self.lock().repository.define(definition, true)?.restore_state(state);
            for record in runs {
                let (run, started) = (record.id, record.started);
                let watched = match (self.host(host.as_deref()), record.process) {
                    (Ok(host), Some(process)) if started > 0 => {
                        host.watch(run, &name, process, started)
                    }
                    _ => false,
                };
                // A process here that has ended is not found again; others are asked.
                if watched || started == 0 || host.is_some() {
                    self.with(&name, |server, now| server.restore(now, record, watched));
                }
            }
        }
        let engine = Arc::downgrade(self);
        let thread = thread::Builder::new().name("armilla-imr-time".to_owned());
        let thread = thread.spawn(move || keep_time(&engine));
        thread.map_err(|error| CommandError::Refused(format!("no thread: {error}")))?;
        let names: Vec<String> = self.list().into_iter().map(|(name, _)| name).collect();
        for name in &names {
            self.with(name, |server, now| server.open(now));
        }
        Ok(())
    }

    /// Ends the repository. Servers go on.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.ended = true;
        // Dropped without the lock: the clients are told.
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        drop(waiting);
        self.sooner.notify_all();
    }
}

/// Why a request is refused whose key no server has.
fn unregistered(sought: SoughtKey<'_>) -> SystemException {
    let of = match sought.adapter() {
        Some(names) => format!("the POA {:?}", names.join("/")),
        None => "this object key".to_owned(),
    };
    let what = format!(
        "no server is registered for it: no server's pattern matches {of} (key {:?}); `armilla imr \
         ls` lists the servers, `armilla imr add` adds one",
        shortened(&sought.octets().escape_ascii().to_string())
    );
    let (kind, minor) = (ExceptionKind::ObjectNotExist, Minor::SERVER_NOT_REGISTERED);
    SystemException::new(kind, minor, Completion::No).with_reason(what)
}

/// A text that is short enough for a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Calls `tick` of servers when something is due.
fn keep_time(engine: &Weak<Engine>) {
    let mut rotated = Instant::now();
    loop {
        let Some(engine) = engine.upgrade() else { return };
        let now = engine.now();
        let mut due = Vec::new();
        let state = engine.lock();
        for (name, server) in state.repository.servers() {
            if server.next_tick().is_some_and(|time| time <= now) {
                due.push(name.to_owned());
            }
        }
        drop(state);
        for name in &due {
            engine.with(name, |server, now| server.tick(now));
        }
        if rotated.elapsed() >= ROTATION {
            rotated = Instant::now();
            engine.forget_cancelled();
            let names = engine.list().into_iter().map(|(name, _)| name);
            engine.local.rotate_logs(names);
        }
        let state = engine.lock();
        if state.ended {
            return;
        }
        let next = state.repository.next_tick().map_or(ROTATION, |time| {
            time.saturating_sub(engine.now()).clamp(Duration::from_millis(1), ROTATION)
        });
        drop(engine.sooner.wait_timeout(state, next));
    }
}

impl Engine {
    /// Takes back the requests of clients that do not wait any more.
    fn forget_cancelled(self: &Arc<Self>) {
        let mut state = self.lock();
        let gone = |(id, waiting): (&WaiterId, &Waiting)| {
            waiting.reply.is_cancelled().then(|| (*id, waiting.server.clone()))
        };
        let gone: Vec<_> = state.waiting.iter().filter_map(gone).collect();
        let mut dropped = Vec::new();
        for (id, server) in gone {
            dropped.extend(state.waiting.remove(&id));
            if let Some(server) = state.repository.server(&server) {
                server.cancel(id);
            }
        }
        drop(state);
        drop(dropped);
    }
}
