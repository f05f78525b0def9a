//! Which objects are being called, where every thread can see it.
//!
//! A call of an active object changes nothing that threads share: the thread [claims](armilla_ipc::memory::hazard) the
//! address of the object for as long as the call is under way. Calls of a thread that has no claims left count in the
//! object itself, for all the same.
//!
//! # Why nobody is missed
//! Who stops calls, by deactivating an object or closing a gate, is who raises the flag of which the claims tell, and a call
//! looks at it when it has begun and again when it has ended. One that has begun and sees the flag backs out, as if it
//! ended; one that ends and sees the flag does what is left to it: it wakes those who wait, or ends the object.
//!
//! Of several calls that leave a deactivated object the last ends it. Each of them sees the flag and
//! issues a heavy barrier of its own before it reads the claims of the others: until the one of who
//! raised the flag has passed, a call may be under way that has not seen the flag and whose claim is
//! not seen yet. Heavy barriers stand in some order; when the last one has passed all claims but those
//! of others who stay are back, and who issued it sees that. When several see it, a bit in the object
//! says which of them ends it.
//!
//! `model.rs` tries every order of all these steps, with processors that delay what they store.
//!
//! An address stands for one object only while it is claimed: what is called stays in the table of all active objects until
//! the call has ended.

use super::Activation;
use armilla_ipc::barrier;
use armilla_ipc::memory::Lent;
use armilla_ipc::memory::hazard::{self, HazardPointer, HazardSet};
use std::num::NonZeroUsize;
use std::ops::Deref;
use std::ptr::NonNull;

/// An object, as who is about to call it has it.
pub(crate) trait Callee: Deref<Target = Activation> {
    /// Claims it. `false` where the thread has no claims left. A light barrier follows.
    fn protect(&mut self) -> bool;

    /// The call has ended. A light barrier follows.
    fn clear(&mut self);
}

/// From the table of all active objects, where it is claimed already for being looked at.
impl Callee for Lent<'_, Activation> {
    #[inline(always)]
    fn protect(&mut self) -> bool {
        self.begin_use()
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.end_use();
    }
}

/// An object of which somebody knows without the table. It is had as `A`.
pub(crate) struct Known<A> {
    pub(super) activation: A,
    pub(super) hazard: Option<HazardPointer>,
}

impl<A: Deref<Target = Activation>> Deref for Known<A> {
    type Target = Activation;

    #[inline]
    fn deref(&self) -> &Activation {
        &self.activation
    }
}

impl<A: Deref<Target = Activation>> Callee for Known<A> {
    #[inline(always)]
    fn protect(&mut self) -> bool {
        self.hazard = HazardPointer::protect(address(&self.activation));
        self.hazard.is_some()
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.hazard = None;
    }
}

/// Whether a thread claims the object. A heavy barrier has gone before.
pub(super) fn is_called(activation: &Activation) -> bool {
    hazard::is_protected([address(activation)])
}

/// The objects that were claimed at one time.
pub(super) struct ActiveCalls(HazardSet);

impl ActiveCalls {
    /// Those that are claimed by calls which did not see the flags that were raised before.
    pub(super) fn now() -> Self {
        barrier::heavy();
        Self::again()
    }

    /// Those of them that are claimed still. A heavy barrier has gone before.
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
