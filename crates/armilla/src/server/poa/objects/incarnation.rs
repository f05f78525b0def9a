//! Calls to a servant activator: incarnating objects, and etherealizing their servants (CORBA 3.4
//! Part 1, 15.3.6).

use super::lifecycle::NewObject;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::runtime::Orb;
use crate::server::poa::AnyServant;
use crate::server::poa::admission::gate::{GateFlag, discarded};
use crate::server::poa::admission::manager::would_deadlock;
use crate::server::poa::calls::current;
use crate::server::poa::object_map::activation::Ending;
use crate::server::poa::servant_manager::{ServantActivator, ServantManager, ServantManagerError};
use crate::server::poa::{ObjectId, PoaError, PoaInner, State};
use crate::sync::lock;
use crate::threads::wait_limit;
use armilla_ipc::memory::Slot;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Instant;

impl PoaInner {
    /// Calls the activator for a servant and activates it, unless another thread has done so.
    pub(in crate::server::poa) fn incarnate(
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

    /// Waits until no other thread incarnates or etherealizes this object. Returns whether the
    /// calling thread has to incarnate it, and must then call
    /// [`end_incarnation`](Self::end_incarnation). Otherwise the object is active, or its [last
    /// servant](Self::await_retired) has not been etherealized.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` ([`Minor::BAD_INV_ORDER_WOULD_DEADLOCK`]) when this thread is already
    /// incarnating it; `TIMEOUT` when the wait limit of a collocated call expires; `TRANSIENT` when
    /// the thread that calls the activator waits, perhaps through others, for this one.
    fn begin_incarnation(&self, orb: &Orb, id: &ObjectId) -> Result<bool, SystemException> {
        self.activating.acquire_in_time(&self.name, || {
            format!(
                "the servant activator of POA {:?}, which one thread at a time calls, took too \
                 long for another call",
                self.name
            )
        })?;
        let mut state = lock(&self.state);
        let needed = !state.retiring.contains_key(id)
            && !self.gate.is(GateFlag::Destroyed)
            && self.lookup(orb, id.as_bytes(), Slot::NONE).is_none();
        if needed && state.incarnating.insert(id.clone()) {
            // Under the lock: a thread that destroys the POA either prevents the call or waits for
            // it.
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

    /// Waits until the servants of all deactivated objects were etherealized.
    pub(in crate::server::poa) fn await_all_retired(&self) {
        let mut state = lock(&self.state);
        while !state.retiring.is_empty() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the last servant of the object was etherealized.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` ([`Minor::BAD_INV_ORDER_WOULD_DEADLOCK`]) when this thread is itself calling
    /// or etherealizing the object, or keeps other threads from that by serving a request under a
    /// single-thread policy. When the limit expires: `TIMEOUT` for a collocated call, `TRANSIENT`
    /// ([`Minor::TRANSIENT_REQUEST_DISCARDED`]) for others.
    pub(in crate::server::poa) fn await_retired(
        &self,
        orb: &Orb,
        id: &ObjectId,
    ) -> Result<MutexGuard<'_, State>, SystemException> {
        let mut state = lock(&self.state);
        let limit = orb.settings().call_timeout.and_then(|limit| Instant::now().checked_add(limit));
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

    /// Activates the servant that an activator returned, unless the POA has ended meanwhile. If the
    /// program itself has meanwhile activated the object with another servant, that one serves, and
    /// the new one is etherealized.
    fn activate_incarnated(
        self: &Arc<Self>,
        orb: &Orb,
        id: &ObjectId,
        servant: AnyServant,
    ) -> Result<(), SystemException> {
        match self.add_to_map(orb, NewObject { servant: servant.clone(), id: Some(id.as_bytes()) })
        {
            Ok(activation) => {
                // The POA may have ended during the call to the activator. The request has not
                // begun, so it is treated as one that arrives now; the servant is etherealized,
                // once.
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

    /// Passes the servant of the object that was in `slot` to the activator's `etherealize`.
    pub(in crate::server::poa) fn etherealize(
        self: &Arc<Self>,
        orb: &Orb,
        id: &ObjectId,
        slot: Slot,
        servant: AnyServant,
        ending: Ending,
    ) {
        let address = servant.get().address();
        // A servant that never incarnated the object does not count as its servant either.
        let leave = || {
            if slot != Slot::NONE {
                self.servants.etherealized(address);
            }
        };
        let manager = self.servant_manager.get().filter(|_| ending != Ending::Quiet);
        let Some(ServantManager::Activator(activator)) = manager else { return leave() };
        let cleanup = ending == Ending::Cleanup;
        let adapter = orb.poa_of(self);
        // Under a single-thread policy, one call at a time.
        let permit = self.serialize();
        self.activating.acquire();
        // Only now: of several objects of the servant, the last one reported to the activator is
        // then the last one counted.
        leave();
        let remaining = self.servants.has_objects(address);
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

/// The servant violates the policies of the POA
/// ([`Minor::OBJ_ADAPTER_INCARNATE_POLICY_VIOLATION`]).
#[cold]
fn bad_incarnation(id: &ObjectId) -> SystemException {
    SystemException::new(
        ExceptionKind::ObjAdapter,
        Minor::OBJ_ADAPTER_INCARNATE_POLICY_VIOLATION,
        Completion::No,
    )
    .with_reason(format!("the servant activator gave for {id:?} a servant that is active already"))
}
