//! The bound on calls within the process that nest in each other: a servant calls an object of the
//! process, whose servant calls another one. They use the stack of one thread, so each call looks
//! how much of it is left. A client may decide how deep they nest, as with a long name.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use armilla_ipc::stack::{StackBounds, position};
use std::cell::Cell;

/// How many octets of the stack are left to a servant, at least. A thread with a small stack leaves
/// half of it.
const RESERVE: usize = 1 << 20;

/// How many octets are taken to be left of a stack whose bounds are not known.
const ASSUMED: usize = 512 << 10;

thread_local! {
    /// The lowest address of the stack at which a call may begin. Not known yet where it is the
    /// highest of all addresses.
    static FLOOR: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Whether the stack of the calling thread is too short for one more call.
#[inline]
pub(crate) fn is_exhausted() -> bool {
    // A thread that is ending keeps this too: the cell has no destructor.
    position() < FLOOR.get() && is_exhausted_slow()
}

/// The same where the floor is not known or was passed.
#[cold]
#[inline(never)]
fn is_exhausted_slow() -> bool {
    let (here, bounds) = (position(), StackBounds::of_this_thread());
    let floor = match bounds {
        Some(StackBounds { lowest, size }) => lowest + RESERVE.min(size / 2),
        None if FLOOR.get() == usize::MAX => here.saturating_sub(ASSUMED),
        None => FLOOR.get(),
    };
    FLOOR.set(floor);
    // Below its stack a thread is on another one, which has bounds of its own.
    here < floor && bounds.is_none_or(|bounds| here >= bounds.lowest)
}

/// The exception of a call for which the stack is too short.
#[cold]
pub(crate) fn too_deep() -> SystemException {
    let kind = ExceptionKind::NoResources;
    SystemException::new(kind, Minor::CALLS_NESTED_TOO_DEEP, Completion::No)
        .with_reason(
            "calls of objects of this process nest so deep that the stack of the thread is nearly \
             used: 1 MiB is left, or half of a small stack",
        )
        .with_hint("a thread with a larger stack nests more calls (RUST_MIN_STACK)")
}
