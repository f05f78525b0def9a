//! A counting semaphore whose waiters the kernel wakes in the order of their priorities.

use super::clock::monotonic_now;
use super::futex::{self, AtomicU32};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A counting semaphore. Taking a free permit is one exchange, without a system call. Of several
/// threads that wait the kernel wakes the one with the highest real-time priority.
///
/// A thread may look for permits elsewhere too while it waits, see
/// [`acquire_or`](Self::acquire_or); whoever frees one there [signals](Self::signal) it.
///
/// ```
/// use armilla_ipc::real_time::Semaphore;
///
/// let permits = Semaphore::new(1);
/// permits.acquire();
/// assert!(!permits.try_acquire());
/// permits.release();
/// assert!(permits.try_acquire());
/// ```
#[derive(Debug, Default)]
pub struct Semaphore {
    pub(super) free: AtomicU32,
    pub(super) waiters: AtomicU32,
    /// Changes with each signal, so that none is lost between a look and the wait.
    pub(super) signals: AtomicU32,
}

impl Semaphore {
    /// Takes a permit if one is free.
    #[inline]
    pub fn try_acquire(&self) -> bool {
        let taken =
            self.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |free| free.checked_sub(1));
        taken.is_ok()
    }

    /// Waits for a permit and takes it.
    pub fn acquire(&self) {
        self.acquire_or(|| None::<()>);
    }

    /// Waits for a permit of this semaphore, or for something that `elsewhere` finds. `elsewhere`
    /// is asked whenever no permit is free here, and again after each [signal](Self::signal).
    /// Returns what it found, or `None` with a permit of this semaphore.
    pub fn acquire_or<T>(&self, mut elsewhere: impl FnMut() -> Option<T>) -> Option<T> {
        if self.try_acquire() {
            return None;
        }
        let find = || match self.try_acquire() {
            true => Some(None),
            false => elsewhere().map(Some),
        };
        self.wait_for(None, find).flatten()
    }

    /// Waits until `find` finds something, and takes no permit. `find` is asked at once, and again
    /// after each [signal](Self::signal). Returns what it found; `None` after `limit`, if there is
    /// one. Whoever makes something to be found signals the semaphore afterwards.
    pub fn wait_for<T>(
        &self,
        limit: Option<Duration>,
        mut find: impl FnMut() -> Option<T>,
    ) -> Option<T> {
        let end = limit.map(|limit| monotonic_now().saturating_add(limit));
        loop {
            // Counted before it looks: what is released afterwards is signalled.
            let seen = self.signals.load(Ordering::SeqCst);
            self.waiters.fetch_add(1, Ordering::SeqCst);
            let found = find();
            let left = end.map(|end| end.saturating_sub(monotonic_now()));
            let waits = found.is_none() && left.is_none_or(|left| !left.is_zero());
            if waits {
                futex::wait(&self.signals, seen, left);
            }
            self.waiters.fetch_sub(1, Ordering::SeqCst);
            if !waits {
                return found;
            }
        }
    }

    /// Gives a permit back.
    #[inline]
    pub fn release(&self) {
        self.free.fetch_add(1, Ordering::SeqCst);
        self.signal();
    }

    /// Wakes the most urgent waiter, if there is one, to look again. Returns whether there is.
    #[inline]
    pub fn signal(&self) -> bool {
        self.wake(1)
    }

    /// Wakes all waiters to look again. Returns whether there are any.
    pub fn signal_all(&self) -> bool {
        self.wake(i32::MAX.unsigned_abs())
    }

    #[inline]
    fn wake(&self, count: u32) -> bool {
        let awaited = self.waiters.load(Ordering::SeqCst) > 0;
        if awaited {
            self.signals.fetch_add(1, Ordering::SeqCst);
            futex::wake(&self.signals, count);
        }
        awaited
    }

    /// How many permits are free at the moment. A thread that has waited here sees what was freed
    /// before it was [signalled](Self::signal).
    pub fn free(&self) -> u32 {
        self.free.load(Ordering::SeqCst)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn no_more_threads_than_permits_hold_one_and_none_is_lost() {
        let (permits, inside) = (Semaphore::new(2), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        permits.acquire();
                        assert!(inside.fetch_add(1, Ordering::SeqCst) < 2);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        permits.release();
                    }
                });
            }
        });
        assert_eq!(permits.free(), 2);
    }

    #[test]
    fn a_wait_ends_with_what_is_found_or_after_its_time() {
        let (semaphore, made) = (Semaphore::new(0), AtomicU32::new(0));
        let begun = std::time::Instant::now();
        assert_eq!(semaphore.wait_for(Some(Duration::from_millis(5)), || None::<()>), None);
        assert!(begun.elapsed() >= Duration::from_millis(5));
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let find = || Some(made.load(Ordering::SeqCst)).filter(|made| *made == 3);
                semaphore.wait_for(None, find)
            });
            for _ in 0..3 {
                made.fetch_add(1, Ordering::SeqCst);
                semaphore.signal();
            }
            assert_eq!(waiter.join().unwrap(), Some(3));
        });
    }

    #[test]
    fn a_waiter_finds_what_is_freed_elsewhere() {
        let (own, other) = (Semaphore::new(0), Semaphore::new(0));
        thread::scope(|scope| {
            let waiter =
                scope.spawn(|| own.acquire_or(|| other.try_acquire().then_some("borrowed")));
            other.free.fetch_add(1, Ordering::SeqCst);
            while !waiter.is_finished() {
                own.signal();
                thread::yield_now();
            }
            assert_eq!(waiter.join().unwrap(), Some("borrowed"));
        });
    }
}
