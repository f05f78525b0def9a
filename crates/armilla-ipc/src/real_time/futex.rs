//! What the kernel does for a semaphore. The model of the semaphore replaces this file.

use super::semaphore::Semaphore;
use rustix::thread::futex::{self, Flags, Timespec};
pub(super) use std::sync::atomic::AtomicU32;
use std::time::Duration;

impl Semaphore {
    /// A semaphore with `free` permits.
    pub const fn new(free: u32) -> Self {
        let (waiters, signals) = (AtomicU32::new(0), AtomicU32::new(0));
        Self { free: AtomicU32::new(free), waiters, signals }
    }
}

/// Waits until the word is woken, unless it is no longer `seen`; up to `limit`, if there is one. May
/// return earlier.
pub(super) fn wait(word: &AtomicU32, seen: u32, limit: Option<Duration>) {
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    // An error means that the word has changed, the time came first, or a signal handler has run.
    futex::wait(word, Flags::PRIVATE, seen, limit.as_ref()).ok();
}

/// Wakes up to `count` threads that wait for the word, the most urgent first.
pub(super) fn wake(word: &AtomicU32, count: u32) {
    futex::wake(word, Flags::PRIVATE, count).ok();
}
