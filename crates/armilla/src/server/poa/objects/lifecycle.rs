//! The life cycle of objects and POAs: activation, deactivation, destruction, and waiting for them.
//!
//! How calls see a deactivated object is in `active_calls.rs`, the calls to servant activators are
//! in `incarnation.rs`.

use crate::exception::SystemException;
use crate::runtime::Orb;
use crate::server::poa::AnyServant;
use crate::server::poa::admission::gate::GateFlag;
use crate::server::poa::admission::manager::would_deadlock;
use crate::server::poa::calls::active_calls::ActiveCalls;
use crate::server::poa::calls::current;
use crate::server::poa::object_map::activation::Ending;
use crate::server::poa::{Activation, Poa, PoaError, PoaInner};
use crate::sync::lock;
use armilla_ipc::fence;
use armilla_ipc::memory::{Handle, Slot};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use std::time::Instant;

/// An object to be activated.
pub(in crate::server::poa) struct NewObject<'a> {
    pub(in crate::server::poa) servant: AnyServant,
    /// `None` for an id that the POA makes from the slot.
    pub(in crate::server::poa) id: Option<&'a [u8]>,
}

impl PoaInner {
    /// Adds an object to the active object map.
    ///
    /// # Errors
    /// `ObjectAlreadyActive` and `ServantAlreadyActive`; `BAD_PARAM` when the POA has a perfect
    /// hash without this id; `OBJECT_NOT_EXIST` when the POA was destroyed.
    pub(in crate::server::poa) fn insert(
        self: &Arc<Self>,
        orb: &Orb,
        object: NewObject<'_>,
    ) -> Result<Handle<Activation>, PoaError> {
        let activation = self.add_to_map(orb, object)?;
        match self.concurrent_ending() {
            None => Ok(activation),
            Some(_) => {
                self.retire(&activation, Ending::Quiet);
                Err(self.destroyed().into())
            }
        }
    }

    /// How the POA ends, if it does. Checked after an object was placed: either the thread that
    /// destroys the POA finds the object, or this check finds the end.
    pub(in crate::server::poa) fn concurrent_ending(&self) -> Option<Ending> {
        match self.gate.is(GateFlag::Destroyed) {
            true => lock(&self.state).ending,
            false => None,
        }
    }

    /// The same, without checking whether the POA has ended.
    pub(in crate::server::poa) fn add_to_map(
        self: &Arc<Self>,
        orb: &Orb,
        object: NewObject<'_>,
    ) -> Result<Handle<Activation>, PoaError> {
        // One thread at a time, if an id or a servant must not become active twice.
        let exclusive = object.id.is_some() || self.servants.is_exclusive();
        let state = exclusive.then(|| lock(&self.state));
        if let Some(id) = object.id {
            self.check_id(orb, id)?;
        }
        if self.servants.find(orb, self, object.servant.get().address()).is_some() {
            return Err(PoaError::ServantAlreadyActive);
        }
        self.live.fetch_add(1, Ordering::SeqCst);
        let activation = orb.objects().insert(self.serial, |slot| {
            let NewObject { servant, id } = object;
            let servant = self.with_lookup(servant);
            self.servants.insert(servant.get().address(), slot);
            Activation::new(servant, id, self.clone(), slot)
        });
        if activation.has_system_key() {
            drop(state);
        } else {
            let id = activation.id();
            self.ids.insert(id.as_bytes(), activation.slot);
            self.record_moved(orb, id.as_bytes(), true);
            drop(state);
            self.manager.arrived(|| self.awaited(id.as_bytes()));
        }
        Ok(activation)
    }

    fn check_id(&self, orb: &Orb, id: &[u8]) -> Result<(), PoaError> {
        self.check_hashed(id)?;
        let found = self.lookup(orb, id, Slot::NONE);
        match found.is_some_and(|object| object.is_active()) {
            true => Err(PoaError::ObjectAlreadyActive),
            false => Ok(()),
        }
    }

    /// Records that an object with an id made from a slot is active again (or not) under its old
    /// id, in another slot than the keys say that were made before.
    fn record_moved(self: &Arc<Self>, orb: &Orb, id: &[u8], active: bool) {
        let place = crate::object_key::parse_system_id(id).filter(|(incarnation, slot)| {
            self.keys_are_slots && *incarnation == self.incarnation && *slot != Slot::NONE
        });
        if let Some((_, slot)) = place {
            orb.adapters().set_moved(slot, active.then_some(self));
        }
    }

    /// Deactivates an object. Returns whether it was active.
    pub(in crate::server::poa) fn retire(
        self: &Arc<Self>,
        activation: &Activation,
        ending: Ending,
    ) -> bool {
        let retired = self.withdraw(activation, ending);
        if retired {
            end_if_idle(activation);
        }
        retired
    }

    /// Deactivates all objects of this POA.
    pub(in crate::server::poa) fn deactivate_all(self: &Arc<Self>, ending: Ending) {
        let withdrawn = self.objects().into_iter();
        let withdrawn: Vec<_> = withdrawn.filter(|object| self.withdraw(object, ending)).collect();
        if withdrawn.is_empty() {
            return;
        }
        // One heavy fence and one scan of the hazard pointers for all objects.
        let calls = ActiveCalls::now();
        for activation in &withdrawn {
            if !activation.is_among(&calls) && activation.end() {
                finish(activation);
            }
        }
        if let Some(orb) = self.orb() {
            current::during_end(&orb, || Handle::drop_all(withdrawn));
        }
    }

    /// Stops calls of an object from beginning. Returns whether it was active; then it ends when it
    /// is idle.
    fn withdraw(self: &Arc<Self>, activation: &Activation, ending: Ending) -> bool {
        let (id, orb) = (activation.id(), self.orb());
        let mut state = lock(&self.state);
        if self.policies.has_activator() && activation.is_active() {
            state.retiring.insert(id.clone(), activation.slot);
        }
        if !activation.deactivate(ending) {
            return false;
        }
        if !activation.has_system_key() {
            self.ids.remove(id.as_bytes(), activation.slot);
        }
        self.servants.remove(activation.servant.get().address(), activation.slot);
        // Under the lock, so that no other thread activates an object under this id before.
        if let (false, Some(orb)) = (activation.has_system_key(), &orb) {
            self.record_moved(orb, id.as_bytes(), false);
        }
        self.tell_deactivated(id.as_bytes());
        drop(state);
        true
    }

    /// The objects in the active object map, including deactivated ones with calls in progress.
    fn objects(&self) -> Vec<Handle<Activation>> {
        let Some(orb) = self.orb() else { return Vec::new() };
        if self.live.load(Ordering::SeqCst) == 0 {
            return Vec::new();
        }
        let ours = |object: &Handle<Activation>| std::ptr::eq(&*object.poa, self);
        orb.objects().of(self.serial).filter(ours).collect()
    }

    /// Waits until all calls that were in progress have ended, as long as `goes_on` returns `true`.
    /// The gate must be closed or the objects deactivated.
    pub(in crate::server::poa) fn await_idle(&self, goes_on: impl Fn() -> bool) {
        {
            let mut state = lock(&self.state);
            state.watchers += 1;
            self.gate.set(GateFlag::Watched, true);
        }
        let mut calls = ActiveCalls::now();
        let mut busy: Vec<_> =
            self.objects().into_iter().filter(|object| object.is_among(&calls)).collect();
        let mut state = lock(&self.state);
        loop {
            // Any call that ends after this wakes the thread.
            calls = ActiveCalls::again();
            let idle = busy.extract_if(.., |object| !object.is_among(&calls));
            let idle: Vec<_> = idle.collect();
            if !idle.is_empty() {
                // Without the lock: dropping a servant may run any code of the program.
                drop(state);
                Handle::drop_all(idle);
                state = lock(&self.state);
                continue;
            }
            if !goes_on() || busy.is_empty() && self.unmapped.load(Ordering::SeqCst) == 0 {
                break;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.watchers -= 1;
        if state.watchers == 0 {
            self.gate.set(GateFlag::Watched, false);
        }
    }

    /// Waits until the thread that destroys the POA has done so, and every object has ended,
    /// etherealization included, or until `limit`.
    fn await_ended(&self, limit: Option<Instant>) {
        let mut state = lock(&self.state);
        while !state.is_destroyed || self.is_busy() {
            state = match limit.map(|limit| limit.saturating_duration_since(Instant::now())) {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => return,
                Some(left) => {
                    let waited = self.changed.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// The same for this POA and all below it, which were destroyed.
    pub(crate) fn await_all_ended(&self, limit: Option<Instant>) {
        let children = lock(&self.state).ending_children.clone();
        children.iter().for_each(|child| child.await_all_ended(limit));
        self.await_ended(limit);
    }

    /// Whether this POA and those below it were destroyed, and no call and no etherealization is in
    /// progress in them.
    pub(in crate::server::poa) fn has_ended(&self) -> bool {
        let (is_destroyed, children) = {
            let state = lock(&self.state);
            (state.is_destroyed, state.ending_children.clone())
        };
        is_destroyed && !self.is_busy() && children.iter().all(|child| child.has_ended())
    }

    /// Whether an object has not ended, or a call outside the active object map is in progress.
    fn is_busy(&self) -> bool {
        let any = |count: &AtomicUsize| count.load(Ordering::SeqCst) > 0;
        any(&self.live) || any(&self.unmapped)
    }

    /// Lets the POA above forget this one, if it has ended. Until then threads that destroy that
    /// one, or shut the ORB down, wait for this one too.
    fn leave_parent(&self) {
        if !self.gate.is(GateFlag::Destroyed) || !self.has_ended() {
            return;
        }
        let Some(parent) = self.parent.as_ref().and_then(Weak::upgrade) else { return };
        let left = {
            let children = &mut lock(&parent.state).ending_children;
            let place = children.iter().position(|child| std::ptr::eq(&**child, self));
            place.map(|place| children.swap_remove(place))
        };
        // Dropped without the lock: this may run code of the program.
        drop(left);
        parent.leave_parent();
    }

    /// Wakes the threads that wait for something to end.
    pub(in crate::server::poa) fn wake(&self) {
        let _state = lock(&self.state);
        self.changed.notify_all();
    }

    /// A call of an active object has ended.
    pub(in crate::server::poa) fn call_ended(&self) {
        if self.gate.is(GateFlag::Watched) {
            self.wake();
        }
    }

    /// A call outside the active object map begins.
    pub(in crate::server::poa) fn unmapped_begins(&self) {
        self.unmapped.fetch_add(1, Ordering::SeqCst);
    }

    /// A call outside the active object map has ended.
    pub(in crate::server::poa) fn unmapped_ended(&self) {
        self.unmapped.fetch_sub(1, Ordering::SeqCst);
        if self.gate.is(GateFlag::Watched) || self.gate.is(GateFlag::Destroyed) {
            self.wake();
            self.leave_parent();
        }
    }

    /// The exception for a POA that was destroyed.
    #[cold]
    pub(in crate::server::poa) fn destroyed(&self) -> SystemException {
        let orb_is_over = self.orb().is_none_or(|orb| orb.check_running().is_err());
        match orb_is_over {
            true => SystemException::shut_down(),
            false => SystemException::no_adapter()
                .with_reason(format!("POA {:?} was destroyed", self.name)),
        }
    }

    /// Destroys this POA and those below it, children first, unless another thread has begun to.
    /// With `wait` it returns when all of them have ended.
    pub(crate) fn destroy(self: &Arc<Self>, orb: &Orb, ending: Ending, wait: bool) {
        if let Some(children) = self.begin_destruction(ending) {
            children.iter().for_each(|child| child.destroy(orb, ending, wait));
            self.finish_destruction(orb, ending);
        }
        if wait {
            self.await_all_ended(None);
        }
    }

    /// Closes the POA for good and returns its children, which end with it; `None` if another
    /// thread has done so.
    fn begin_destruction(&self, ending: Ending) -> Option<Vec<Arc<Self>>> {
        let mut state = lock(&self.state);
        if state.ending.is_some() {
            return None;
        }
        self.gate.set(GateFlag::Destroyed, true);
        state.ending = Some(ending);
        let children: Vec<_> = std::mem::take(&mut state.children).into_values().collect();
        state.ending_children.extend(children.iter().cloned());
        self.changed.notify_all();
        Some(children)
    }

    /// Does the rest of what destroys a POA, once its children are destroyed.
    fn finish_destruction(self: &Arc<Self>, orb: &Orb, ending: Ending) {
        orb.adapters().remove(self);
        self.manager.wake();
        // Interceptors that have not seen the POA being created do not see it destroyed.
        if let Some(interceptors) = orb.server_interceptors()
            && self.established.get().is_some()
        {
            current::during_end(orb, || interceptors.adapter_destroyed(orb, &self.path));
        }
        self.deactivate_all(ending);
        lock(&self.state).is_destroyed = true;
        self.wake();
        self.leave_parent();
    }
}

/// Ends a deactivated object, unless calls are in progress; then the last of them ends it.
#[cold]
pub(in crate::server::poa) fn end_if_idle(activation: &Activation) {
    if activation.has_ended() {
        return;
    }
    fence::heavy();
    if !activation.is_busy() && activation.end() {
        finish(activation);
    }
}

/// The work that follows the last call of an object: frees its slot and has the servant
/// etherealized.
fn finish(activation: &Activation) {
    let poa = &activation.poa;
    let Some(orb) = poa.orb() else { return };
    // The caller borrows the activation, which keeps it in memory.
    current::during_end(&orb, || orb.objects().remove(activation.slot));
    if poa.policies.has_activator() {
        let id = activation.id();
        let (servant, slot) = (activation.servant.clone(), activation.slot);
        poa.etherealize(&orb, &id, slot, servant, activation.ending());
        lock(&poa.state).retiring.remove(&id);
    }
    poa.live.fetch_sub(1, Ordering::SeqCst);
    poa.wake();
    poa.leave_parent();
}

impl Poa {
    /// Destroys this POA and all below it: `destroy`. The name is free at once. Requests find no
    /// object, while calls in progress continue. With `etherealize_objects` a servant activator
    /// gets each servant back when its last call has ended. With `wait_for_completion` this returns
    /// when all of that is done. Until then another call may wait for it too; whether servants are
    /// etherealized is decided by the first call.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` ([minor code](crate::Minor::BAD_INV_ORDER_WOULD_DEADLOCK)) with
    /// `wait_for_completion` in a servant, in a servant manager, in the `Drop` of a servant and where
    /// interceptors see a POA destroyed, which would wait for themselves; then nothing is destroyed. `OBJECT_NOT_EXIST` when the POA was destroyed before,
    /// and all of that is done.
    pub fn destroy(
        &self,
        etherealize_objects: bool,
        wait_for_completion: bool,
    ) -> Result<(), PoaError> {
        if wait_for_completion && self.orb.is_serving() {
            return Err(would_deadlock("a POA to end").into());
        }
        if !self.inner.gate.is(GateFlag::Destroyed) || self.inner.has_ended() {
            self.require(true)?;
        }
        if let Some(parent) = self.inner.parent.as_ref().and_then(Weak::upgrade) {
            let state = &mut *lock(&parent.state);
            let ours = state.children.get(self.name());
            if ours.is_some_and(|poa| Arc::ptr_eq(poa, &self.inner)) {
                // The name is free, but whoever destroys the parent waits for this POA.
                state.ending_children.extend(state.children.remove(self.name()));
            }
        }
        let ending = if etherealize_objects { Ending::Cleanup } else { Ending::Quiet };
        self.inner.destroy(&self.orb, ending, wait_for_completion);
        Ok(())
    }
}
