//! Which objects are being called, visible to every thread.
//!
//! A call of an active object writes no memory that threads share: a [hazard
//! pointer](armilla_ipc::memory::hazard) of the thread holds the address of the object during the
//! call. Calls of a thread that has no hazard pointers left are counted in the object itself.
//!
//! # Why no call is missed
//! A thread that stops calls, by deactivating an object or closing a gate, raises a flag. A call
//! loads the flags after it has begun and again after it has ended. A call that has begun and finds
//! a flag raised backs out, as if it had ended. A call that ends and finds a flag raised wakes the
//! threads that wait, or ends the object.
//!
//! When several calls leave a deactivated object, the last one ends it. Each of them finds the flag
//! raised, and issues a heavy fence of its own before it scans the hazard pointers of the others:
//! until the fence of the thread that raised the flag has passed, there may be a call that has not
//! seen the flag and whose hazard pointer is not visible yet. Heavy fences are totally ordered.
//! When the last one has passed, all hazard pointers are cleared except those of calls that stay,
//! and the thread that issued it sees this. If several threads see it, a bit in the object decides
//! which of them ends it.
//!
//! `model.rs` checks every order of all these steps, on processors that delay their stores.
//!
//! An address identifies an object only while it is protected: an object stays in the table of all
//! active objects until its last call has ended.

use super::current;
use crate::server::poa::Activation;
use armilla_ipc::fence;
use armilla_ipc::memory::Guard;
use armilla_ipc::memory::hazard::{self, HazardPointer, HazardSet};
use std::num::NonZeroUsize;
use std::ptr::NonNull;

/// What makes a call visible whose caller holds the object: a hazard pointer, or `None` for the
/// count in the object when the thread has no hazard pointers left.
pub(in crate::server::poa) struct Protection(Option<HazardPointer>);

impl Protection {
    /// Begins a call. A light fence must follow.
    pub(in crate::server::poa) fn begin(activation: &Activation) -> Self {
        let hazard = HazardPointer::protect(address(activation));
        if hazard.is_none() {
            current::begin_counted(activation);
        }
        Self(hazard)
    }

    /// Ends the call. A light fence must follow.
    pub(in crate::server::poa) fn end(self, activation: &Activation) {
        match self.0 {
            Some(hazard) => drop(hazard),
            None => current::end_counted(activation),
        }
    }
}

/// Begins a call if a hazard pointer is free at once. A light fence must follow.
#[inline(always)]
pub(in crate::server::poa) fn protect_fast(activation: &Activation) -> Option<HazardPointer> {
    HazardPointer::protect_fast(address(activation))
}

/// Begins a call of an object from the table of all active objects, whose slot a hazard pointer
/// already protects. A light fence must follow.
#[inline(always)]
pub(in crate::server::poa) fn begin(object: &mut Guard<'_, Activation>) {
    if !object.begin_use() {
        current::begin_counted(object);
    }
}

/// Ends the call. A light fence must follow.
#[inline(always)]
pub(in crate::server::poa) fn end(object: &mut Guard<'_, Activation>) {
    if !object.end_use() {
        current::end_counted(object);
    }
}

impl Activation {
    /// Whether calls are in progress, according to a scan of the hazard pointers.
    pub(in crate::server::poa) fn is_among(&self, calls: &ActiveCalls) -> bool {
        self.is_counted() || calls.contains(self)
    }

    /// Whether calls are in progress. A heavy fence must precede.
    pub(in crate::server::poa) fn is_busy(&self) -> bool {
        self.is_counted() || is_called(self)
    }
}

/// Whether a hazard pointer shows a call of the object. A heavy fence must precede.
pub(in crate::server::poa) fn is_called(activation: &Activation) -> bool {
    hazard::is_protected([address(activation)])
}

/// The objects that were being called at one moment.
pub(in crate::server::poa) struct ActiveCalls(HazardSet);

impl ActiveCalls {
    /// The objects whose calls have not seen the flags that were raised before this.
    pub(in crate::server::poa) fn now() -> Self {
        fence::heavy();
        Self::again()
    }

    /// The objects that are being called now. A heavy fence must precede.
    pub(in crate::server::poa) fn again() -> Self {
        Self(HazardSet::scan())
    }

    pub(in crate::server::poa) fn contains(&self, activation: &Activation) -> bool {
        self.0.contains([address(activation)])
    }
}

#[inline(always)]
fn address(activation: &Activation) -> NonZeroUsize {
    NonNull::from(activation).addr()
}
