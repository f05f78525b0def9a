//! How long a collocated call may wait before its servant is called.
//!
//! A remote client observes its own timeout. A collocated call runs in the client's thread, which
//! itself waits at the gate of the POA, so the limit has to be observed there.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use std::cell::Cell;
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

thread_local! {
    /// The limits of the innermost call of this thread: until its servant is called, and of all.
    static LIMITS: [Cell<Limit>; 2] = const { [const { Cell::new(Limit::Never) }; 2] };
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

/// Restores the limits of the enclosing call.
struct RestoreLimits([Limit; 2]);

impl Drop for RestoreLimits {
    #[inline]
    fn drop(&mut self) {
        LIMITS
            .with(|limits| limits.iter().zip(self.0).for_each(|(limit, before)| limit.set(before)));
    }
}

/// Runs `call`, which may wait as long as `delivery` until its servant is called, and as long as
/// `all` for its reply; `None` is no limit.
#[inline]
pub fn within<R>(delivery: Option<Duration>, all: Option<Duration>, call: impl FnOnce() -> R) -> R {
    let new = [delivery, all].map(|limit| limit.map_or(Limit::Never, Limit::From));
    let _restore =
        RestoreLimits(LIMITS.with(|limits| [limits[0].replace(new[0]), limits[1].replace(new[1])]));
    call()
}

/// Runs a request of the program to a POA without a limit. The limit of an enclosing call does not
/// apply: it covers only the way to the servant.
pub fn without_limit<R>(ask: impl FnOnce() -> R) -> R {
    within(None, None, ask)
}

/// How long the calling thread may still wait until the servant is called; `None` is no limit.
pub fn left() -> Option<Duration> {
    LIMITS.with(|limits| left_of(&limits[0]))
}

/// How long it may still wait for the reply.
pub fn left_for_reply() -> Option<Duration> {
    LIMITS.with(|limits| left_of(&limits[1]))
}

fn left_of(limit: &Cell<Limit>) -> Option<Duration> {
    match limit.get() {
        Limit::Never => None,
        Limit::From(time) => {
            limit.set(Instant::now().checked_add(time).map_or(Limit::Never, Limit::Until));
            Some(time)
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
        .with_hint(
            "the limit is the reference's (with_timeout, request_timeout) or the ORB's \
             (-ORBCallTimeout, -ORBRequestTimeout)",
        )
}
