//! A lock of one word whose holder inherits the priority of its waiters (`FUTEX_LOCK_PI`).
//!
//! The word contains the number of the thread that holds the lock, or 0. An uncontended lock or
//! unlock is one exchange of this word. A thread that finds it taken asks the kernel, which raises
//! the priority of the holder, queues waiters by priority, and hands the lock over.

use rustix::io::Errno;
use rustix::thread::futex::{Flags, Timespec, lock_pi, lock_pi2, trylock_pi, unlock_pi};
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A mutual exclusion lock with priority inheritance, without data. It has the semantics of a POSIX
/// mutex with `PTHREAD_PRIO_INHERIT` and `PTHREAD_MUTEX_ERRORCHECK`, in one process.
/// [`PiMutex`](super::PiMutex) protects data with it.
#[derive(Default)]
pub struct RawPiMutex {
    word: AtomicU32,
}

/// Why a lock was not taken or not released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockError {
    /// The calling thread holds the lock already (`EDEADLK`).
    Deadlock,
    /// Another thread holds it, or held it until the time was over (`EBUSY`, `ETIMEDOUT`).
    Busy,
    /// The thread that held it has ended without releasing it (`EOWNERDEAD`).
    OwnerDied,
    /// The calling thread does not hold the lock that it releases (`EPERM`).
    NotOwner,
    /// The kernel has no such locks or no memory for one; the number of the error.
    System(i32),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deadlock => "the calling thread holds the lock already",
            Self::Busy => "another thread holds the lock",
            Self::OwnerDied => "the thread that held the lock has ended without releasing it",
            Self::NotOwner => "the calling thread does not hold the lock",
            Self::System(number) => {
                return write!(f, "{}", std::io::Error::from_raw_os_error(*number));
            }
        })
    }
}

impl std::error::Error for LockError {}

/// The part of the word that is the number of a thread (`FUTEX_TID_MASK`).
const OWNER: u32 = 0x3fff_ffff;

thread_local! {
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// The number of the calling thread, which is asked for once.
#[inline]
fn this_thread() -> u32 {
    THREAD.with(|cached| match cached.get() {
        0 => {
            let number = super::thread_id().unsigned_abs();
            cached.set(number);
            number
        }
        number => number,
    })
}

impl RawPiMutex {
    /// A lock that no thread holds.
    pub const fn new() -> Self {
        Self { word: AtomicU32::new(0) }
    }

    /// Waits for the lock and takes it.
    ///
    /// # Errors
    /// [`LockError::Deadlock`], [`LockError::OwnerDied`], [`LockError::System`].
    #[inline]
    pub fn lock(&self) -> Result<(), LockError> {
        if self.take_free() { Ok(()) } else { self.lock_slow(None) }
    }

    /// Takes the lock if no thread holds it.
    ///
    /// # Errors
    /// As [`lock`](Self::lock); [`LockError::Busy`].
    #[inline]
    pub fn try_lock(&self) -> Result<(), LockError> {
        if self.take_free() { Ok(()) } else { self.try_lock_slow() }
    }

    /// Waits up to `limit` for the lock and takes it.
    ///
    /// # Errors
    /// As [`lock`](Self::lock); [`LockError::Busy`] when the time is over.
    pub fn try_lock_for(&self, limit: Duration) -> Result<(), LockError> {
        if self.take_free() { Ok(()) } else { self.lock_slow(Some(limit)) }
    }

    /// Releases the lock. The kernel hands it to the most urgent waiter.
    ///
    /// # Errors
    /// [`LockError::NotOwner`].
    #[inline]
    pub fn unlock(&self) -> Result<(), LockError> {
        let own = this_thread();
        match self.word.compare_exchange(own, 0, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => Ok(()),
            Err(seen) => self.unlock_slow(seen, own),
        }
    }

    /// Whether some thread holds the lock at the moment.
    pub fn is_locked(&self) -> bool {
        self.word.load(Ordering::Relaxed) & OWNER != 0
    }

    #[inline]
    fn take_free(&self) -> bool {
        let own = this_thread();
        self.word.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn lock_slow(&self, limit: Option<Duration>) -> Result<(), LockError> {
        // Once: a wait that is begun again ends when the first one would have.
        let end = limit.map(deadline);
        loop {
            let locked = match &end {
                None => lock_pi(&self.word, Flags::PRIVATE, None),
                Some(end) => lock_until(&self.word, end),
            };
            match locked {
                Ok(()) => return Ok(()),
                // The waiter was interrupted, or the holder was about to end.
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(Errno::TIMEDOUT) => return Err(LockError::Busy),
                Err(errno) => return Err(refused(errno)),
            }
        }
    }

    #[cold]
    fn try_lock_slow(&self) -> Result<(), LockError> {
        if self.word.load(Ordering::Relaxed) & OWNER == this_thread() {
            return Err(LockError::Deadlock);
        }
        match trylock_pi(&self.word, Flags::PRIVATE) {
            Ok(true) => Ok(()),
            Ok(false) | Err(Errno::AGAIN) => Err(LockError::Busy),
            Err(errno) => Err(refused(errno)),
        }
    }

    #[cold]
    fn unlock_slow(&self, seen: u32, own: u32) -> Result<(), LockError> {
        if seen & OWNER != own {
            return Err(LockError::NotOwner);
        }
        loop {
            match unlock_pi(&self.word, Flags::PRIVATE) {
                Ok(()) => return Ok(()),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(errno) => return Err(refused(errno)),
            }
        }
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

impl fmt::Debug for RawPiMutex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawPiMutex").field("is_locked", &self.is_locked()).finish()
    }
}
