//! A model of the mutex with priority inheritance: the part in user space, `raw_pi_mutex.rs`,
//! compiled here with the atomics of loom, under every interleaving and every weak ordering that
//! the memory model allows.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p armilla-ipc --test pi_mutex_model
//! ```
//!
//! The kernel is a few lines here: what `futex(2)` says of `FUTEX_LOCK_PI` and `FUTEX_UNLOCK_PI`,
//! without priorities. A thread that is not handed the lock waits for ever, and loom reports that;
//! it also reports two threads in the data at once.
#![cfg(loom)]
#![allow(dead_code, unreachable_pub, unsafe_code)]

#[path = "../src/real_time/raw_pi_mutex.rs"]
mod raw_pi_mutex;

/// The part of the kernel.
mod kernel {
    use super::raw_pi_mutex::LockError;
    pub(crate) use loom::sync::atomic::AtomicU32;
    use loom::sync::{Condvar, Mutex};
    use std::cell::Cell;
    use std::collections::VecDeque;
    use std::sync::atomic::Ordering::{Relaxed, SeqCst};
    use std::time::Duration;

    const OWNER: u32 = 0x3fff_ffff;
    const WAITERS: u32 = 0x8000_0000;

    loom::lazy_static! {
        static ref QUEUE: Mutex<VecDeque<u32>> = Mutex::new(VecDeque::new());
        static ref HANDED_OVER: Condvar = Condvar::new();
    }
    loom::thread_local! {
        static NUMBER: Cell<u32> = Cell::new(1);
    }

    /// Gives the calling thread its number; the first thread has 1.
    pub(crate) fn begin_thread(number: u32) {
        NUMBER.with(|own| own.set(number));
    }

    pub(crate) fn this_thread() -> u32 {
        NUMBER.with(Cell::get)
    }

    pub(crate) fn lock(word: &AtomicU32, limit: Option<Duration>) -> Result<(), LockError> {
        assert!(limit.is_none(), "time does not pass here");
        let (own, mut queue) = (this_thread(), QUEUE.lock().unwrap());
        loop {
            let seen = word.load(Relaxed);
            let (wanted, taken) = match seen & OWNER {
                0 => (own, true),
                _ => (seen | WAITERS, false),
            };
            // The holder may release the lock in user space meanwhile.
            if word.compare_exchange(seen, wanted, SeqCst, SeqCst).is_err() {
                continue;
            }
            if taken {
                return Ok(());
            }
            break;
        }
        queue.push_back(own);
        while word.load(Relaxed) & OWNER != own {
            queue = HANDED_OVER.wait(queue).unwrap();
        }
        Ok(())
    }

    pub(crate) fn try_lock(word: &AtomicU32) -> Result<(), LockError> {
        let _queue = QUEUE.lock().unwrap();
        let taken = word.compare_exchange(0, this_thread(), SeqCst, SeqCst);
        taken.map(drop).map_err(|_| LockError::Busy)
    }

    pub(crate) fn unlock(word: &AtomicU32) -> Result<(), LockError> {
        let mut queue = QUEUE.lock().unwrap();
        assert_eq!(word.load(Relaxed) & OWNER, this_thread());
        let next = queue.pop_front().map_or(0, |next| match queue.is_empty() {
            true => next,
            false => next | WAITERS,
        });
        word.store(next, SeqCst);
        HANDED_OVER.notify_all();
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
