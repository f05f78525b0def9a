//! Which objects are being called, where every thread can see it.
//!
//! A call of an active object changes nothing that threads share: a [hazard
//! pointer](armilla_ipc::memory::hazard) of the thread holds the address of the object while the
//! call is under way. Calls of a thread that has no hazard pointers left are counted in the object
//! itself.
//!
//! # Why no call is missed
//! A thread that stops calls, by deactivating an object or closing a gate, raises a flag. A call
//! loads the flags when it has begun and again when it has ended. A call that has begun and finds a
//! flag raised backs out, as if it had ended. A call that ends and finds a flag raised wakes the
//! threads that wait, or ends the object.
//!
//! Of several calls that leave a deactivated object the last one ends it. Each of them finds the
//! flag raised and issues a heavy fence of its own before it scans the hazard pointers of the
//! others: until the fence of the thread that raised the flag has passed, a call may be under way
//! that has not seen the flag and whose hazard pointer is not visible yet. Heavy fences are totally
//! ordered. When the last one has passed, all hazard pointers are cleared but those of calls that
//! stay, and the thread that issued it sees that. When several see it, a bit in the object says
//! which of them ends it.
//!
//! `model.rs` tries every order of all these steps, with processors that delay their stores.
//!
//! An address stands for one object only while it is protected: an object stays in the table of all
//! active objects until its last call has ended.

use super::{Activation, current};
use armilla_ipc::fence;
use armilla_ipc::memory::Guard;
use armilla_ipc::memory::hazard::{self, HazardPointer, HazardSet};
use std::num::NonZeroUsize;
use std::ptr::NonNull;

/// How others see a call of an object that the caller holds: by the hazard pointer, or, where the
/// thread has none left, by the count in the object.
pub(super) struct Protection(Option<HazardPointer>);

impl Protection {
    /// Begins a call. A light fence follows.
    pub(super) fn begin(activation: &Activation) -> Self {
        let hazard = HazardPointer::protect(address(activation));
        if hazard.is_none() {
            current::begin_counted(activation);
        }
        Self(hazard)
    }

    /// Ends it. A light fence follows.
    pub(super) fn end(self, activation: &Activation) {
        match self.0 {
            Some(hazard) => drop(hazard),
            None => current::end_counted(activation),
        }
    }
}

/// Begins a call where a hazard pointer is at hand at once. A light fence follows.
#[inline(always)]
pub(super) fn protect_fast(activation: &Activation) -> Option<HazardPointer> {
    HazardPointer::protect_fast(address(activation))
}

/// Begins a call of an object from the table of all active objects, where a hazard pointer protects
/// its place already. A light fence follows.
#[inline(always)]
pub(super) fn begin(object: &mut Guard<'_, Activation>) {
    if !object.begin_use() {
        current::begin_counted(object);
    }
}

/// Ends it. A light fence follows.
#[inline(always)]
pub(super) fn end(object: &mut Guard<'_, Activation>) {
    if !object.end_use() {
        current::end_counted(object);
    }
}

/// Whether a call of the object is under way that a hazard pointer shows. A heavy fence has gone
/// before.
pub(super) fn is_called(activation: &Activation) -> bool {
    hazard::is_protected([address(activation)])
}

/// The objects that were being called at one time.
pub(super) struct ActiveCalls(HazardSet);

impl ActiveCalls {
    /// Those that are called without having seen the flags that were raised before.
    pub(super) fn now() -> Self {
        fence::heavy();
        Self::again()
    }

    /// Those of them that are called still. A heavy fence has gone before.
    pub(super) fn again() -> Self {
        Self(HazardSet::scan())
    }

    pub(super) fn contains(&self, activation: &Activation) -> bool {
        self.0.contains([address(activation)])
    }
}

#[inline(always)]
fn address(activation: &Activation) -> NonZeroUsize {
    NonNull::from(activation).addr()
}
