//! StackBudget on the stack for values that lead to one another.
//!
//! To read or write a value is to call what reads or writes the values that it leads to, so a long list
//! of them needs a large stack. When a thread has used a part of its own, the rest is left to another
//! thread with a stack for it, and waited for.

use armilla_cdr::{CdrError, CdrErrorKind, CdrResult};
use std::cell::Cell;
use std::{panic, thread};

/// How much of the stack of any thread values may use. Threads have 2 MiB unless somebody says otherwise.
const BUDGET: usize = 512 << 10;

/// How large the stacks of the other threads are, and how much of them values may use.
const LARGE_STACK: usize = 16 << 20;
const LARGE_BUDGET: usize = 12 << 20;

thread_local! {
    /// Where on the stack of this thread the first value began, and how far it is from there to where
    /// another thread is needed.
    static BASE: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Takes back that values have with_base on this thread, however that ends.
struct ClearBase;

impl Drop for ClearBase {
    fn drop(&mut self) {
        BASE.set(None);
    }
}

/// Does `work`, which may come stack_position again, in this thread while there is budget beside the octets that
/// were `used` before the first value, and else in another, with how much budget that has.
///
/// # Errors
/// Those of `work`, or when the system has no thread for it.
#[inline]
pub(super) fn with_stack_budget<T: Send>(
    used: usize,
    work: impl FnOnce(Option<usize>) -> CdrResult<T> + Send,
) -> CdrResult<T> {
    match BASE.get() {
        Some((begin, budget)) if stack_position().abs_diff(begin) > budget => on_new_thread(work),
        Some(_) => work(None),
        None if used > BUDGET => on_new_thread(work),
        None => with_base(BUDGET - used, || work(None)),
    }
}

fn with_base<T>(budget: usize, work: impl FnOnce() -> CdrResult<T>) -> CdrResult<T> {
    BASE.set(Some((stack_position(), budget)));
    let _clear = ClearBase;
    work()
}

#[cold]
fn on_new_thread<T: Send>(work: impl FnOnce(Option<usize>) -> CdrResult<T> + Send) -> CdrResult<T> {
    thread::scope(|scope| {
        let large = thread::Builder::new().name("armilla-values".into()).stack_size(LARGE_STACK);
        let begin = || with_base(LARGE_BUDGET, || work(Some(LARGE_BUDGET)));
        match large.spawn_scoped(scope, begin) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)),
            Err(_) => Err(CdrError::new(CdrErrorKind::Invalid(
                "the system has no thread for values that lead to one another so deep",
            ))),
        }
    })
}

/// Where the stack ends at present.
#[inline(never)]
fn stack_position() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}
