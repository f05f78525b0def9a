//! The tree of POAs: names, parents, children, and adapter activators that create POAs on demand.

use super::builder::child_path;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::server::poa::admission::gate::{Admission, GateFlag, creation_timed_out};
use crate::server::poa::admission::waits::{Crossing, Sought, Wait, crossing_creation};
use crate::server::poa::{
    AdapterActivator, Awaited, Poa, PoaError, PoaInner, PoaManager, StartupHold,
};
use crate::sync::lock;
use crate::threads::wait_limit;
use std::sync::{Arc, Weak};
use std::thread;

impl Poa {
    /// Its name: `the_name`. The root's is `RootPOA`.
    #[doc(alias = "the_name")]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its policies, including defaults: those that were not set explicitly.
    pub fn policies(&self) -> Vec<crate::server::poa::Policy> {
        self.inner.policies()
    }

    /// The id of this POA, unique in its ORB: `id`.
    #[doc(alias = "id")]
    pub fn adapter_id(&self) -> &[u8] {
        self.inner.path()
    }

    /// The parent, unless this is the root or the parent was destroyed: `the_parent`.
    #[doc(alias = "the_parent")]
    pub fn parent(&self) -> Option<Self> {
        let inner = self.inner.parent.as_ref().and_then(Weak::upgrade)?;
        Some(self.orb.poa_of(&inner))
    }

    /// The children, sorted by name: `the_children`.
    #[doc(alias = "the_children")]
    pub fn children(&self) -> Vec<Self> {
        lock(&self.inner.state).children.values().map(|inner| self.orb.poa_of(inner)).collect()
    }

    /// The manager that decides when requests are served: `the_POAManager`.
    #[doc(alias = "the_POAManager")]
    pub fn manager(&self) -> &PoaManager {
        &self.inner.manager
    }

    /// The adapter activator, which creates children on demand: `the_activator`.
    #[doc(alias = "the_activator")]
    pub fn activator(&self) -> Option<Arc<dyn AdapterActivator>> {
        lock(&self.inner.state).activator.clone()
    }

    /// Sets the adapter activator, which creates children on demand: `the_activator`.
    #[doc(alias = "the_activator")]
    pub fn set_activator(&self, activator: impl AdapterActivator) {
        self.change_activator(Some(Arc::new(activator)));
    }

    /// Removes the adapter activator: `the_activator` becomes nil.
    pub fn clear_activator(&self) {
        self.change_activator(None);
    }

    fn change_activator(&self, activator: Option<Arc<dyn AdapterActivator>>) {
        let before = std::mem::replace(&mut lock(&self.inner.state).activator, activator);
        // Dropped without the lock: this may run code of the program.
        drop(before);
        self.inner.manager.look_again();
    }

    /// The child with this name: `find_POA`. If there is none and `activate_it` is set, the
    /// [`activator`](Self::activator) is called to create it, unless the calling thread is already
    /// in the activator for this name.
    ///
    /// ```
    /// use armilla::{Orb, PoaError};
    ///
    /// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    /// let root = orb.root_poa();
    /// root.create_poa("accounts").build()?;
    /// assert_eq!(root.find_poa("accounts", false)?.name(), "accounts");
    /// assert_eq!(root.find_poa("cards", false).err(), Some(PoaError::AdapterNonExistent));
    /// # orb.shutdown();
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `AdapterNonExistent`; `OBJ_ADAPTER` ([`Minor::OBJ_ADAPTER_UNAVAILABLE`]) when the activator
    /// failed; `OBJECT_NOT_EXIST` when this POA was destroyed.
    #[doc(alias = "find_POA")]
    pub fn find_poa(&self, name: &str, activate_it: bool) -> Result<Self, PoaError> {
        self.require(true)?;
        let found = match activate_it {
            false => lock(&self.inner.state).children.get(name).cloned(),
            true => wait_limit::without_limit(|| self.inner.child(&self.orb, name))?,
        };
        found.map(|inner| self.orb.poa_of(&inner)).ok_or(PoaError::AdapterNonExistent)
    }
}

impl PoaInner {
    /// The child with this name, for a request. The adapter activator creates it if needed and if
    /// the manager admits the request. While the server starts, a request waits for the child.
    ///
    /// # Errors
    /// Those of [`child`](Self::child), [`admit`](Self::admit) and [`StartupHold::wait`].
    fn child_for_request(
        self: &Arc<Self>,
        orb: &Orb,
        name: &str,
        hold: &mut StartupHold<'_>,
    ) -> Result<Option<Arc<Self>>, SystemException> {
        loop {
            let waits = hold.applies(&self.manager);
            let (known, has_activator) = {
                let state = lock(&self.state);
                (state.children.get(name).cloned(), state.activator.is_some())
            };
            if known.is_some() {
                return Ok(known);
            }
            // Announced before the activator is asked, so that it is asked once for each wait.
            if waits && hold.expect(&self.manager, Awaited::Poa(child_path(self, name))) {
                continue;
            }
            let made = match has_activator {
                false => None,
                true => match self.admit(orb)? {
                    Admission::Granted(permit) => {
                        let child = self.child(orb, name);
                        self.gate.release(permit);
                        child?
                    }
                    Admission::MainThread => self.child(orb, name)?,
                    Admission::Gone => None,
                },
            };
            if made.is_some() || !waits || self.gate.is(GateFlag::Destroyed) {
                return Ok(made);
            }
            hold.wait()?;
        }
    }

    /// The child with this name, created by the adapter activator if needed.
    ///
    /// # Errors
    /// `OBJ_ADAPTER` ([`Minor::OBJ_ADAPTER_UNAVAILABLE`]) when the activator failed; `TIMEOUT` when
    /// another thread is in it, and the wait limit of a collocated call expires; `TRANSIENT` when
    /// that thread waits for what this one makes.
    fn child(
        self: &Arc<Self>,
        orb: &Orb,
        name: &str,
    ) -> Result<Option<Arc<Self>>, SystemException> {
        let activator = {
            let mut state = lock(&self.state);
            let me = thread::current().id();
            while let Some(creator) =
                state.creating.get(name).copied().filter(|creator| *creator != me)
            {
                let _waits = Wait::begin(Sought::creation(self, name), creator)
                    .map_err(|Crossing| crossing_creation(name))?;
                state = wait_limit::wait(&self.changed, state)
                    .map_err(|_| wait_limit::exhausted(Completion::No, creation_timed_out(name)))?;
            }
            if let Some(child) = state.children.get(name) {
                return Ok(Some(child.clone()));
            }
            let Some(activator) = state.activator.clone() else { return Ok(None) };
            // A thread that is in the activator for this name must not call it again.
            if self.gate.is(GateFlag::Destroyed) || state.creating.contains_key(name) {
                return Ok(None);
            }
            state.creating.insert(name.to_owned(), me);
            activator
        };
        let parent = orb.poa_of(self);
        let made = orb.call_back("AdapterActivator::unknown_adapter", Completion::No, || {
            activator.unknown_adapter(&parent, name)
        });
        let mut state = lock(&self.state);
        state.creating.remove(name);
        Wait::pass_on(&Sought::creation(self, name), None);
        let child = state.children.get(name).cloned();
        if let Some(child) = &child {
            child.gate.set(GateFlag::Creating, false);
            child.wake();
        }
        drop(state);
        self.changed.notify_all();
        match made.and_then(|answer| answer) {
            Ok(made) => Ok(child.filter(|_| made)),
            Err(why) => Err(activator_failed(name, &why)),
        }
    }
}

impl Orb {
    /// The POA with this path, created by adapter activators if needed. The manager of a parent
    /// decides whether its activator may be called, and whether the request waits for a child.
    pub(crate) fn adapter(
        &self,
        path: &[u8],
        hold: &mut StartupHold<'_>,
    ) -> Result<Option<Arc<PoaInner>>, SystemException> {
        if let Some(found) =
            self.adapters().get(path).filter(|poa| !poa.gate.is(GateFlag::Destroyed))
        {
            return Ok(Some(found));
        }
        let mut poa = self.root();
        let from_the_root = || path.split(|octet| *octet == 0).skip(1);
        let mut names = from_the_root();
        let mut retries = 0;
        while let Some(name) = names.next() {
            let Ok(name) = std::str::from_utf8(name) else { return Ok(None) };
            if poa.gate.is(GateFlag::Creating) {
                // Another thread is creating it, and may not have created its children yet. The
                // thread that creates it itself need not wait.
                poa.await_creation_by_others()?;
            }
            match poa.child_for_request(self, name, hold)? {
                Some(next) => poa = next,
                // It was destroyed meanwhile, and may be created again from the root.
                None if retries > MAX_CREATION_RETRIES => return Err(destroyed_repeatedly()),
                None if poa.parent.is_some() && poa.gate.is(GateFlag::Destroyed) => {
                    retries += 1;
                    poa = self.root();
                    names = from_the_root();
                }
                None => return Ok(None),
            }
        }
        Ok(Some(poa).filter(|poa| poa.path() == path))
    }
}

/// An adapter activator failed ([`Minor::OBJ_ADAPTER_UNAVAILABLE`]).
#[cold]
fn activator_failed(name: &str, why: &SystemException) -> SystemException {
    SystemException::new(ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE, Completion::No)
        .with_reason(format!(
            "the adapter activator failed to make POA {name:?}: {}",
            why.as_cause()
        ))
}

/// How often one request is dispatched again to a POA that was created again.
pub(crate) const MAX_CREATION_RETRIES: usize = 100;

/// The POA was destroyed each time the request reached it, perhaps by its own servant manager
/// ([`Minor::TRANSIENT_POA_DESTROYED`], CORBA 3.4 Part 1, A.5.3).
#[cold]
pub(crate) fn destroyed_repeatedly() -> SystemException {
    SystemException::new(ExceptionKind::Transient, Minor::TRANSIENT_POA_DESTROYED, Completion::No)
        .with_reason(format!(
            "the POA of the object was destroyed {MAX_CREATION_RETRIES} times under the request"
        ))
}
