//! POA managers: whether the POAs of a group serve requests (CORBA 3.4 Part 1, 15.3.2).

use super::gate::{GateFlag, discarded};
use super::startup::{Awaited, Startup, StartupStage};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::policies::CustomPolicy;
use crate::runtime::Orb;
use crate::server::poa::{Ending, PoaError, PoaInner};
use crate::sync::lock;
use crate::threads::wait_limit;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};

/// What the POAs of a manager do with requests: `POAManager::State`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ManagerState {
    /// Requests wait: `HOLDING`. The setting
    /// [`max_held_requests`](crate::Settings::max_held_requests) limits their number; further
    /// requests fail with `TRANSIENT`.
    #[doc(alias = "HOLDING")]
    Holding,
    /// Requests are served: `ACTIVE`. While the manager [is starting](PoaManager::is_starting),
    /// those for what is not there yet wait.
    #[doc(alias = "ACTIVE")]
    Active,
    /// Requests fail with `TRANSIENT`: `DISCARDING`.
    #[doc(alias = "DISCARDING")]
    Discarding,
    /// Requests fail with `OBJ_ADAPTER`
    /// ([`Minor::OBJ_ADAPTER_UNAVAILABLE`](crate::Minor::OBJ_ADAPTER_UNAVAILABLE)), for good:
    /// `INACTIVE`.
    #[doc(alias = "INACTIVE")]
    Inactive,
}

/// Decides for a group of POAs whether their requests are served: `POAManager`.
///
/// A POA has the manager that [`PoaBuilder::manager`](crate::server::poa::PoaBuilder::manager) sets; by default,
/// and as the root POA, it has one of its own. [`Poa::manager`](crate::server::poa::Poa::manager) returns it.
/// These default managers are *active from the start*, while in CORBA they hold requests until the
/// program activates them; the setting [`hold_requests`](crate::Settings::hold_requests) makes them
/// do so. A manager from [`Orb::create_poa_manager`](crate::Orb::create_poa_manager) always holds
/// requests at first.
///
/// In any state a manager [is starting](Self::is_starting) at first: a request for an object that
/// is active is served, one for what is missing waits until it is there. So a server that is
/// restarted does not tell clients that their objects are gone before it has created them.
///
/// Clones are the same manager; all may be used from any thread.
///
/// ```
/// use armilla::{ManagerState, Orb};
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let manager = orb.create_poa_manager("maintenance")?;
/// let accounts = orb.root_poa().create_poa("accounts").manager(&manager).build()?;
/// manager.activate()?;
/// // Requests wait while the data is exchanged.
/// manager.hold_requests(true)?;
/// assert_eq!(accounts.manager().state(), ManagerState::Holding);
/// manager.activate()?;
/// # orb.shutdown();
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Clone)]
#[doc(alias = "POAManager")]
pub struct PoaManager(Arc<Inner>);

struct Inner {
    id: String,
    policies: Box<[CustomPolicy]>,
    state: Mutex<State>,
    changed: Condvar,
    /// The number of requests that wait.
    held: AtomicUsize,
    startup: Startup,
}

struct State {
    state: ManagerState,
    adapters: Vec<Weak<PoaInner>>,
    /// Whether a POA has ever used this manager.
    is_used: bool,
}

impl PoaManager {
    pub(in crate::server::poa) fn new(
        id: String,
        (state, stage): (ManagerState, StartupStage),
        policies: Box<[CustomPolicy]>,
    ) -> Self {
        let state = Mutex::new(State { state, adapters: Vec::new(), is_used: false });
        let (changed, held, startup) = (Condvar::new(), AtomicUsize::new(0), Startup::new(stage));
        Self(Arc::new(Inner { id, policies, state, changed, held, startup }))
    }

    /// Its id, unique in its ORB: `get_id`. That of the root POA's manager is `RootPOAManager`.
    #[doc(alias = "get_id")]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The policies with which it [was created](crate::Orb::create_poa_manager_with).
    pub fn policies(&self) -> &[CustomPolicy] {
        &self.0.policies
    }

    /// The current state: `get_state`.
    #[doc(alias = "get_state")]
    pub fn state(&self) -> ManagerState {
        self.lock().state
    }

    /// Whether requests wait for what the POAs of this manager lack and may still get: a child POA,
    /// an object, a servant manager, a default servant; with the root POA's manager also a
    /// published name. Calls by the main thread do not wait, since this thread starts the server.
    ///
    /// The startup ends when the program runs the ORB ([`run`](crate::Orb::run),
    /// [`run_for`](crate::Orb::run_for), [`work_pending`](crate::Orb::work_pending),
    /// [`perform_work`](crate::Orb::perform_work)) or sets the state of the manager, if only to the
    /// one that it has. A request for what is then missing fails with `OBJECT_NOT_EXIST`.
    /// [`startup_hold`](crate::Settings::startup_hold) limits how long a request waits; after that
    /// it fails with `TRANSIENT`, not executed.
    pub fn is_starting(&self) -> bool {
        self.startup().stage() == StartupStage::Starting
    }

    /// How many requests wait for the manager to become active, or for what its POAs lack while it
    /// [is starting](Self::is_starting).
    pub fn held_requests(&self) -> usize {
        self.0.held.load(Ordering::Relaxed)
    }

    /// Serves requests from now on, the held ones first: `activate`.
    ///
    /// # Errors
    /// `AdapterInactive`.
    pub fn activate(&self) -> Result<(), PoaError> {
        self.change(ManagerState::Active).map(drop)
    }

    /// Holds requests from now on: `hold_requests`. With `wait_for_completion` this returns when no
    /// request is in progress any more, or when the state was changed again.
    ///
    /// # Errors
    /// `AdapterInactive`; `BAD_INV_ORDER`
    /// ([`Minor::BAD_INV_ORDER_WOULD_DEADLOCK`](crate::Minor::BAD_INV_ORDER_WOULD_DEADLOCK)) in a
    /// servant, which would wait for itself.
    pub fn hold_requests(&self, wait_for_completion: bool) -> Result<(), PoaError> {
        self.set_state(ManagerState::Holding, wait_for_completion)
    }

    /// Fails requests with `TRANSIENT` from now on, held ones included: `discard_requests`. With
    /// `wait_for_completion` this returns when no request is in progress any more, or when the
    /// state was changed again.
    ///
    /// # Errors
    /// As [`hold_requests`](Self::hold_requests).
    pub fn discard_requests(&self, wait_for_completion: bool) -> Result<(), PoaError> {
        self.set_state(ManagerState::Discarding, wait_for_completion)
    }

    /// Fails requests with `OBJ_ADAPTER` from now on, for good: `deactivate`. With
    /// `etherealize_objects` every object of a POA with a servant activator is deactivated and
    /// etherealized. With `wait_for_completion` this returns when that is done and no request is in
    /// progress any more.
    ///
    /// # Errors
    /// `AdapterInactive`; `BAD_INV_ORDER`
    /// ([`Minor::BAD_INV_ORDER_WOULD_DEADLOCK`](crate::Minor::BAD_INV_ORDER_WOULD_DEADLOCK)) in a
    /// servant, which would wait for itself.
    pub fn deactivate(
        &self,
        etherealize_objects: bool,
        wait_for_completion: bool,
    ) -> Result<(), PoaError> {
        self.check_waiting(wait_for_completion)?;
        let adapters = self.change(ManagerState::Inactive)?;
        if etherealize_objects {
            for poa in adapters.iter().filter(|poa| poa.policies.has_activator()) {
                poa.deactivate_all(Ending::Cleanup);
            }
        }
        if wait_for_completion {
            adapters.iter().for_each(|poa| poa.await_idle(|| true));
        }
        if wait_for_completion && etherealize_objects {
            // The last call of an object may have ended before its servant was etherealized.
            adapters.iter().for_each(|poa| poa.await_all_retired());
        }
        Ok(())
    }

    fn set_state(&self, state: ManagerState, wait_for_completion: bool) -> Result<(), PoaError> {
        self.check_waiting(wait_for_completion)?;
        let adapters = self.change(state)?;
        if wait_for_completion {
            adapters.iter().for_each(|poa| poa.await_idle(|| self.state() == state));
        }
        Ok(())
    }

    fn check_waiting(&self, wait_for_completion: bool) -> Result<(), PoaError> {
        let serves = || {
            let state = self.lock();
            state
                .adapters
                .iter()
                .filter_map(Weak::upgrade)
                .any(|poa| poa.orb().is_some_and(|orb| orb.is_serving()))
        };
        match wait_for_completion && serves() {
            true => Err(would_deadlock("the manager's requests to end").into()),
            false => Ok(()),
        }
    }

    /// Changes the state. Returns the POAs of the manager.
    fn change(&self, to: ManagerState) -> Result<Vec<Arc<PoaInner>>, PoaError> {
        let mut state = self.lock();
        if state.state == ManagerState::Inactive {
            return Err(PoaError::AdapterInactive);
        }
        let before = std::mem::replace(&mut state.state, to);
        state.adapters.retain(|poa| poa.strong_count() > 0);
        let adapters: Vec<_> = state.adapters.iter().filter_map(Weak::upgrade).collect();
        for poa in &adapters {
            poa.gate.set(GateFlag::Closed, to != ManagerState::Active);
        }
        self.0.changed.notify_all();
        drop(state);
        self.end_startup(StartupStage::Started);
        // Threads that wait for calls to end under the old state check the state again.
        adapters.iter().for_each(|poa| poa.wake());
        if before != to
            && let Some(orb) = adapters.iter().find_map(|poa| poa.orb())
            && let Some(interceptors) = orb.server_interceptors()
        {
            interceptors.manager_state_changed(&orb, &self.0.id, to);
        }
        Ok(adapters)
    }

    /// Makes this the manager of `poa`.
    pub(in crate::server::poa) fn adopt(&self, poa: &Arc<PoaInner>) {
        let mut state = self.lock();
        state.adapters.retain(|poa| poa.strong_count() > 0);
        state.adapters.push(Arc::downgrade(poa));
        state.is_used = true;
        poa.gate.set(GateFlag::Closed, state.state != ManagerState::Active);
    }

    /// Whether it has lost its last POA, and only the list of managers refers to it.
    pub(in crate::server::poa) fn is_unused(&self) -> bool {
        let state = self.lock();
        let gone = state.adapters.iter().all(|poa| poa.strong_count() == 0);
        state.is_used && gone && Arc::strong_count(&self.0) == 1
    }

    /// Waits until the manager is active or `poa` is destroyed.
    ///
    /// # Errors
    /// `TRANSIENT` when the manager discards requests or holds too many, `OBJ_ADAPTER` when it is
    /// inactive, `TIMEOUT` when the wait limit of a collocated call expires.
    pub(in crate::server::poa) fn await_active(
        &self,
        poa: &PoaInner,
        orb: &Orb,
    ) -> Result<(), SystemException> {
        let mut state = self.lock();
        loop {
            match state.state {
                ManagerState::Active => return Ok(()),
                ManagerState::Discarding => {
                    let what = format!("the manager {:?} discards requests", self.0.id);
                    return Err(discarded(what));
                }
                ManagerState::Inactive => return Err(inactive(&self.0.id)),
                ManagerState::Holding if poa.gate.is(GateFlag::Destroyed) => return Ok(()),
                ManagerState::Holding => {}
            }
            let held = self.count_held(orb.settings().max_held_requests)?;
            let waited = wait_limit::wait(&self.0.changed, state);
            drop(held);
            let over = waited.is_err();
            state = waited.unwrap_or_else(|state| state);
            if over {
                let what =
                    format!("the manager {:?} held the call until its time was over", self.0.id);
                return Err(wait_limit::exhausted(Completion::No, what));
            }
        }
    }

    /// Counts a request that waits, until the result is dropped.
    ///
    /// # Errors
    /// `TRANSIENT` when `limit` requests wait already.
    pub(in crate::server::poa) fn count_held(
        &self,
        limit: usize,
    ) -> Result<HeldRequest<'_>, SystemException> {
        let one_more = |held| (held < limit).then_some(held + 1);
        match self.0.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more) {
            Ok(_) => Ok(HeldRequest(&self.0.held)),
            Err(_) => Err(discarded(format!(
                "the manager {:?} holds {limit} requests already (max_held_requests)",
                self.0.id
            ))),
        }
    }

    /// The requests that wait for what the POAs of this manager lack.
    pub(in crate::server::poa) fn startup(&self) -> &Startup {
        &self.0.startup
    }

    /// Ends the startup of its POAs, unless it has ended before.
    pub(in crate::server::poa) fn end_startup(&self, stage: StartupStage) {
        self.0.startup.end(stage);
    }

    /// Wakes the requests that wait for `what`, which its POAs have now.
    pub(crate) fn arrived(&self, what: impl FnOnce() -> Awaited) {
        self.0.startup.arrived(what);
    }

    /// Wakes the requests that wait for something, so that they look again.
    pub(crate) fn look_again(&self) {
        self.0.startup.look_again();
    }

    /// Wakes the threads that wait for the manager to become active, and those that wait for
    /// something to arrive.
    pub(in crate::server::poa) fn wake(&self) {
        let state = self.lock();
        self.0.changed.notify_all();
        drop(state);
        self.look_again();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0.state)
    }
}

/// A request that a manager counts as one that waits.
pub(in crate::server::poa) struct HeldRequest<'m>(&'m AtomicUsize);

impl Drop for HeldRequest<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl PartialEq for PoaManager {
    /// Whether both are the same manager.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for PoaManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoaManager").field("id", &self.0.id).finish_non_exhaustive()
    }
}

#[cold]
fn inactive(id: &str) -> SystemException {
    SystemException::new(ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE, Completion::No)
        .with_reason(format!("the POA manager {id:?} was deactivated"))
}

/// A servant must not wait for its own request to end ([`Minor::BAD_INV_ORDER_WOULD_DEADLOCK`]).
#[cold]
pub(in crate::server::poa) fn would_deadlock(what: &str) -> SystemException {
    SystemException::new(
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_WOULD_DEADLOCK,
        Completion::No,
    )
    .with_reason(format!("a servant, or other code that the ORB calls, cannot wait for {what}"))
}
