//! Slots of threads and requests, and `PICurrent` (CORBA 3.4 Part 1, 16.4).
//!
//! A service stores data of a thread in slots; interceptors find it in the slots of the request.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::{Orb, Part, PartSlot};
use armilla_cdr::Any;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::mem;
use std::sync::Arc;

/// The id of a slot that an [`OrbInitInfo`](crate::interceptor::OrbInitInfo) has allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotId(pub(crate) usize);

/// The number of allocated slots of an ORB that has interceptors or slots.
pub(crate) struct SlotCount(pub(crate) usize);

impl Part for SlotCount {
    const SLOT: PartSlot = PartSlot::SlotCount;
}

/// The slots of a thread or a request. A slot that was never set holds an empty `any`. They are
/// copied several times with each call, so copies share them until one is changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots(Option<Arc<SmallVec<[Slot; 1]>>>);

/// What a slot holds.
#[derive(Debug, Clone)]
pub(crate) enum Slot {
    Any(Any),
    /// A Rust value, which costs no encoding.
    Shared(SharedValue),
}

/// A Rust value in a slot.
pub(crate) type SharedValue = Arc<dyn std::any::Any + Send + Sync>;

impl Default for Slot {
    fn default() -> Self {
        Self::Any(Any::default())
    }
}

impl Slots {
    fn at(&self, id: SlotId, count: usize) -> Result<Option<&Slot>, SystemException> {
        check(id, count)?;
        Ok(self.0.as_ref().and_then(|slots| slots.get(id.0)))
    }

    pub(crate) fn get(&self, id: SlotId, count: usize) -> Result<Option<&Any>, SystemException> {
        Ok(match self.at(id, count)? {
            Some(Slot::Any(value)) => Some(value),
            Some(Slot::Shared(_)) | None => None,
        })
    }

    /// The Rust value of this type in a slot.
    pub(crate) fn shared<T: Send + Sync + 'static>(
        &self,
        id: SlotId,
        count: usize,
    ) -> Result<Option<&T>, SystemException> {
        Ok(match self.at(id, count)? {
            Some(Slot::Shared(value)) => value.downcast_ref(),
            Some(Slot::Any(_)) | None => None,
        })
    }

    pub(crate) fn set(
        &mut self,
        id: SlotId,
        count: usize,
        value: Slot,
    ) -> Result<(), SystemException> {
        check(id, count)?;
        let slots = Arc::make_mut(self.0.get_or_insert_default());
        while slots.len() < id.0 {
            slots.push(Slot::default());
        }
        match slots.get_mut(id.0) {
            Some(slot) => *slot = value,
            None => slots.push(value),
        }
        Ok(())
    }
}

/// Checks a slot id. `BAD_PARAM` stands for the specification's `InvalidSlot`, which this API does
/// not have.
fn check(id: SlotId, count: usize) -> Result<(), SystemException> {
    if id.0 < count {
        return Ok(());
    }
    let what = format!("slot {} was not allocated in this ORB", id.0);
    Err(SystemException::new(ExceptionKind::BadParam, Minor::BAD_ARGUMENT, Completion::No)
        .with_reason(what))
}

thread_local! {
    /// By the incarnation of the ORB. A thread works for few at a time.
    static THREAD: RefCell<SmallVec<[(u64, Slots); 2]>> = RefCell::default();

    /// What the thread gets back as servants that reply later return, the innermost last.
    static LENT: RefCell<Vec<ThreadSlots>> = RefCell::default();
}

/// Replaces the slots of the current thread. Returns the previous ones.
pub(crate) fn swap(orb: &Orb, slots: Slots) -> Slots {
    let incarnation = orb.incarnation();
    THREAD.with_borrow_mut(|table| {
        let place = table.iter().position(|(known, _)| *known == incarnation);
        match (place, slots.0.is_none()) {
            // Remove the entry: a thread may outlive many ORBs.
            (Some(place), true) => table.swap_remove(place).1,
            (Some(place), false) => mem::replace(&mut table[place].1, slots),
            (None, true) => slots,
            (None, false) => {
                table.push((incarnation, slots));
                Slots::default()
            }
        }
    })
}

/// Restores the slots that a thread had before a request. It stays in its thread.
pub(crate) struct ThreadSlots {
    orb: Orb,
    slots: Slots,
}

impl ThreadSlots {
    pub(crate) fn new(orb: &Orb, slots: Slots) -> Self {
        Self { orb: orb.clone(), slots }
    }
}

impl Drop for ThreadSlots {
    fn drop(&mut self) {
        swap(&self.orb, mem::take(&mut self.slots));
    }
}

/// Lets the current thread keep the slots of a request until its servant has returned
/// ([`while_lent`]).
pub(crate) fn lend(outside: ThreadSlots) {
    LENT.with_borrow_mut(|lent| lent.push(outside));
}

/// Calls a servant of an intercepted request, and gives the thread back what was [lent](lend)
/// meanwhile. `call` must not panic.
#[cold]
pub(crate) fn while_lent<R>(call: impl FnOnce() -> R) -> R {
    let before = LENT.with_borrow(Vec::len);
    let result = call();
    let returned = LENT.with_borrow_mut(|lent| lent.split_off(before));
    drop(returned);
    result
}

/// A copy of the slots of the current thread.
pub(crate) fn copy(orb: &Orb) -> Slots {
    let incarnation = orb.incarnation();
    THREAD.with_borrow(|table| {
        let mut all = table.iter();
        all.find(|(known, _)| *known == incarnation).map_or_else(Slots::default, |it| it.1.clone())
    })
}

/// Sets a slot of the current thread.
pub(crate) fn set(orb: &Orb, id: SlotId, value: Slot) -> Result<(), SystemException> {
    let count = count(orb)?;
    check(id, count)?;
    // They are taken out meanwhile, so that nothing shares them.
    let mut slots = swap(orb, Slots::default());
    let outcome = slots.set(id, count, value);
    swap(orb, slots);
    outcome
}

/// The number of allocated slots. `BAD_INV_ORDER` (reason 14) while slots can still be allocated.
fn count(orb: &Orb) -> Result<usize, SystemException> {
    match orb.find_part::<SlotCount>() {
        Some(count) => Ok(count.0),
        None if orb.is_being_made() => Err(too_early()),
        None => Ok(0),
    }
}

fn too_early() -> SystemException {
    SystemException::new(
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL,
        Completion::No,
    )
    .with_reason("an ORB initializer can allocate slots, but not use them")
}

/// The slots of the current thread: `PICurrent`.
///
/// When a call begins, its slots are copied for the interceptors of the call. Conversely, servant
/// managers and the servant find here the slots that server interceptors have set in the request.
/// While an interceptor runs, its thread has separate slots; they are the same at the start and the
/// end of a call. A servant that is called [directly](crate::Collocation::Direct), without
/// interceptors, sees the slots of its caller.
///
/// ```
/// use armilla::interceptor::{OrbInitInfo, OrbInitializer, SlotId};
/// use armilla::{Any, Orb, SystemException};
/// use std::sync::{Arc, Mutex};
///
/// /// Allocates one slot.
/// struct Service(Arc<Mutex<Option<SlotId>>>);
///
/// impl OrbInitializer for Service {
///     fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
///         *self.0.lock().unwrap() = Some(info.allocate_slot());
///         Ok(())
///     }
/// }
///
/// let slot = Arc::new(Mutex::new(None));
/// let orb = Orb::builder().initializer(Service(slot.clone())).build()?;
/// let slot = slot.lock().unwrap().expect("the initializer has run");
/// let current = orb.pi_current();
/// current.set_slot(slot, Any::new(&7)?)?;
/// assert_eq!(current.slot(slot)?.get::<i32>()?, Some(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[doc(alias = "PICurrent")]
pub struct PiCurrent(Orb);

impl PiCurrent {
    /// The value of a slot; an empty `any` when it was not set in this thread.
    ///
    /// # Errors
    /// `BAD_PARAM` when the slot was not allocated. `BAD_INV_ORDER` (reason 14) in an initializer.
    #[doc(alias = "get_slot")]
    pub fn slot(&self, id: SlotId) -> Result<Any, SystemException> {
        self.with_slot(id, |value| value.cloned().unwrap_or_default())
    }

    /// Reads a slot where it is, without a copy; `None` when no slot of this thread was set.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn with_slot<R>(
        &self,
        id: SlotId,
        read: impl FnOnce(Option<&Any>) -> R,
    ) -> Result<R, SystemException> {
        Ok(read(copy(&self.0).get(id, count(&self.0)?)?))
    }

    /// Sets a slot for this thread.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn set_slot(&self, id: SlotId, value: Any) -> Result<(), SystemException> {
        set(&self.0, id, Slot::Any(value))
    }

    /// The Rust value in a slot, if [`set_shared`](Self::set_shared) or an interceptor has put one of
    /// this type there.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn shared<T: Clone + Send + Sync + 'static>(
        &self,
        id: SlotId,
    ) -> Result<Option<T>, SystemException> {
        Ok(copy(&self.0).shared(id, count(&self.0)?)?.cloned())
    }

    /// Sets a slot for this thread to a Rust value, which costs no encoding: for a service whose
    /// readers are its own. To [`slot`](Self::slot) it is an empty `any`.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn set_shared<T: Send + Sync + 'static>(
        &self,
        id: SlotId,
        value: T,
    ) -> Result<(), SystemException> {
        set(&self.0, id, Slot::Shared(Arc::new(value)))
    }
}

impl Orb {
    /// The slots of the current thread, which the interceptors of its calls see.
    pub fn pi_current(&self) -> PiCurrent {
        PiCurrent(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_holds_an_any_or_a_rust_value() {
        let (mut slots, [first, second]) = (Slots::default(), [SlotId(0), SlotId(1)]);
        slots.set(second, 2, Slot::Shared(Arc::new(7u32))).unwrap();
        assert_eq!(slots.shared(second, 2), Ok(Some(&7u32)));
        assert_eq!(slots.shared::<i32>(second, 2), Ok(None), "of another type");
        assert_eq!(slots.get(second, 2), Ok(None), "no any");
        assert_eq!(slots.get(first, 2), Ok(Some(&Any::default())));
        let copy = slots.clone();
        slots.set(second, 2, Slot::Any(Any::new(&9i32).unwrap())).unwrap();
        assert_eq!(slots.shared::<u32>(second, 2), Ok(None));
        assert_eq!(slots.get(second, 2), Ok(Some(&Any::new(&9i32).unwrap())));
        assert_eq!(copy.shared(second, 2), Ok(Some(&7u32)), "copies are apart");
        assert!(slots.shared::<u32>(SlotId(2), 2).is_err(), "it was not allocated");
    }
}
