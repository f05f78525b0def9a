//! What a POA with a servant activator asks it for: servants to be, which it incarnates, and those that were,
//! which it etherealizes (CORBA 3.4 Part 1, 15.3.6).

use super::activation::Ending;
use super::gate::{GateFlag, discarded};
use super::lifecycle::NewObject;
use super::manager::would_deadlock;
use super::servant_manager::{ServantActivator, ServantManager, ServantManagerError};
use super::{ObjectId, PoaError, PoaInner, State, current};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::runtime::Orb;
use crate::server::AnyServant;
use crate::sync::lock;
use crate::threads::wait_limit;
use armilla_ipc::memory::Slot;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Instant;

impl PoaInner {
    /// Asks the activator for a servant and activates it, unless another thread has done so.
    pub(super) fn incarnate(
        self: &Arc<Self>,
        orb: &Orb,
        activator: &dyn ServantActivator,
        id: &ObjectId,
    ) -> Result<(), ServantManagerError> {
        if !self.begin_incarnation(orb, id)? {
            return Ok(());
        }
        let poa = orb.poa_of(self);
        let asked = self.ask_manager("ServantActivator::incarnate", Slot::NONE, || {
            activator.incarnate(id, &poa)
        });
        let done = match asked {
            Ok(Ok(servant)) => {
                self.activate_incarnated(orb, id, servant).map_err(ServantManagerError::from)
            }
            Ok(Err(refusal)) => Err(refusal),
            Err(panicked) => Err(panicked.into()),
        };
        self.end_incarnation(id);
        done
    }

    /// Waits until nobody else makes or unmakes servants, and says whether this thread shall incarnate
    /// the object; then [`end_incarnation`](Self::end_incarnation) follows. Otherwise the object is
    /// active, or [its last servant](Self::await_retired) is still to be given back.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (reason 3) where this thread incarnates it already; `TIMEOUT` when a call of this
    /// process has no time left.
    fn begin_incarnation(&self, orb: &Orb, id: &ObjectId) -> Result<bool, SystemException> {
        self.activating.acquire_in_time(|| {
            format!(
                "the servant activator of POA {:?}, which is asked for one thing at a time, took too \
                 long for another",
                self.name
            )
        })?;
        let mut state = lock(&self.state);
        let needed = !state.retiring.contains_key(id)
            && !self.gate.is(GateFlag::Destroyed)
            && self.lookup(orb, id.as_bytes(), Slot::NONE).is_none();
        if needed && state.incarnating.insert(id.clone()) {
            // Under the lock: who destroys the POA prevents this or waits for what comes of it.
            self.unmapped_begins();
            return Ok(true);
        }
        drop(state);
        self.activating.release();
        match needed {
            false => Ok(false),
            true => Err(would_deadlock(&format!("{id:?} to be incarnated"))),
        }
    }

    fn end_incarnation(&self, id: &ObjectId) {
        lock(&self.state).incarnating.remove(id);
        self.activating.release();
        self.unmapped_ended();
    }

    /// Waits until every servant that was taken from its object was etherealized.
    pub(super) fn await_all_retired(&self) {
        let mut state = lock(&self.state);
        while !state.retiring.is_empty() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the last servant of the object was etherealized.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (reason 3) where this very thread is calling or etherealizing it, or keeps others
    /// from that, as one that serves a request where calls are made one at a time; when that takes longer
    /// than calls may, `TIMEOUT` to one of this process, to others `TRANSIENT` (reason 1).
    pub(super) fn await_retired(
        &self,
        orb: &Orb,
        id: &ObjectId,
    ) -> Result<MutexGuard<'_, State>, SystemException> {
        let mut state = lock(&self.state);
        let limit = orb.settings().call_timeout.map(|limit| Instant::now() + limit);
        while let Some(slot) = state.retiring.get(id) {
            if current::is_serving_at(orb, *slot)
                || self.activating.is_held_by_current_thread()
                || self.gate.is_held_by_current_thread()
            {
                drop(state);
                return Err(would_deadlock(&format!("{id:?} to be etherealized")));
            }
            let own = wait_limit::left();
            let left = limit.map(|limit| limit.saturating_duration_since(Instant::now()));
            state = match own.or(left) {
                Some(left) if left.is_zero() => {
                    let what = format!("the last servant of {id:?} is not etherealized yet");
                    return Err(match own {
                        Some(_) => wait_limit::exhausted(Completion::No, what),
                        None => discarded(what),
                    });
                }
                Some(left) => {
                    let waited = self.changed.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        Ok(state)
    }

    /// Activates what a servant activator gave, unless the POA has ended meanwhile. Where the program has
    /// activated the object itself meanwhile, with another servant, that serves, and the new one goes back.
    fn activate_incarnated(
        self: &Arc<Self>,
        orb: &Orb,
        id: &ObjectId,
        servant: AnyServant,
    ) -> Result<(), SystemException> {
        match self.place(orb, NewObject { servant: servant.clone(), id: Some(id.as_bytes()) }) {
            Ok(activation) => {
                // The POA may have ended while the activator was asked: the request has not begun and goes
                // where those go that come now, and the servant goes back, once.
                self.concurrent_ending().inspect(|ending| _ = self.retire(&activation, *ending));
            }
            Err(PoaError::ObjectAlreadyActive) => {
                let active = self.lookup(orb, id.as_bytes(), Slot::NONE);
                if active.is_none_or(|active| active.servant != servant) {
                    self.etherealize(orb, id, Slot::NONE, servant, Ending::Deactivated);
                }
            }
            Err(PoaError::System(exception)) => return Err(exception),
            Err(_) => return Err(bad_incarnation(id)),
        }
        Ok(())
    }

    /// Gives the servant of the object that stood at `slot` back to the activator.
    pub(super) fn etherealize(
        self: &Arc<Self>,
        orb: &Orb,
        id: &ObjectId,
        slot: Slot,
        servant: AnyServant,
        ending: Ending,
    ) {
        let address = servant.get().address();
        // One that never had the object belongs to it neither.
        let leave = || {
            if slot != Slot::NONE {
                self.servants.give_back(address);
            }
        };
        let manager = self.servant_manager.get().filter(|_| ending != Ending::Quiet);
        let Some(ServantManager::Activator(activator)) = manager else { return leave() };
        let cleanup = ending == Ending::Cleanup;
        let adapter = orb.poa_of(self);
        // One at a time, where calls are.
        let permit = self.serialize();
        self.activating.acquire();
        // Now, so that of several of its objects the last one that the activator hears of is the last.
        leave();
        let remaining = self.servants.belongs(address);
        let done = self.ask_manager("ServantActivator::etherealize", slot, || {
            activator.etherealize(id, &adapter, servant, cleanup, remaining);
        });
        self.activating.release();
        self.gate.release(permit);
        if let Err(error) = done {
            report!(
                warn,
                "a servant was not etherealized",
                object = format_args!("{id:?}"),
                error = error
            );
        }
    }
}

/// The servant breaks the policies of the POA (reason 5 of `OBJ_ADAPTER`).
#[cold]
fn bad_incarnation(id: &ObjectId) -> SystemException {
    SystemException::new(
        ExceptionKind::ObjAdapter,
        Minor::OBJ_ADAPTER_INCARNATE_POLICY_VIOLATION,
        Completion::No,
    )
    .with_reason(format!("the servant activator gave for {id:?} a servant that is active already"))
}
