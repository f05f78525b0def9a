//! A model of lanes that lend threads: `lending.rs` and the semaphore of `armilla-ipc`, compiled
//! here with the atomics of loom, under every interleaving and every weak ordering that the memory
//! model allows.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p armilla-rt --test lending_model
//! ```
//!
//! The futex is a few lines here: what `futex(2)` says of `FUTEX_WAIT` and `FUTEX_WAKE`, without
//! priorities. A request that nobody wakes beside a free thread waits for ever, and loom reports
//! that.
#![cfg(loom)]
#![allow(dead_code, unreachable_pub)]

#[path = "../src/threadpool/lending.rs"]
mod lending;
#[path = "../../armilla-ipc/src/real_time/semaphore.rs"]
mod semaphore;

/// The part of the kernel.
mod futex {
    use super::semaphore::Semaphore;
    use loom::sync::atomic::{AtomicU32 as Plain, fence};
    use loom::sync::{Condvar, Mutex};
    use std::sync::atomic::Ordering::{self, Relaxed, SeqCst};
    use std::time::Duration;

    /// Loom takes a `SeqCst` access for less than it is; fences around it make up for that.
    #[derive(Debug, Default)]
    pub(crate) struct AtomicU32(Plain);

    impl AtomicU32 {
        fn ordered<T>(access: impl FnOnce() -> T) -> T {
            fence(SeqCst);
            let result = access();
            fence(SeqCst);
            result
        }

        pub(crate) fn load(&self, order: Ordering) -> u32 {
            Self::ordered(|| self.0.load(order))
        }

        pub(crate) fn fetch_add(&self, more: u32, order: Ordering) -> u32 {
            Self::ordered(|| self.0.fetch_add(more, order))
        }

        pub(crate) fn fetch_sub(&self, less: u32, order: Ordering) -> u32 {
            Self::ordered(|| self.0.fetch_sub(less, order))
        }

        pub(crate) fn fetch_update(
            &self,
            set: Ordering,
            fetch: Ordering,
            change: impl FnMut(u32) -> Option<u32>,
        ) -> Result<u32, u32> {
            Self::ordered(|| self.0.fetch_update(set, fetch, change))
        }
    }

    impl Semaphore {
        pub(crate) fn new(free: u32) -> Self {
            let [free, waiters, signals] = [free, 0, 0].map(|value| AtomicU32(Plain::new(value)));
            Self { free, waiters, signals }
        }
    }

    loom::lazy_static! {
        /// The words that threads wait for, and the number of each wait.
        static ref QUEUE: Mutex<(Vec<(usize, u32)>, u32)> = Mutex::new((Vec::new(), 0));
        static ref WOKEN: Condvar = Condvar::new();
    }

    fn address(word: &AtomicU32) -> usize {
        std::ptr::from_ref(word).addr()
    }

    pub(crate) fn wait(word: &AtomicU32, seen: u32, limit: Option<Duration>) {
        assert!(limit.is_none(), "time does not pass here");
        let mut queue = QUEUE.lock().unwrap();
        if word.0.load(Relaxed) != seen {
            return;
        }
        queue.1 += 1;
        let ticket = (address(word), queue.1);
        queue.0.push(ticket);
        while queue.0.contains(&ticket) {
            queue = WOKEN.wait(queue).unwrap();
        }
    }

    pub(crate) fn wake(word: &AtomicU32, count: u32) {
        let mut queue = QUEUE.lock().unwrap();
        for _ in 0..count {
            let first = queue.0.iter().position(|(waits_for, _)| *waits_for == address(word));
            let Some(first) = first else { break };
            queue.0.remove(first);
        }
        WOKEN.notify_all();
    }
}

mod clock {
    pub(crate) fn monotonic_now() -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

use lending::{HasPermits, give_back, try_borrow, wait};
use loom::sync::Arc;
use loom::thread;
use semaphore::Semaphore;

impl HasPermits for Semaphore {
    fn permits(&self) -> &Semaphore {
        self
    }
}

/// Runs a request in the lane at `index`, as soon as it gets a permit.
fn request(lanes: &[Semaphore], index: usize) {
    let taken = match lanes[index].try_acquire() {
        true => index,
        false => try_borrow(lanes, index).unwrap_or_else(|| wait(lanes, index)),
    };
    give_back(lanes, taken);
}

/// All three lanes are busy. Requests wait in the lanes `waiting`, and the threads of the lanes
/// `freed` become free, all at once.
fn explore(waiting: [usize; 2], freed: [usize; 2]) {
    // Bounded, because a full search takes hours.
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let lanes = Arc::new([0; 3].map(Semaphore::new));
        let run = |work: fn(&[Semaphore], usize), index: usize| {
            let lanes = lanes.clone();
            thread::spawn(move || work(&*lanes, index))
        };
        let threads =
            [run(request, waiting[0]), run(request, waiting[1]), run(give_back, freed[0])];
        give_back(&*lanes, freed[1]);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let free = lanes.iter().map(Semaphore::free).sum::<u32>();
        assert_eq!(free, 2, "a permit was lost");
    });
}

#[test]
fn a_request_below_one_that_gets_its_own_thread_borrows_the_other() {
    explore([0, 1], [0, 2]);
}

#[test]
fn two_requests_of_one_lane_get_its_thread_and_a_lent_one() {
    explore([0, 0], [0, 2]);
}

#[test]
fn two_lenders_become_free_at_once() {
    explore([0, 0], [1, 2]);
}
