//! Catching the panics of a program's code.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls code of the program; `None` if it panics. That its values may be half changed then is the
/// program's own affair.
#[inline]
pub fn catch<R>(call: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(call)).map_err(discard).ok()
}

/// Drops what a panic has left, which may be any value of the program.
#[cold]
#[inline(never)]
pub fn discard(panic: Box<dyn Any + Send>) {
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        // It would go on like this.
        std::mem::forget(another);
    }
}
