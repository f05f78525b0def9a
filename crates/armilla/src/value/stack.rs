//! The stack budget for encoding and decoding nested values.
//!
//! The encoder and the decoder recurse from a value to the values that it refers to, so a long list
//! needs a large stack. When a thread has used its budget, a helper thread with a larger stack
//! continues, and the first thread waits for it.

use armilla_cdr::{CdrError, CdrErrorKind, CdrResult};
use std::cell::Cell;
use std::{panic, thread};

/// How many octets of the stack of any thread values may use. The default stack of a Rust thread
/// has 2 MiB.
const BUDGET: usize = 512 << 10;

/// The size of the stack of a helper thread, and how many octets of it values may use.
const LARGE_STACK: usize = 16 << 20;
const LARGE_BUDGET: usize = 12 << 20;

thread_local! {
    /// The position on the stack of this thread at which the first value began, and the number of
    /// octets from there that values may use.
    static BASE: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Clears [`BASE`] when it is dropped, also during a panic.
struct ClearBase;

impl Drop for ClearBase {
    fn drop(&mut self) {
        BASE.set(None);
    }
}

/// Calls `work` in this thread while the budget lasts, and otherwise in a helper thread. `work` may
/// call this function recursively. In a helper thread it gets the budget of that thread. `used` is
/// the number of octets of stack that the decoder used before the first value.
///
/// # Errors
/// Those of `work`; `Invalid` when the system cannot create a thread.
pub(super) fn with_stack_budget<T: Send>(
    used: usize,
    work: impl FnOnce(Option<usize>) -> CdrResult<T> + Send,
) -> CdrResult<T> {
    match BASE.get() {
        Some((base, budget)) if stack_position().abs_diff(base) > budget => on_new_thread(work),
        Some(_) => work(None),
        None if used > BUDGET => on_new_thread(work),
        None => with_base(BUDGET - used, || work(None)),
    }
}

/// Calls `work` with the present stack position as the base.
fn with_base<T>(budget: usize, work: impl FnOnce() -> CdrResult<T>) -> CdrResult<T> {
    BASE.set(Some((stack_position(), budget)));
    let _clear = ClearBase;
    work()
}

fn on_new_thread<T: Send>(work: impl FnOnce(Option<usize>) -> CdrResult<T> + Send) -> CdrResult<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("armilla-values".into()).stack_size(LARGE_STACK);
        let work = || with_base(LARGE_BUDGET, || work(Some(LARGE_BUDGET)));
        match builder.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)),
            Err(_) => Err(CdrError::new(CdrErrorKind::Invalid(
                "the system has no thread for values that are nested so deeply",
            ))),
        }
    })
}

/// The present position of the stack pointer, approximately.
fn stack_position() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}
