//! Lending: a lane whose threads are all busy takes the permit of a lane below it.
//!
//! # Why no request sleeps beside a permit that it may take
//! Who gives a permit back wakes a request of its own lane, and one of the most urgent lane above
//! in which a request waits. That request may be about to go on with another permit, and so does
//! not take this one. Therefore each request that has waited looks, once it no longer counts as
//! waiting, whether a permit below it is free, and if so wakes the next one in the same way. The
//! chain ends with a request that takes the permit, or when none waits.
//!
//! `tests/lending_model.rs` runs this file and the semaphore in every order of their steps.

use super::Semaphore;

/// A lane with the permits for its threads.
pub(crate) trait HasPermits {
    /// A permit is the right to call a servant.
    fn permits(&self) -> &Semaphore;
}

/// Takes a permit of a lane below the one at `index`, if one is free. Returns the index of the lane
/// whose permit it is. `lanes` are those that lend to one another, the most urgent first.
pub(crate) fn try_borrow<L: HasPermits>(lanes: &[L], index: usize) -> Option<usize> {
    (index + 1..lanes.len()).find(|lender| lanes[*lender].permits().try_acquire())
}

/// Waits for a permit of the lane at `index` or of one below it. Returns the index of the lane whose
/// permit it is.
pub(crate) fn wait<L: HasPermits>(lanes: &[L], index: usize) -> usize {
    let borrowed = lanes[index].permits().acquire_or(|| try_borrow(lanes, index));
    for lender in index + 1..lanes.len() {
        if lanes[lender].permits().free() > 0 {
            wake_borrower(lanes, lender);
        }
    }
    borrowed.unwrap_or(index)
}

/// Gives a permit of the lane at `index` back.
#[inline]
pub(crate) fn give_back<L: HasPermits>(lanes: &[L], index: usize) {
    lanes[index].permits().release();
    wake_borrower(lanes, index);
}

/// Wakes a request of the most urgent lane above `lender` in which one waits.
#[inline]
fn wake_borrower<L: HasPermits>(lanes: &[L], lender: usize) {
    lanes[..lender].iter().any(|lane| lane.permits().signal());
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;
    use std::sync::{Arc, Barrier};
    use std::thread;
    use std::time::Duration;

    impl HasPermits for Semaphore {
        fn permits(&self) -> &Semaphore {
            self
        }
    }

    /// The threads of the highest and of the lowest lane become free at once.
    #[test]
    fn no_request_sleeps_beside_a_thread_that_its_lane_may_borrow() {
        for _ in 0..1_000 {
            let lanes = Arc::new([(); 3].map(|()| Semaphore::new(0)));
            let (done, finished) = sync_channel(2);
            for index in [0, 1] {
                let (lanes, done) = (lanes.clone(), done.clone());
                thread::spawn(move || {
                    let taken = wait(&*lanes, index);
                    give_back(&*lanes, taken);
                    done.send(index).unwrap();
                });
            }
            let freed = Arc::new(Barrier::new(2));
            let frees = |index: usize| {
                let (lanes, freed) = (lanes.clone(), freed.clone());
                thread::spawn(move || {
                    freed.wait();
                    give_back(&*lanes, index);
                })
            };
            [0, 2].map(frees).into_iter().for_each(|thread| thread.join().unwrap());
            for _ in 0..2 {
                let within = finished.recv_timeout(Duration::from_secs(60));
                within.expect("a thread is free that either lane may have");
            }
        }
    }
}
