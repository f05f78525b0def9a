//! What the kernel does for a lock with priority inheritance. The model of the lock replaces this
//! file.

use super::raw_pi_mutex::{LockError, RawPiMutex};
use crate::sys;
use rustix::io::Errno;
use rustix::thread::futex::{Flags, Timespec, lock_pi, lock_pi2, trylock_pi, unlock_pi};
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;
pub(super) use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::Duration;

impl RawPiMutex {
    /// A lock that no thread holds.
    pub const fn new() -> Self {
        Self { word: AtomicU32::new(0), poisoned: AtomicBool::new(false) }
    }
}

thread_local! {
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// The number of the calling thread, which is asked for once.
#[inline]
pub(super) fn this_thread() -> u32 {
    match THREAD.get() {
        0 => ask_for_number(),
        number => number,
    }
}

#[cold]
fn ask_for_number() -> u32 {
    /// Whether a forked process forgets the number. Two threads may both see to it: no harm is done.
    static IS_FORGOTTEN: AtomicBool = AtomicBool::new(false);
    let number = super::thread_id().unsigned_abs();
    if IS_FORGOTTEN.load(Relaxed) || sys::after_fork(forget_number).is_ok() {
        IS_FORGOTTEN.store(true, Relaxed);
        THREAD.set(number);
    }
    number
}

/// The one thread of a process that was just forked has another number than its original.
extern "C" fn forget_number() {
    THREAD.set(0);
}

/// Waits for the lock, up to `limit` if there is one, and takes it.
///
/// # Errors
/// All but [`LockError::NotOwner`].
#[cold]
pub(super) fn lock(word: &AtomicU32, limit: Option<Duration>) -> Result<(), LockError> {
    // Once: a wait that is begun again ends when the first one would have.
    let end = limit.map(deadline);
    loop {
        let locked = match &end {
            None => lock_pi(word, Flags::PRIVATE, None),
            Some(end) => lock_until(word, end),
        };
        match locked {
            Ok(()) => return Ok(()),
            // The waiter was interrupted, or the holder was about to end.
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(Errno::TIMEDOUT) => return Err(LockError::Busy),
            Err(errno) => return Err(not_granted(errno)),
        }
    }
}

/// Takes the lock if no thread holds it.
///
/// # Errors
/// All but [`LockError::NotOwner`].
pub(super) fn try_lock(word: &AtomicU32) -> Result<(), LockError> {
    match trylock_pi(word, Flags::PRIVATE) {
        Ok(true) => Ok(()),
        Ok(false) | Err(Errno::AGAIN) => Err(LockError::Busy),
        Err(errno) => Err(not_granted(errno)),
    }
}

/// Hands the lock of the calling thread to the most urgent waiter.
///
/// # Errors
/// [`LockError::NotOwner`], [`LockError::System`].
pub(super) fn unlock(word: &AtomicU32) -> Result<(), LockError> {
    loop {
        match unlock_pi(word, Flags::PRIVATE) {
            Ok(()) => return Ok(()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(errno) => return Err(refused(errno)),
        }
    }
}

/// Why the kernel does not grant the lock. `EINVAL`: the holder has ended and the waiter to whom the
/// kernel hands the lock has not run yet. The kernel refuses whoever comes in between.
fn not_granted(errno: Errno) -> LockError {
    match errno {
        Errno::INVAL => LockError::OwnerDied,
        errno => refused(errno),
    }
}

fn refused(errno: Errno) -> LockError {
    match errno {
        Errno::DEADLK => LockError::Deadlock,
        Errno::SRCH | Errno::OWNERDEAD => LockError::OwnerDied,
        Errno::PERM => LockError::NotOwner,
        errno => LockError::System(errno.raw_os_error()),
    }
}

/// Waits until a moment of the monotonic clock. Kernels before 5.14 know only the clock of the
/// calendar for this.
fn lock_until(word: &AtomicU32, end: &Timespec) -> Result<(), Errno> {
    match lock_pi2(word, Flags::PRIVATE, Some(end)) {
        Err(Errno::NOSYS) => {
            let now = clock_gettime(ClockId::Monotonic);
            let left = duration(end).saturating_sub(duration(&now));
            let calendar = duration(&clock_gettime(ClockId::Realtime)).saturating_add(left);
            lock_pi(word, Flags::PRIVATE, Some(&timespec(calendar)))
        }
        locked => locked,
    }
}

fn deadline(limit: Duration) -> Timespec {
    timespec(duration(&clock_gettime(ClockId::Monotonic)).saturating_add(limit))
}

fn duration(time: &Timespec) -> Duration {
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

fn timespec(time: Duration) -> Timespec {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    Timespec { tv_sec: seconds, tv_nsec: time.subsec_nanos().into() }
}
