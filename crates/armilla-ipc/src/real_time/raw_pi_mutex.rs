//! A lock of one word whose holder inherits the priority of its waiters (`FUTEX_LOCK_PI`).
//!
//! The word contains the number of the thread that holds the lock, or 0. An uncontended lock or
//! unlock is one exchange of this word. A thread that finds it taken asks the kernel, which raises
//! the priority of the holder, queues waiters by priority, and hands the lock over.
//!
//! # A holder that ends
//! When a thread ends with the lock, the kernel hands it to the next waiter and marks the word
//! (`OWNER_DIED`), or refuses whoever comes later. What the lock protects may still be in use, by
//! a reference that the thread has given away. So nobody gets such a lock: the first thread that
//! learns of it poisons the lock and lets go of it, and the threads behind it find it poisoned.
//!
//! # Why a thread sees what the last holder wrote
//! Each release is an atomic operation of this file with `Release`: the exchange itself, or an
//! operation without effect before the kernel's. The kernel's operations on the word are exchanges
//! too, which continue the release sequence. Each acquisition ends with an operation of this file
//! with `Acquire`: the exchange, or a load after the kernel has granted the lock.
//!
//! What the kernel does is in [`kernel`](super::kernel). `tests/models/pi_mutex_model.rs`
//! compiles this file with a kernel and atomics of its own, and tries every order.

use super::kernel::{self, AtomicBool, AtomicU32, this_thread};
use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A mutual exclusion lock with priority inheritance, without data. It has the semantics of a POSIX
/// mutex with `PTHREAD_PRIO_INHERIT` and `PTHREAD_MUTEX_ERRORCHECK`, in one process.
/// [`PiMutex`](super::PiMutex) protects data with it.
///
/// A thread that ends without releasing it *poisons* it: from then on nobody gets it, and every
/// attempt is told [`LockError::OwnerDied`].
#[derive(Default)]
pub struct RawPiMutex {
    pub(super) word: AtomicU32,
    /// Set by a thread that has the lock or has been refused it, and never cleared. A thread that
    /// takes the lock later sees it.
    pub(super) poisoned: AtomicBool,
}

/// Why a lock was not taken or not released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockError {
    /// The calling thread holds the lock already (`EDEADLK`).
    Deadlock,
    /// Another thread holds it, or held it until the time was over (`EBUSY`, `ETIMEDOUT`).
    Busy,
    /// A thread that held it has ended without releasing it: the lock is poisoned, for good
    /// (`EOWNERDEAD`, `ENOTRECOVERABLE`).
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
            Self::OwnerDied => "a thread that held the lock has ended without releasing it",
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

/// The bit by which the kernel says that the last holder has ended (`FUTEX_OWNER_DIED`).
const OWNER_DIED: u32 = 0x4000_0000;

impl RawPiMutex {
    /// Waits for the lock and takes it.
    ///
    /// # Errors
    /// [`LockError::Deadlock`], [`LockError::OwnerDied`], [`LockError::System`].
    #[inline]
    pub fn lock(&self) -> Result<(), LockError> {
        if self.take_free() { self.check() } else { self.lock_slow(None) }
    }

    /// Takes the lock if no thread holds it.
    ///
    /// # Errors
    /// As [`lock`](Self::lock); [`LockError::Busy`].
    #[inline]
    pub fn try_lock(&self) -> Result<(), LockError> {
        if self.take_free() { self.check() } else { self.try_lock_slow() }
    }

    /// Waits up to `limit` for the lock and takes it.
    ///
    /// # Errors
    /// As [`lock`](Self::lock); [`LockError::Busy`] when the time is over.
    pub fn try_lock_for(&self, limit: Duration) -> Result<(), LockError> {
        if self.take_free() { self.check() } else { self.lock_slow(Some(limit)) }
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

    /// Whether it is known that a thread has ended without releasing the lock.
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Relaxed)
    }

    #[inline]
    fn take_free(&self) -> bool {
        let own = this_thread();
        self.word.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Keeps the lock, which the calling thread has just taken, unless it is poisoned.
    #[inline]
    fn check(&self) -> Result<(), LockError> {
        // Whoever poisoned it did so before releasing it to this thread.
        if self.is_poisoned() { self.poison() } else { Ok(()) }
    }

    #[cold]
    fn lock_slow(&self, limit: Option<Duration>) -> Result<(), LockError> {
        // Once that is known, the number in the word may be that of another, living thread.
        if self.is_poisoned() {
            return Err(LockError::OwnerDied);
        }
        self.settle(kernel::lock(&self.word, limit))
    }

    #[cold]
    fn try_lock_slow(&self) -> Result<(), LockError> {
        if self.is_poisoned() {
            return Err(LockError::OwnerDied);
        }
        match self.word.load(Ordering::Relaxed) & OWNER == this_thread() {
            true => Err(LockError::Deadlock),
            false => self.settle(kernel::try_lock(&self.word)),
        }
    }

    /// Finds out how the kernel has meant its answer.
    fn settle(&self, answer: Result<(), LockError>) -> Result<(), LockError> {
        match answer {
            // `Acquire`: what earlier holders wrote is seen.
            Ok(()) if self.word.load(Ordering::Acquire) & OWNER_DIED == 0 => self.check(),
            Ok(()) => self.poison(),
            Err(LockError::OwnerDied) => {
                self.poisoned.store(true, Ordering::Relaxed);
                Err(LockError::OwnerDied)
            }
            Err(error) => Err(error),
        }
    }

    /// Lets go of the lock, which the calling thread has, so that those who wait for it are told
    /// too.
    #[cold]
    fn poison(&self) -> Result<(), LockError> {
        self.poisoned.store(true, Ordering::Relaxed);
        self.unlock()?;
        Err(LockError::OwnerDied)
    }

    #[cold]
    fn unlock_slow(&self, seen: u32, own: u32) -> Result<(), LockError> {
        if seen & OWNER != own {
            return Err(LockError::NotOwner);
        }
        // Changes nothing but the order: what this thread wrote comes before the kernel's exchange.
        self.word.fetch_or(0, Ordering::Release);
        kernel::unlock(&self.word)
    }
}

impl fmt::Debug for RawPiMutex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawPiMutex").field("is_locked", &self.is_locked()).finish()
    }
}
