//! Startup: a server that starts lets a request wait for what is not there yet.
//!
//! A server listens before its program has created the POAs, objects and names that clients know
//! from an earlier run. Until the program runs its ORB, or sets the state of the POA manager, a
//! request for what is missing waits until it arrives. A request for an active object never comes
//! here.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::object_key::parse_system_id;
use crate::runtime::Orb;
use crate::server::poa::{IdAssignment, PoaInner, PoaManager, RequestProcessing};
use crate::sync::lock;
use crate::threads::{BlockingScope, wait_limit};
use armilla_ipc::memory::Slot;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// How far the program has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum StartupStage {
    /// What is missing may still arrive.
    Starting,
    /// What is missing does not exist.
    Started,
    /// The ORB was shut down before it had started.
    ShutDown,
}

/// What a request waits for. A POA is given by its path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Awaited {
    /// A POA.
    Poa(Box<[u8]>),
    /// The object of a POA with this id.
    Object(Box<[u8]>, Box<[u8]>),
    /// The default servant of a POA.
    DefaultServant(Box<[u8]>),
    /// The servant manager of a POA.
    ServantManager(Box<[u8]>),
    /// A published name.
    Name(Box<[u8]>),
}

/// What requests wait for. An entry is removed when what it names arrives.
type Expected = HashMap<Awaited, Waiters>;

/// The requests that wait for one thing.
#[derive(Default)]
struct Waiters {
    count: usize,
    changed: Arc<Condvar>,
}

/// The startup of the POAs of one manager, and the requests that wait for something.
///
/// A request announces what it expects, looks again, and only then waits. What arrives is stored
/// first and looked for among the expectations afterwards. So either the request finds it, or it is
/// woken.
pub(in crate::server::poa) struct Startup {
    /// A [`StartupStage`], changed under the lock.
    stage: AtomicU8,
    expected: Mutex<Expected>,
}

impl Startup {
    pub(in crate::server::poa) fn new(stage: StartupStage) -> Self {
        Self { stage: AtomicU8::new(stage as u8), expected: Mutex::default() }
    }

    /// The stage. A request that has to judge what is missing reads it before it looks: what was
    /// created before the startup ended is then seen.
    pub(in crate::server::poa) fn stage(&self) -> StartupStage {
        match self.stage.load(Ordering::Acquire) {
            stage if stage == StartupStage::Starting as u8 => StartupStage::Starting,
            stage if stage == StartupStage::Started as u8 => StartupStage::Started,
            _ => StartupStage::ShutDown,
        }
    }

    /// Ends the startup, unless it has ended before, and wakes the requests that wait.
    pub(in crate::server::poa) fn end(&self, stage: StartupStage) {
        let expected = lock(&self.expected);
        if self.stage() == StartupStage::Starting {
            self.stage.store(stage as u8, Ordering::Release);
            expected.values().for_each(|waiters| waiters.changed.notify_all());
        }
    }

    /// Wakes the requests that wait for `what`, which has arrived.
    pub(in crate::server::poa) fn arrived(&self, what: impl FnOnce() -> Awaited) {
        // The end of the startup has woken all requests.
        if self.stage() == StartupStage::Starting {
            let mut expected = lock(&self.expected);
            let waiters = if expected.is_empty() { None } else { expected.remove(&what()) };
            waiters.into_iter().for_each(|waiters| waiters.changed.notify_all());
        }
    }

    /// Wakes all requests that wait, so that they look again.
    pub(in crate::server::poa) fn look_again(&self) {
        lock(&self.expected).drain().for_each(|(_, waiters)| waiters.changed.notify_all());
    }
}

/// The announcement of a request that it waits for something. Dropping it takes it back.
struct Expectation {
    manager: PoaManager,
    awaited: Awaited,
    changed: Arc<Condvar>,
}

impl Expectation {
    fn new(manager: &PoaManager, awaited: Awaited) -> Self {
        let startup = manager.startup();
        let mut expected = lock(&startup.expected);
        let waiters = expected.entry(awaited.clone()).or_default();
        waiters.count += 1;
        let changed = waiters.changed.clone();
        drop(expected);
        Self { manager: manager.clone(), awaited, changed }
    }

    fn has_arrived(&self, expected: &Expected) -> bool {
        let waiters = expected.get(&self.awaited);
        waiters.is_none_or(|waiters| !Arc::ptr_eq(&waiters.changed, &self.changed))
    }
}

impl Drop for Expectation {
    fn drop(&mut self) {
        let startup = self.manager.startup();
        let mut expected = lock(&startup.expected);
        if !self.has_arrived(&expected)
            && let Some(waiters) = expected.get_mut(&self.awaited)
        {
            waiters.count -= 1;
            if waiters.count == 0 {
                expected.remove(&self.awaited);
            }
        }
    }
}

/// The waits of one request for what a server that starts does not have yet. They end together,
/// [`startup_hold`](crate::Settings::startup_hold) after the first began.
pub(crate) struct StartupHold<'o> {
    orb: &'o Orb,
    names: bool,
    end: Option<Instant>,
    expectation: Option<Expectation>,
}

impl<'o> StartupHold<'o> {
    /// The waits of a request of `orb`. With `names` it waits for published names too.
    pub(crate) fn new(orb: &'o Orb, names: bool) -> Self {
        Self { orb, names, end: None, expectation: None }
    }

    /// Whether this request waits for what a POA of this manager lacks. The main thread does not:
    /// it is the one that starts the server, and would wait for itself.
    pub(crate) fn applies(&self, manager: &PoaManager) -> bool {
        manager.startup().stage() != StartupStage::Started
            && !self.orb.settings().startup_hold.is_zero()
            && !self.orb.is_main_thread()
    }

    /// Whether this request waits for published names, whose manager is this one.
    pub(crate) fn applies_to_names(&self, manager: &PoaManager) -> bool {
        self.names && self.applies(manager)
    }

    /// Announces that this request expects something. Returns `false` when it has done so before.
    /// The caller looks again for what it expects before it [waits](Self::wait).
    pub(crate) fn expect(&mut self, manager: &PoaManager, awaited: Awaited) -> bool {
        let before = self.expectation.as_ref();
        if before.is_some_and(|before| before.awaited == awaited && before.manager == *manager) {
            return false;
        }
        self.expectation = Some(Expectation::new(manager, awaited));
        true
    }

    /// Waits until what was expected may have arrived, or the startup has ended. The caller then
    /// looks again.
    ///
    /// # Errors
    /// `TRANSIENT` when the limit has expired, when the ORB is shut down, or when the manager holds
    /// too many requests; `TIMEOUT` when the wait limit of a collocated call expires.
    pub(crate) fn wait(&mut self) -> Result<(), SystemException> {
        let Some(expectation) = self.expectation.take() else { return Ok(()) };
        let settings = self.orb.settings();
        let startup = expectation.manager.startup();
        let _held = expectation.manager.count_held(settings.max_held_requests)?;
        let _blocking = BlockingScope::begin();
        // A limit beyond the range of the clock is no limit.
        let begins = || Instant::now().checked_add(settings.startup_hold);
        self.end = self.end.or_else(begins);
        let mut expected = lock(&startup.expected);
        loop {
            match startup.stage() {
                // Before the rest: a shutdown wakes those who wait as an arrival does, perhaps one
                // that has not begun to wait yet.
                StartupStage::ShutDown => return Err(shut_down(&expectation.awaited)),
                StartupStage::Started => return Ok(()),
                StartupStage::Starting if expectation.has_arrived(&expected) => return Ok(()),
                StartupStage::Starting => {}
            }
            let now = Instant::now();
            let left = self.end.map(|end| end.saturating_duration_since(now));
            let own = wait_limit::left();
            expected = match left.into_iter().chain(own).min() {
                Some(shortest) if shortest.is_zero() => {
                    return Err(match own {
                        Some(own) if own.is_zero() => timed_out(&expectation.awaited),
                        _ => overdue(&expectation.awaited),
                    });
                }
                Some(shortest) => {
                    let waited = expectation.changed.wait_timeout(expected, shortest);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let waited = expectation.changed.wait(expected);
                    waited.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }
}

impl PoaInner {
    /// What a request for the object needs that the POA lacks and may still get; `None` when it
    /// could be served, or never.
    pub(crate) fn missing(&self, orb: &Orb, id: &[u8], hint: Slot) -> Option<Awaited> {
        if !self.may_come(id, hint) || self.may_serve(orb, id, hint) {
            return None;
        }
        Some(self.awaited(id))
    }

    /// What requests for the object wait for. Activating the object serves them in any case.
    pub(in crate::server::poa) fn awaited(&self, id: &[u8]) -> Awaited {
        let path = self.path.clone();
        match self.policies.processing {
            RequestProcessing::ActiveObjectMapOnly => Awaited::Object(path, id.into()),
            RequestProcessing::DefaultServant => Awaited::DefaultServant(path),
            RequestProcessing::ServantManager => Awaited::ServantManager(path),
        }
    }

    /// Whether an object that is not active may become so. The key of a transient object that was
    /// active names the slot where it was; such an object has ended.
    fn may_come(&self, id: &[u8], hint: Slot) -> bool {
        let was_here = || {
            let by_system = self.policies.assignment == IdAssignment::System;
            let place = parse_system_id(id).filter(|_| by_system);
            hint != Slot::NONE || place.is_some_and(|(_, slot)| slot != Slot::NONE)
        };
        self.policies.is_persistent() || !was_here()
    }
}

impl Awaited {
    /// The reason of the exception for a request that has waited in vain.
    const fn minor(&self) -> Minor {
        match self {
            Self::Poa(_) => Minor::POA_NOT_CREATED_YET,
            Self::Object(..) => Minor::OBJECT_NOT_ACTIVE_YET,
            Self::DefaultServant(_) | Self::ServantManager(_) => Minor::SERVANT_NOT_SET_YET,
            Self::Name(_) => Minor::NAME_NOT_PUBLISHED_YET,
        }
    }
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Poa(path) => write!(f, "its POA {:?}", names(path)),
            Self::Object(path, id) => {
                write!(f, "the object {} of its POA {:?}", id.escape_ascii(), names(path))
            }
            Self::DefaultServant(path) => {
                write!(f, "the default servant of its POA {:?}", names(path))
            }
            Self::ServantManager(path) => {
                write!(f, "the servant manager of its POA {:?}", names(path))
            }
            Self::Name(name) => write!(f, "the name {:?}", String::from_utf8_lossy(name)),
        }
    }
}

/// The names of a POA and those above it.
fn names(path: &[u8]) -> String {
    match String::from_utf8_lossy(path).strip_prefix('\0') {
        None => "RootPOA".to_owned(),
        Some(names) => names.replace('\0', "/"),
    }
}

#[cold]
fn overdue(awaited: &Awaited) -> SystemException {
    let what = format!("the server is starting: {awaited} is not there yet; repeat the call later");
    SystemException::new(ExceptionKind::Transient, awaited.minor(), Completion::No)
        .with_reason(what)
        .with_hint(
            "a server has started when it calls `Orb::run` or sets the state of its POA managers; \
             `startup_hold` limits how long it lets requests wait for that",
        )
}

#[cold]
fn shut_down(awaited: &Awaited) -> SystemException {
    let what = format!("the server was shut down while it was starting: {awaited} was not there");
    SystemException::new(ExceptionKind::Transient, Minor::SHUT_DOWN_WHILE_STARTING, Completion::No)
        .with_reason(what)
}

#[cold]
fn timed_out(awaited: &Awaited) -> SystemException {
    let what =
        format!("the server is starting, and the call's time was over before {awaited} came");
    wait_limit::exhausted(Completion::No, what)
}
