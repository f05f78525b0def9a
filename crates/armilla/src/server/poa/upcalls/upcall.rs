//! Upcalls: finding the servant of a request, admitting the call, beginning and ending it.
//!
//! How threads see which objects are being called is in `active_calls.rs`.

use super::found::Found;
use super::located_servant::{LocatedServant, PostinvokeArguments};
use crate::callbacks::guarded;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::runtime::Orb;
use crate::server::poa::admission::gate::{Admission, Gate, GateFlag, Permit};
use crate::server::poa::calls::active_calls::Protection;
use crate::server::poa::calls::{active_calls, current};
use crate::server::poa::objects::lifecycle;
use crate::server::poa::servant_manager::{ServantLocator, ServantManager, ServantManagerError};
use crate::server::poa::{Activation, ObjectId, PoaInner, RequestProcessing, StartupHold};
use crate::server::poa::{AnyServant, Servant};
use armilla_ipc::fence;
use armilla_ipc::memory::hazard::{self, HazardPointer};
use armilla_ipc::memory::{Guard, Slot};
use std::ops::Deref;
use std::sync::Arc;

/// A call of an active object that was found in the table of all active objects. Dropping it ends
/// the call.
pub(crate) struct Upcall<'o> {
    pub(in crate::server::poa) object: Guard<'o, Activation>,
    permit: Permit,
}

impl<'o> Upcall<'o> {
    /// Begins a call if that needs neither a servant manager nor a wait.
    #[inline(always)]
    pub(crate) fn begin(object: Guard<'o, Activation>) -> Option<Self> {
        Self::admitted(object, Permit::default(), Gate::is_open)
    }

    /// Begins a call with `permit`, if the object is active and `admits` accepts its gate.
    /// `active_calls.rs` says why both are checked after the call was begun, and again when it has
    /// ended.
    #[inline(always)]
    fn admitted(
        mut object: Guard<'o, Activation>,
        permit: Permit,
        admits: fn(&Gate) -> bool,
    ) -> Option<Self> {
        if !may_begin(&object) {
            return None;
        }
        active_calls::begin(&mut object);
        if has_begun(&object, admits) {
            return Some(Self { object, permit });
        }
        // The caller keeps the permit and releases it.
        Self { object, permit: Permit::default() }.back_out();
        None
    }

    #[cold]
    fn back_out(self) {
        drop(self);
    }

    /// The POA of the object.
    pub(crate) fn poa(&self) -> &PoaInner {
        &self.object.poa
    }

    /// The servant to call.
    #[inline]
    pub(crate) fn skeleton(&self) -> &dyn Servant {
        self.object.skeleton()
    }
}

impl Drop for Upcall<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        active_calls::end(&mut self.object);
        has_ended(&self.object, self.permit);
    }
}

/// A call of an active object for which the caller already has a handle `A`. Dropping it ends the
/// call.
pub(crate) struct DirectUpcall<A: Deref<Target = Activation>> {
    activation: A,
    /// `None` once the call has ended.
    protection: Option<Protection>,
}

impl<A: Deref<Target = Activation>> DirectUpcall<A> {
    /// Begins a call if that needs neither a servant manager nor a wait.
    pub(crate) fn begin(activation: A) -> Option<Self> {
        if !may_begin(&activation) {
            return None;
        }
        let protection = Some(Protection::begin(&activation));
        let call = Self { activation, protection };
        has_begun(&call.activation, Gate::is_open).then_some(call)
    }

    /// The handle with which the call was begun.
    pub(crate) const fn activation(&self) -> &A {
        &self.activation
    }
}

impl<A: Deref<Target = Activation>> Drop for DirectUpcall<A> {
    fn drop(&mut self) {
        if let Some(protection) = self.protection.take() {
            protection.end(&self.activation);
            has_ended(&self.activation, Permit::default());
        }
    }
}

/// A call of an active object that is begun and [ended](Self::end) in one function, so that its
/// fields stay in registers.
pub(crate) struct FastUpcall<'a> {
    activation: &'a Activation,
    /// `None` once the call has ended.
    hazard: Option<HazardPointer>,
}

impl<'a> FastUpcall<'a> {
    /// Begins a call if that needs a hazard pointer only.
    #[inline(always)]
    pub(crate) fn begin(activation: &'a Activation) -> Option<Self> {
        let hazard = active_calls::protect_fast(activation)?;
        let call = Self { activation, hazard: Some(hazard) };
        if has_begun(activation, Gate::is_open) { Some(call) } else { None }
    }

    /// Ends the call and passes its result through, so that the result can stay in a register.
    #[inline(always)]
    pub(crate) fn end<R>(mut self, result: R) -> R {
        let is_last = self.hazard.take().is_some_and(HazardPointer::clear_fast);
        if is_last && fence::light_and_all_clear(|| self.activation.flags()) {
            return result;
        }
        end_slow(self.activation, result)
    }
}

impl Drop for FastUpcall<'_> {
    /// The servant has panicked, or the call has backed out.
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(hazard) = self.hazard.take() {
            end_early(self.activation, hazard);
        }
    }
}

/// Finishes the end of a call in the rare cases: its hazard pointer was not the last one of the
/// thread, a flag is raised, or the light fence has to be a full one.
#[cold]
#[inline(never)]
fn end_slow<R>(activation: &Activation, result: R) -> R {
    hazard::find_free();
    has_ended_by_flags(activation, Permit::default());
    result
}

#[cold]
#[inline(never)]
fn end_early(activation: &Activation, hazard: HazardPointer) {
    drop(hazard);
    has_ended_by_flags(activation, Permit::default());
}

/// Whether beginning a call is worthwhile. A call that begins and backs out may be the last one of
/// a deactivated object, which costs it a heavy fence.
#[inline(always)]
fn may_begin(activation: &Activation) -> bool {
    activation.is_active()
}

/// Whether a call that has begun, visible to other threads, may be made.
#[inline(always)]
fn has_begun(activation: &Activation, admits: fn(&Gate) -> bool) -> bool {
    fence::light_and_all_clear(|| activation.flags()) || has_begun_by_flags(activation, admits)
}

/// The same when a flag is raised or the light fence has to be a full one.
#[cold]
#[inline(never)]
fn has_begun_by_flags(activation: &Activation, admits: fn(&Gate) -> bool) -> bool {
    fence::light();
    activation.is_active() && admits(&activation.poa.gate)
}

/// Finishes a call that is no longer visible to other threads.
#[inline(always)]
fn has_ended(activation: &Activation, permit: Permit) {
    if !fence::light_and_all_clear(|| activation.flags()) {
        has_ended_by_flags(activation, permit);
    }
}

/// The same when a flag is raised or the light fence has to be a full one.
#[cold]
#[inline(never)]
fn has_ended_by_flags(activation: &Activation, permit: Permit) {
    fence::light();
    if !activation.is_active() {
        lifecycle::end_if_idle(activation);
    }
    activation.poa.gate.release(permit);
    activation.poa.call_ended();
}

/// A call of an object outside the active object map. Dropping it ends the call.
pub(crate) struct UnmappedUpcall {
    pub(in crate::server::poa) poa: Arc<PoaInner>,
    pub(in crate::server::poa) id: ObjectId,
    pub(in crate::server::poa) servant: AnyServant,
    /// Set if the servant is from a servant locator.
    pub(in crate::server::poa) located_servant: Option<LocatedServant>,
    permit: Permit,
}

impl Drop for UnmappedUpcall {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.located_servant.as_ref().map(LocatedServant::postinvoke) {
            report!(warn, "a servant locator failed", error = error);
        }
        current::end_unmapped();
        self.poa.gate.release(self.permit);
        self.poa.unmapped_ended();
    }
}

impl PoaInner {
    /// The object that is active under `id`; `hint` is the slot where it was last seen.
    pub(crate) fn lookup<'o>(
        &self,
        orb: &'o Orb,
        id: &[u8],
        hint: Slot,
    ) -> Option<Guard<'o, Activation>> {
        let hinted = orb.objects().get(hint).filter(|object| self.has_active(object, id));
        hinted
            .or_else(|| self.ids.find(self, orb.objects(), id))
            .or_else(|| self.lookup_by_slot(orb, id))
    }

    /// The object with an id that this POA made, which contains the slot.
    fn lookup_by_slot<'o>(&self, orb: &'o Orb, id: &[u8]) -> Option<Guard<'o, Activation>> {
        let (incarnation, slot) = crate::object_key::parse_system_id(id)?;
        let found = orb.objects().get(slot).filter(|_| incarnation == self.incarnation);
        found.filter(|object| self.has_active(object, id))
    }

    /// Whether the object belongs to this POA and is active under `id`.
    fn has_active(&self, object: &Activation, id: &[u8]) -> bool {
        std::ptr::eq(&*object.poa, self) && object.has_id(id) && object.is_active()
    }

    /// Finds what a request for the object `id` leads to, according to the policies: waits for
    /// admission, for what the POA lacks while the server starts, and calls servant managers.
    /// `None` when the POA was destroyed before.
    #[cold]
    pub(crate) fn serve<'o>(
        self: &Arc<Self>,
        orb: &'o Orb,
        id: &[u8],
        hint: Slot,
        operation: &str,
        hold: &mut StartupHold<'_>,
    ) -> Option<Found<'o>> {
        loop {
            let waits = hold.applies(&self.manager);
            let permit = match self.admit(orb) {
                Ok(Admission::Granted(permit)) => permit,
                Ok(Admission::MainThread) => return Some(Found::MainThread),
                Ok(Admission::Gone) => return None,
                Err(exception) => return Some(Found::Refused(exception)),
            };
            if waits && let Some(awaited) = self.missing(orb, id, hint) {
                self.gate.release(permit);
                if !hold.expect(&self.manager, awaited)
                    && let Err(exception) = hold.wait()
                {
                    return Some(Found::Refused(exception));
                }
                continue;
            }
            match self.try_serve(orb, id, hint, operation, permit) {
                Some(found) => return Some(found),
                // A flag was raised since the request was admitted: try again.
                None => self.gate.release(permit),
            }
            // After releasing the permit: the thread that etherealizes the servant may need it.
            if self.policies.has_activator()
                && let Err(exception) = self.await_retired(orb, &ObjectId::new(id))
            {
                return Some(Found::Refused(exception));
            }
        }
    }

    /// Finds what an admitted request leads to. The result owns the permit if it is a call;
    /// otherwise the permit is released. `None`, with the permit still held, means that the caller
    /// has to try again.
    fn try_serve<'o>(
        self: &Arc<Self>,
        orb: &'o Orb,
        id: &[u8],
        hint: Slot,
        operation: &str,
        permit: Permit,
    ) -> Option<Found<'o>> {
        if let Some(guard) = self.lookup(orb, id, hint) {
            return Upcall::admitted(guard, permit, Gate::still_admits).map(Found::Object);
        }
        let outcome = match self.policies.processing {
            RequestProcessing::ActiveObjectMapOnly => {
                Ok(self.gate.still_admits().then_some(Found::Nothing))
            }
            RequestProcessing::DefaultServant => self
                .default_servant()
                .map(|servant| self.begin_with_default(ObjectId::new(id), servant, permit))
                .map(|unmapped| unmapped.map(Found::from)),
            RequestProcessing::ServantManager => match self.servant_manager.get() {
                Some(ServantManager::Activator(activator)) => {
                    self.incarnate(orb, &**activator, &ObjectId::new(id)).map(|()| None)
                }
                Some(ServantManager::Locator(locator)) => self
                    .locate_servant(orb, locator, ObjectId::new(id), operation, permit)
                    .map(|unmapped| unmapped.map(Found::from)),
                None => Err(no_manager(&self.name).into()),
            },
        };
        let found = match outcome {
            // The object is active now, or the gate was closed meanwhile and may be open again.
            Ok(None) => return None,
            Ok(Some(unmapped @ Found::Unmapped(_))) => return Some(unmapped),
            Ok(Some(found)) => found,
            Err(ServantManagerError::Raise(exception)) => Found::Refused(exception),
            Err(ServantManagerError::Forward(object)) => {
                // Transports of the program may make a part of it.
                let ior = guarded("the reference of a forward", Completion::No, || object.ior());
                ior.map_or_else(Found::Refused, Found::Elsewhere)
            }
        };
        self.gate.release(permit);
        Some(found)
    }

    /// Calls the servant locator, which begins the request. `None` when the gate was closed before.
    fn locate_servant(
        self: &Arc<Self>,
        orb: &Orb,
        locator: &Arc<dyn ServantLocator>,
        id: ObjectId,
        operation: &str,
        permit: Permit,
    ) -> Result<Option<UnmappedUpcall>, ServantManagerError> {
        let poa = orb.poa_of(self);
        // Counted until the returned call counts itself, so that there is no gap in which a thread
        // that waits for calls to end could miss it. Not begun if the gate is already closed.
        self.unmapped_begins();
        if !self.gate.still_admits() {
            self.unmapped_ended();
            return Ok(None);
        }
        let asked = self.ask_manager("ServantLocator::preinvoke", Slot::NONE, || {
            locator.preinvoke(&id, &poa, operation)
        });
        let located = asked.map_err(ServantManagerError::from).and_then(|answer| answer);
        let located = located.map(|(servant, cookie)| {
            let servant = self.with_lookup(servant);
            let located_servant = LocatedServant::new(PostinvokeArguments {
                locator: locator.clone(),
                cookie,
                operation: operation.to_owned(),
                poa: self.clone(),
                id: id.clone(),
                servant: servant.clone(),
            });
            self.begin_unmapped(id, servant, Some(located_servant), permit)
        });
        self.unmapped_ended();
        located.map(Some)
    }

    /// Begins a call of an object outside the active object map.
    fn begin_unmapped(
        self: &Arc<Self>,
        id: ObjectId,
        servant: AnyServant,
        located_servant: Option<LocatedServant>,
        permit: Permit,
    ) -> UnmappedUpcall {
        self.unmapped_begins();
        current::begin_unmapped(self, &id, &servant);
        UnmappedUpcall { poa: self.clone(), id, servant, located_servant, permit }
    }

    /// Begins a call of the default servant. `None` when the gate was closed meanwhile.
    fn begin_with_default(
        self: &Arc<Self>,
        id: ObjectId,
        servant: AnyServant,
        permit: Permit,
    ) -> Option<UnmappedUpcall> {
        let mut unmapped = self.begin_unmapped(id, servant, None, permit);
        if self.gate.still_admits() {
            return Some(unmapped);
        }
        // The caller keeps the permit and releases it.
        unmapped.permit = Permit::default();
        None
    }

    fn default_servant(&self) -> Result<AnyServant, ServantManagerError> {
        let servant = self.default_servant.load();
        servant.as_deref().cloned().ok_or_else(|| {
            SystemException::new(
                ExceptionKind::ObjAdapter,
                Minor::OBJ_ADAPTER_NO_DEFAULT_SERVANT,
                Completion::No,
            )
            .with_reason(format!("POA {:?} has no default servant", self.name))
            .into()
        })
    }

    /// Calls a servant manager about the object in `slot`. The call counts as one in progress: a
    /// thread that waits for calls to end waits for it, and the servant manager itself must not
    /// wait for them.
    pub(in crate::server::poa) fn ask_manager<R>(
        &self,
        what: &str,
        slot: Slot,
        question: impl FnOnce() -> R,
    ) -> Result<R, SystemException> {
        self.unmapped_begins();
        current::begin_manager_call(self.incarnation, slot);
        let answer = guarded(what, Completion::No, question);
        current::end_unmapped();
        self.unmapped_ended();
        answer
    }

    /// Whether a request for the object could be served. No servant manager is called to find out.
    pub(crate) fn may_serve(&self, orb: &Orb, id: &[u8], hint: Slot) -> bool {
        if self.gate.is(GateFlag::Destroyed) {
            return false;
        }
        self.lookup(orb, id, hint).is_some()
            || match self.policies.processing {
                RequestProcessing::ActiveObjectMapOnly => false,
                RequestProcessing::DefaultServant => self.default_servant.load().is_some(),
                RequestProcessing::ServantManager => self.servant_manager.get().is_some(),
            }
    }
}

#[cold]
fn no_manager(poa: &str) -> SystemException {
    SystemException::new(
        ExceptionKind::ObjAdapter,
        Minor::OBJ_ADAPTER_NO_SERVANT_MANAGER,
        Completion::No,
    )
    .with_reason(format!("POA {poa:?} has no servant manager"))
}
