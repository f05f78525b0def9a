//! How long a call within the process may wait for others before its servant is called.
//!
//! A client elsewhere looks at its own clock. A thread that calls an object of its process is
//! itself the one that waits at the gate of the POA, and nobody else would tell it that its time is
//! over.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use std::cell::Cell;
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

thread_local! {
    /// That of the innermost call of this thread.
    static LIMIT: Cell<Limit> = const { Cell::new(Limit::Never) };
}

/// How long a call may wait.
#[derive(Clone, Copy)]
enum Limit {
    /// Without end.
    Never,
    /// So long, from the first time that it has to: few calls ever wait, and need a look at the
    /// clock.
    From(Duration),
    Until(Instant),
}

/// Goes back to the limit of the call around.
struct RestoreLimit(Limit);

impl Drop for RestoreLimit {
    fn drop(&mut self) {
        LIMIT.set(self.0);
    }
}

/// Makes a call of this thread that may wait so long; `None` is without end.
#[inline]
pub(crate) fn within<R>(limit: Option<Duration>, call: impl FnOnce() -> R) -> R {
    let _restore = RestoreLimit(LIMIT.replace(limit.map_or(Limit::Never, Limit::From)));
    call()
}

/// Does what a program asks a POA for. That waits as long as it takes, also where a servant asks
/// that is called by who has little time: the limit was for the way to the servant.
pub(crate) fn without_end<R>(ask: impl FnOnce() -> R) -> R {
    within(None, ask)
}

/// How long the calling thread may still wait; `None` is without end.
pub(crate) fn left() -> Option<Duration> {
    match LIMIT.get() {
        Limit::Never => None,
        Limit::From(limit) => {
            LIMIT.set(Instant::now().checked_add(limit).map_or(Limit::Never, Limit::Until));
            Some(limit)
        }
        Limit::Until(end) => Some(end.saturating_duration_since(Instant::now())),
    }
}

/// Waits to be woken.
///
/// # Errors
/// The guard, when there is no time left.
pub(crate) fn wait<'m, T>(
    changed: &Condvar,
    guard: MutexGuard<'m, T>,
) -> Result<MutexGuard<'m, T>, MutexGuard<'m, T>> {
    match left() {
        None => Ok(changed.wait(guard).unwrap_or_else(PoisonError::into_inner)),
        Some(left) if left.is_zero() => Err(guard),
        Some(left) => {
            let waited = changed.wait_timeout(guard, left);
            Ok(waited.unwrap_or_else(PoisonError::into_inner).0)
        }
    }
}

/// The call has waited as long as it may, for what the words say.
#[cold]
pub(crate) fn exhausted(completed: Completion, what: String) -> SystemException {
    SystemException::new(ExceptionKind::Timeout, Minor::REPLY_TIMED_OUT, completed)
        .with_reason(what)
        .with_hint("the limit is the reference's (with_timeout) or the ORB's (call_timeout)")
}
