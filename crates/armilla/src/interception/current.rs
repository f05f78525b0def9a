//! Slots: what a service keeps for a thread, and interceptors for a request (CORBA 3.4 Part 1,
//! 16.4).

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::{Orb, Part, PartSlot};
use armilla_cdr::Any;
use std::cell::RefCell;
use std::collections::HashMap;

/// A slot, which an [`OrbInitInfo`](crate::interceptor::OrbInitInfo) allocates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotId(pub(crate) usize);

/// How many slots were allocated in an ORB that has interceptors or slots.
pub(crate) struct SlotCount(pub(crate) usize);

impl Part for SlotCount {
    const SLOT: PartSlot = PartSlot::SlotCount;
}

/// The slots of one thread or one request; those that were never set hold an empty `any`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots(Vec<Any>);

impl Slots {
    pub(crate) fn get(&self, id: SlotId, count: usize) -> Result<Any, SystemException> {
        check(id, count)?;
        Ok(self.0.get(id.0).cloned().unwrap_or_default())
    }

    pub(crate) fn set(
        &mut self,
        id: SlotId,
        count: usize,
        value: Any,
    ) -> Result<(), SystemException> {
        check(id, count)?;
        if self.0.len() <= id.0 {
            self.0.resize(id.0 + 1, Any::default());
        }
        // It was just made long enough.
        self.0[id.0] = value;
        Ok(())
    }
}

/// `InvalidSlot` in the specification, which no IDL of ours declares.
fn check(id: SlotId, count: usize) -> Result<(), SystemException> {
    if id.0 < count {
        return Ok(());
    }
    let what = format!("slot {} was not allocated in this ORB", id.0);
    Err(SystemException::new(ExceptionKind::BadParam, Minor::BAD_ARGUMENT, Completion::No)
        .with_reason(what))
}

thread_local! {
    /// By the incarnation of the ORB.
    static THREAD: RefCell<HashMap<u64, Slots>> = RefCell::default();
}

/// The slots of the present thread become `slots`; gives what they were.
pub(crate) fn swap(orb: &Orb, slots: Slots) -> Slots {
    let before = THREAD.with_borrow_mut(|table| match slots.0.is_empty() {
        // A thread outlives many ORBs.
        true => table.remove(&orb.incarnation()),
        false => table.insert(orb.incarnation(), slots),
    });
    before.unwrap_or_default()
}

/// A copy of the slots of the present thread.
pub(crate) fn copy(orb: &Orb) -> Slots {
    THREAD.with_borrow(|table| table.get(&orb.incarnation()).cloned().unwrap_or_default())
}

/// Sets a slot of the present thread.
pub(crate) fn set(orb: &Orb, id: SlotId, value: Any) -> Result<(), SystemException> {
    let count = count(orb)?;
    check(id, count)?;
    THREAD
        .with_borrow_mut(|table| table.entry(orb.incarnation()).or_default().set(id, count, value))
}

/// How many slots were allocated; `BAD_INV_ORDER` (reason 14) while they still may be.
fn count(orb: &Orb) -> Result<usize, SystemException> {
    match orb.find_part::<SlotCount>() {
        Some(count) => Ok(count.0),
        None if orb.is_being_made() => Err(too_early()),
        None => Ok(0),
    }
}

#[cold]
fn too_early() -> SystemException {
    SystemException::new(
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL,
        Completion::No,
    )
    .with_reason("an ORB initializer can allocate slots, but not use them")
}

/// The slots of the present thread: `PICurrent`. What is in them when a call begins, the
/// interceptors of the call find in its slots; what server interceptors put into the slots of a
/// request, servant managers and the servant find here. Interceptors of calls have slots of their own
/// here, the same ones at the beginning and the end of a call. A servant that is called
/// [directly](crate::Collocation::Direct), past all interceptors, has those of its caller.
#[derive(Debug, Clone)]
pub struct PiCurrent(Orb);

impl PiCurrent {
    /// What a slot holds; an empty `any` when it was not set in this thread.
    ///
    /// # Errors
    /// `BAD_PARAM` when the slot was not allocated; `BAD_INV_ORDER` (reason 14) to an initializer.
    pub fn slot(&self, id: SlotId) -> Result<Any, SystemException> {
        copy(&self.0).get(id, count(&self.0)?)
    }

    /// Sets a slot for this thread.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn set_slot(&self, id: SlotId, value: Any) -> Result<(), SystemException> {
        set(&self.0, id, value)
    }
}

impl Orb {
    /// The slots of the present thread, which interceptors see.
    pub fn pi_current(&self) -> PiCurrent {
        PiCurrent(self.clone())
    }
}
