//! A model of the mutex with priority inheritance: the part in user space, `raw_pi_mutex.rs`,
//! compiled here with the atomics of loom, under every interleaving and every weak ordering that
//! the memory model allows.
//!
//! The kernel is a few lines here: what `futex(2)` says of `FUTEX_LOCK_PI` and `FUTEX_UNLOCK_PI`, and
//! what it does when a thread ends with a lock, without priorities. A thread that is not handed the
//! lock waits for ever, and loom reports that; it also reports two threads in the data at once.
#![cfg(loom)]
#![allow(dead_code, unreachable_pub, unsafe_code)]

#[path = "../../src/real_time/raw_pi_mutex.rs"]
mod raw_pi_mutex;

/// The part of the kernel.
mod kernel {
    use super::raw_pi_mutex::LockError;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32};
    use loom::sync::{Condvar, Mutex, MutexGuard};
    use std::cell::Cell;
    use std::collections::VecDeque;
    use std::sync::atomic::Ordering::{Relaxed, SeqCst};
    use std::time::Duration;

    const OWNER: u32 = 0x3fff_ffff;
    const OWNER_DIED: u32 = 0x4000_0000;
    const WAITERS: u32 = 0x8000_0000;

    loom::lazy_static! {
        static ref KNOWN: Mutex<Known> = Mutex::default();
        static ref CHANGED: Condvar = Condvar::new();
    }
    loom::thread_local! {
        static NUMBER: Cell<u32> = Cell::new(1);
    }

    /// What the kernel knows of the one lock of a model.
    #[derive(Default)]
    struct Known {
        waiters: VecDeque<u32>,
        /// The holder has ended, and no waiter has taken the lock yet.
        is_orphan: bool,
        ended: Vec<u32>,
    }

    fn known() -> MutexGuard<'static, Known> {
        KNOWN.lock().unwrap()
    }

    impl Known {
        /// Gives the lock to the next waiter.
        fn grant(&mut self, word: &AtomicU32, thread: u32) {
            self.waiters.retain(|waiter| *waiter != thread);
            let died = if std::mem::take(&mut self.is_orphan) { OWNER_DIED } else { 0 };
            let more = if self.waiters.is_empty() { 0 } else { WAITERS };
            word.swap(thread | died | more, SeqCst);
        }

        /// Takes the lock if it is free. Otherwise says whether the thread may wait: not for a lock
        /// that the kernel hands from a thread that has ended to a waiter.
        fn take(&mut self, word: &AtomicU32, own: u32) -> Result<(), LockError> {
            loop {
                let seen = word.load(Relaxed);
                if self.is_orphan {
                    return Err(LockError::OwnerDied);
                }
                match seen & OWNER {
                    0 if word.compare_exchange(seen, own, SeqCst, SeqCst).is_ok() => return Ok(()),
                    // The holder may release the lock in user space meanwhile.
                    0 => {}
                    owner if owner == own => return Err(LockError::Deadlock),
                    owner if self.ended.contains(&owner) => return Err(LockError::OwnerDied),
                    _ => return Err(LockError::Busy),
                }
            }
        }
    }

    /// Gives the calling thread its number; the first thread has 1.
    pub(crate) fn begin_thread(number: u32) {
        NUMBER.with(|own| own.set(number));
    }

    /// Ends the calling thread, with or without the lock.
    pub(crate) fn end_thread(word: &AtomicU32) {
        let (own, mut known) = (this_thread(), known());
        known.ended.push(own);
        known.is_orphan |= word.load(Relaxed) & OWNER == own && !known.waiters.is_empty();
        CHANGED.notify_all();
    }

    pub(crate) fn this_thread() -> u32 {
        NUMBER.with(Cell::get)
    }

    pub(crate) fn lock(word: &AtomicU32, limit: Option<Duration>) -> Result<(), LockError> {
        assert!(limit.is_none(), "time does not pass here");
        let (own, mut known) = (this_thread(), known());
        loop {
            match known.take(word, own) {
                Err(LockError::Busy) => {}
                answer => return answer,
            }
            let seen = word.load(Relaxed);
            let waits = seen & OWNER != 0
                && word.compare_exchange(seen, seen | WAITERS, SeqCst, SeqCst).is_ok();
            if waits {
                break known.waiters.push_back(own);
            }
        }
        while word.load(Relaxed) & OWNER != own {
            match known.is_orphan && known.waiters.front() == Some(&own) {
                true => known.grant(word, own),
                false => known = CHANGED.wait(known).unwrap(),
            }
        }
        Ok(())
    }

    pub(crate) fn try_lock(word: &AtomicU32) -> Result<(), LockError> {
        known().take(word, this_thread())
    }

    pub(crate) fn unlock(word: &AtomicU32) -> Result<(), LockError> {
        let mut known = known();
        assert_eq!(word.load(Relaxed) & OWNER, this_thread());
        match known.waiters.front().copied() {
            Some(next) => known.grant(word, next),
            None => drop(word.swap(0, SeqCst)),
        }
        CHANGED.notify_all();
        Ok(())
    }
}

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use raw_pi_mutex::{LockError, RawPiMutex};

#[derive(Default)]
struct Counter {
    mutex: RawPiMutex,
    count: UnsafeCell<u32>,
}

impl Counter {
    fn add(&self) {
        // SAFETY: loom checks that nobody else accesses the cell meanwhile.
        self.count.with_mut(|count| unsafe { *count += 1 });
    }

    /// Counts under the lock, if `lock` takes it.
    fn count(&self, lock: fn(&RawPiMutex) -> Result<(), LockError>) -> bool {
        let locked = lock(&self.mutex);
        if locked.is_ok() {
            self.add();
            self.mutex.unlock().unwrap();
        }
        locked.is_ok()
    }

    /// Takes the lock, counts, and ends with it.
    fn take_to_the_grave(&self) {
        if self.mutex.lock().is_ok() {
            self.add();
        }
        kernel::end_thread(&self.mutex.word);
    }

    /// Runs two threads and this one. Returns how many have counted.
    fn with_three(locks: [fn(&RawPiMutex) -> Result<(), LockError>; 3]) -> (u32, u32) {
        let counter = Arc::new(Self::default());
        let threads = [2, 3].map(|number| {
            let (counter, lock) = (counter.clone(), locks[number as usize - 1]);
            thread::spawn(move || {
                kernel::begin_thread(number);
                counter.count(lock)
            })
        });
        let mut counted = u32::from(counter.count(locks[0]));
        for thread in threads {
            counted += u32::from(thread.join().unwrap());
        }
        assert!(!counter.mutex.is_locked(), "the last one has released it");
        // SAFETY: the threads have ended.
        (counted, counter.count.with(|count| unsafe { *count }))
    }
}

/// Bounded, because a full search takes hours.
fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

#[test]
fn one_thread_at_a_time_has_the_lock_and_each_gets_it() {
    explore(|| assert_eq!(Counter::with_three([RawPiMutex::lock; 3]), (3, 3)));
}

#[test]
fn a_thread_that_only_tries_never_gets_a_lock_that_is_held() {
    explore(|| {
        let locks = [RawPiMutex::lock, RawPiMutex::try_lock, RawPiMutex::lock];
        let (counted, count) = Counter::with_three(locks);
        assert!(counted >= 2 && counted == count, "{counted} {count}");
    });
}

/// Two threads contend with one that ends without releasing the lock. Those that had it before have
/// counted; from then on nobody gets it, and nobody waits for ever.
#[test]
fn the_lock_of_a_thread_that_ends_is_granted_to_nobody() {
    explore(|| {
        let counter = Arc::new(Counter::default());
        let dying = {
            let counter = counter.clone();
            thread::spawn(move || {
                kernel::begin_thread(2);
                counter.take_to_the_grave();
            })
        };
        let other = {
            let counter = counter.clone();
            thread::spawn(move || {
                kernel::begin_thread(3);
                let locked = counter.count(RawPiMutex::lock);
                locked || counter.mutex.lock() == Err(LockError::OwnerDied)
            })
        };
        let counted = counter.count(RawPiMutex::try_lock);
        dying.join().unwrap();
        assert!(other.join().unwrap(), "a refused thread is refused again");
        assert_eq!(counter.mutex.try_lock(), Err(LockError::OwnerDied));
        assert_eq!(counter.mutex.lock(), Err(LockError::OwnerDied));
        assert!(counter.mutex.is_poisoned());
        // SAFETY: the threads have ended.
        let count = counter.count.with(|count| unsafe { *count });
        assert!(count > u32::from(counted), "{count}");
    });
}
