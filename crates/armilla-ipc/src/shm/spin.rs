//! Adaptive spinning: how long a side polls the ring before it sleeps, as an adaptive mutex does.
//!
//! Sleeping and waking cost more than many an answer takes to arrive, above all when the two sides
//! run on different CPUs. Spinning in vain takes CPU time from others: from the peer itself, if
//! both share a CPU. So each direction remembers whether spinning succeeded. After three failures
//! in a row, waits sleep at once, and only every eighth, then every sixteenth, at last every
//! 1,024th spins again. A stream with a configured time spins for that time in every wait.

use crate::sys;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long a look lasts that nobody asked for: about as long as it takes to sleep and be woken.
const DEFAULT_SPIN: Duration = Duration::from_micros(20);

/// How many looks in a row may be in vain before waits sleep at once.
const FAILURES_BEFORE_BACKOFF: u32 = 3;

/// The binary logarithm of the most waits that sleep at once before one looks again.
const MAX_BACKOFF_LOG2: u32 = 10;

/// How many times a spinning side looks at the ring for one look at the clock.
const POLLS_PER_CLOCK_READ: u32 = 64;

/// The habit of one direction of a stream.
#[derive(Debug)]
pub(super) struct Spin {
    configured: Option<Duration>,
    /// How many looks in a row were in vain. The counts are hints: threads may overwrite each
    /// other's.
    failures: AtomicU32,
    /// How many waits will yet sleep at once.
    sleeps_left: AtomicU32,
}

impl Spin {
    /// Looks for `configured` in every wait, zero is not at all; `None` is as long as it pays.
    pub(super) fn new(configured: Option<Duration>) -> Self {
        Self { configured, failures: AtomicU32::new(1), sleeps_left: AtomicU32::new(0) }
    }

    /// Looks again and again until `ready`, no longer than `limit`; false if it is time to sleep.
    pub(super) fn until(&self, limit: Option<Duration>, ready: &mut impl FnMut() -> bool) -> bool {
        let time = match self.configured {
            Some(time) => time,
            None if self.should_spin() => DEFAULT_SPIN,
            None => Duration::ZERO,
        };
        let time = limit.map_or(time, |limit| limit.min(time));
        if time.is_zero() {
            return false;
        }
        let seen = spin_until(time, ready);
        self.record(seen == SpinOutcome::InTime);
        seen != SpinOutcome::TimedOut
    }

    /// Whether a wait that was asked nothing looks before it sleeps. A thread with a real-time
    /// policy never begins to: it might keep the peer from running.
    fn should_spin(&self) -> bool {
        match self.sleeps_left.load(Relaxed) {
            0 => self.failures.load(Relaxed) == 0 || !sys::has_real_time_policy(),
            left => {
                self.sleeps_left.store(left - 1, Relaxed);
                false
            }
        }
    }

    fn record(&self, found: bool) {
        if found {
            // Written only if it changes, so that threads do not fight for the line.
            if self.failures.load(Relaxed) != 0 {
                self.failures.store(0, Relaxed);
            }
            return;
        }
        let failures = self.failures.load(Relaxed).saturating_add(1).min(MAX_BACKOFF_LOG2);
        self.failures.store(failures, Relaxed);
        if failures >= FAILURES_BEFORE_BACKOFF {
            self.sleeps_left.store((1 << failures) - 1, Relaxed);
        }
    }
}

/// What looking brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpinOutcome {
    InTime,
    /// Somebody else, perhaps the peer, had the CPU meanwhile: that is no reason to look again.
    TooLate,
    TimedOut,
}

/// Looks until `ready` or until `time` has passed. What comes at once costs no look at the clock.
fn spin_until(time: Duration, ready: &mut impl FnMut() -> bool) -> SpinOutcome {
    let mut start: Option<Instant> = None;
    loop {
        for _ in 0..POLLS_PER_CLOCK_READ {
            if ready() {
                let late = start.is_some_and(|start| start.elapsed() >= time);
                return if late { SpinOutcome::TooLate } else { SpinOutcome::InTime };
            }
            spin_loop();
        }
        if start.get_or_insert_with(Instant::now).elapsed() >= time {
            return SpinOutcome::TimedOut;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of `count` waits looked, if looking brings `result`.
    fn looks(spin: &Spin, count: u32, result: bool) -> u32 {
        let mut looked = 0;
        for _ in 0..count {
            let mut here = false;
            let found = spin.until(None, &mut || {
                here = true;
                result
            });
            assert!(!found || result);
            looked += u32::from(here);
        }
        looked
    }

    #[test]
    fn looking_in_vain_is_given_up_and_seldom_tried_again() {
        let spin = Spin::new(None);
        assert_eq!(looks(&spin, 100, true), 100);
        assert_eq!(looks(&spin, 3, false), 3);
        assert_eq!(looks(&spin, 7, false), 0);
        assert_eq!(looks(&spin, 1, false), 1, "the eighth tries");
        assert_eq!(looks(&spin, 15, false), 0);
        let later = looks(&spin, 100_000, false);
        assert!((50..150).contains(&later), "{later} looks in vain of 100,000 waits");
        looks(&spin, 1 << MAX_BACKOFF_LOG2, true);
        assert_eq!(looks(&spin, 100, true), 100, "what pays again is done again");
    }

    #[test]
    fn what_comes_when_others_had_the_cpu_does_not_count() {
        let mut looks = 0;
        let seen = spin_until(DEFAULT_SPIN, &mut || {
            looks += 1;
            let comes = looks == POLLS_PER_CLOCK_READ + 2;
            if comes {
                std::thread::sleep(2 * DEFAULT_SPIN);
            }
            comes
        });
        // A test that is itself put off at its first looks sees nothing at all.
        assert_ne!(seen, SpinOutcome::InTime);
    }

    #[test]
    fn who_asks_gets_what_was_asked_for() {
        assert_eq!(looks(&Spin::new(Some(Duration::ZERO)), 10, true), 0);
        let always = Spin::new(Some(Duration::from_nanos(1)));
        assert_eq!(looks(&always, 20, false), 20);
    }
}
