//! How a thread that looks after others sleeps while nothing happens, and is woken at no cost to
//! those who do something all the time.
//!
//! Who does something stores it first and then loads a flag. The thread sets the flag, issues a
//! heavy fence, and looks once more before it sleeps. So either the one sees the flag or the other
//! sees what has happened, and the frequent side needs no fence but the compiler's.

use crate::sync::lock;
use armilla_ipc::fence::heavy_alone;
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A thread that may be asleep, as the others see it. All methods may be called by any thread,
/// those that say so by the sleeper alone.
#[derive(Debug, Default)]
pub struct Sleeper {
    asleep: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Sleeper {
    /// Wakes the thread if it sleeps, after what there is for it to see was stored.
    #[inline]
    pub fn wake_if_asleep(&self) {
        compiler_fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    /// Wakes the thread, or keeps it from going to sleep.
    #[cold]
    pub fn wake(&self) {
        let _guard = lock(&self.lock);
        self.asleep.store(false, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// For the sleeper. From now on whoever does something wakes it; what was done before is seen by
    /// a look after this. `false` where the system lacks the fence: something may be missed on both
    /// sides, and the sleeper should look again before long.
    pub fn announce(&self) -> bool {
        self.asleep.store(true, Ordering::Relaxed);
        heavy_alone()
    }

    /// For the sleeper. It does not sleep after all.
    pub fn stay_awake(&self) {
        self.asleep.store(false, Ordering::Relaxed);
    }

    /// For the sleeper. Sleeps until something has happened since [`announce`](Self::announce), for
    /// at most `limit`; without a limit for ever. Returns whether something has.
    pub fn sleep(&self, limit: Option<Duration>) -> bool {
        let guard = lock(&self.lock);
        let asleep = |(): &mut ()| self.asleep.load(Ordering::Relaxed);
        drop(match limit {
            None => self.changed.wait_while(guard, asleep).unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                let woken = self.changed.wait_timeout_while(guard, limit, asleep);
                woken.unwrap_or_else(PoisonError::into_inner).0
            }
        });
        !self.asleep.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    #[test]
    fn what_happens_before_the_sleep_ends_it_at_once() {
        let sleeper = Sleeper::default();
        sleeper.announce();
        sleeper.wake_if_asleep();
        assert!(sleeper.sleep(None));
        sleeper.wake_if_asleep();
        sleeper.announce();
        assert!(!sleeper.sleep(Some(Duration::ZERO)), "it happened before the announcement");
    }

    /// A sleeper that sleeps for ever misses nothing, whenever it is done.
    #[test]
    fn nothing_is_missed_between_a_look_and_the_sleep() {
        const LAST: u32 = 2_000;
        let (sleeper, done) = (Sleeper::default(), AtomicU32::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut seen = 0;
                while seen < LAST {
                    let fenced = sleeper.announce();
                    let now = done.load(Ordering::Relaxed);
                    match now == seen {
                        true => drop(sleeper.sleep((!fenced).then_some(Duration::from_millis(10)))),
                        false => sleeper.stay_awake(),
                    }
                    seen = now;
                }
            });
            for round in 1..=LAST {
                done.store(round, Ordering::Relaxed);
                sleeper.wake_if_asleep();
                if round % 16 == 0 {
                    thread::yield_now();
                }
            }
        });
    }
}
