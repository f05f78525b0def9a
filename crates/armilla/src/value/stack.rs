//! StackBudget on the stack for values that lead to one another.
//!
//! To read or write a value is to call what reads or writes the values that it leads to, so a long list
//! of them needs a large stack. When a thread has used a part of its own, the rest is left to another
//! thread with a stack for it, and waited for.

use armilla_cdr::{CdrError, CdrErrorKind, CdrResult};
use std::cell::Cell;
use std::{panic, thread};

/// How much of the stack of any thread values may use. Threads have 2 MiB unless somebody says otherwise.
const ROOM: usize = 512 << 10;

/// How large the stacks of the other threads are, and how much of them values may use.
const LARGE: usize = 16 << 20;
const ROOM_IN_LARGE: usize = 12 << 20;

thread_local! {
    /// Where on the stack of this thread the first value began, and how far it is from there to where
    /// another thread is needed.
    static BEGIN: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Takes back that values have begun on this thread, however that ends.
struct Begun;

impl Drop for Begun {
    fn drop(&mut self) {
        BEGIN.set(None);
    }
}

/// Does `work`, which may come here again, in this thread while there is room beside the octets that
/// were `taken` before the first value, and else in another, with how much room that has.
///
/// # Errors
/// Those of `work`, or when the system has no thread for it.
#[inline]
pub(super) fn with_room<T: Send>(
    taken: usize,
    work: impl FnOnce(Option<usize>) -> CdrResult<T> + Send,
) -> CdrResult<T> {
    match BEGIN.get() {
        Some((begin, room)) if here().abs_diff(begin) > room => elsewhere(work),
        Some(_) => work(None),
        None if taken > ROOM => elsewhere(work),
        None => begun(ROOM - taken, || work(None)),
    }
}

fn begun<T>(room: usize, work: impl FnOnce() -> CdrResult<T>) -> CdrResult<T> {
    BEGIN.set(Some((here(), room)));
    let _begun = Begun;
    work()
}

#[cold]
fn elsewhere<T: Send>(work: impl FnOnce(Option<usize>) -> CdrResult<T> + Send) -> CdrResult<T> {
    thread::scope(|scope| {
        let large = thread::Builder::new().name("armilla-values".into()).stack_size(LARGE);
        let begin = || begun(ROOM_IN_LARGE, || work(Some(ROOM_IN_LARGE)));
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
fn here() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}
