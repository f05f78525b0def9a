//! A lock of one word whose holder inherits the priority of its waiters (`FUTEX_LOCK_PI`).
//!
//! The word contains the number of the thread that holds the lock, or 0. An uncontended lock or
//! unlock is one exchange of this word. A thread that finds it taken asks the kernel, which raises
//! the priority of the holder, queues waiters by priority, and hands the lock over.
//!
//! What the kernel does is in [`kernel`](super::kernel). `tests/pi_mutex_model.rs` compiles this
//! file with a kernel and atomics of its own, and tries every order.

use super::kernel::{self, AtomicU32, this_thread};
use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A mutual exclusion lock with priority inheritance, without data. It has the semantics of a POSIX
/// mutex with `PTHREAD_PRIO_INHERIT` and `PTHREAD_MUTEX_ERRORCHECK`, in one process.
/// [`PiMutex`](super::PiMutex) protects data with it.
#[derive(Default)]
pub struct RawPiMutex {
    pub(super) word: AtomicU32,
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

impl RawPiMutex {
    /// Waits for the lock and takes it.
    ///
    /// # Errors
    /// [`LockError::Deadlock`], [`LockError::OwnerDied`], [`LockError::System`].
    #[inline]
    pub fn lock(&self) -> Result<(), LockError> {
        if self.take_free() { Ok(()) } else { kernel::lock(&self.word, None) }
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
        if self.take_free() { Ok(()) } else { kernel::lock(&self.word, Some(limit)) }
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
    fn try_lock_slow(&self) -> Result<(), LockError> {
        match self.word.load(Ordering::Relaxed) & OWNER == this_thread() {
            true => Err(LockError::Deadlock),
            false => kernel::try_lock(&self.word),
        }
    }

    #[cold]
    fn unlock_slow(&self, seen: u32, own: u32) -> Result<(), LockError> {
        match seen & OWNER == own {
            true => kernel::unlock(&self.word),
            false => Err(LockError::NotOwner),
        }
    }
}

impl fmt::Debug for RawPiMutex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawPiMutex").field("is_locked", &self.is_locked()).finish()
    }
}
