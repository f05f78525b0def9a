//! How long a collocated call may wait before its servant is called.
//!
//! A remote client observes its own timeout. A collocated call runs in the client's thread, which
//! itself waits at the gate of the POA, so the limit has to be observed there.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use std::cell::Cell;
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

thread_local! {
    /// The limit of the innermost call of this thread.
    static LIMIT: Cell<Limit> = const { Cell::new(Limit::Never) };
}

/// How long a call may wait.
#[derive(Clone, Copy)]
enum Limit {
    /// Without a limit.
    Never,
    /// This long, counted from its first wait: few calls ever wait, so the others need not read the
    /// clock.
    From(Duration),
    Until(Instant),
}

/// Restores the limit of the enclosing call.
struct RestoreLimit(Limit);

impl Drop for RestoreLimit {
    #[inline]
    fn drop(&mut self) {
        LIMIT.set(self.0);
    }
}

/// Runs `call` with this wait limit; `None` is no limit.
#[inline]
pub fn within<R>(limit: Option<Duration>, call: impl FnOnce() -> R) -> R {
    let _restore = RestoreLimit(LIMIT.replace(limit.map_or(Limit::Never, Limit::From)));
    call()
}

/// Runs a request of the program to a POA without a limit. The limit of an enclosing call does not
/// apply: it covers only the way to the servant.
pub fn without_limit<R>(ask: impl FnOnce() -> R) -> R {
    within(None, ask)
}

/// How long the calling thread may still wait; `None` is no limit.
pub fn left() -> Option<Duration> {
    match LIMIT.get() {
        Limit::Never => None,
        Limit::From(limit) => {
            LIMIT.set(Instant::now().checked_add(limit).map_or(Limit::Never, Limit::Until));
            Some(limit)
        }
        Limit::Until(end) => Some(end.saturating_duration_since(Instant::now())),
    }
}

/// Waits for a notification, within the limit of the calling thread.
///
/// # Errors
/// The guard, when the limit has expired.
pub fn wait<'m, T>(
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

/// The exception of a call whose wait limit has expired; `what` says what it waited for.
#[cold]
pub fn exhausted(completed: Completion, what: String) -> SystemException {
    SystemException::new(ExceptionKind::Timeout, Minor::REPLY_TIMED_OUT, completed)
        .with_reason(what)
        .with_hint("the limit is the reference's (with_timeout) or the ORB's (call_timeout)")
}
