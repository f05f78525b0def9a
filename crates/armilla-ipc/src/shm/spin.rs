//! Adaptive spinning: how long a side polls the ring before it sleeps, as an adaptive mutex does.
//!
//! Sleeping and waking cost more than many an answer takes to arrive, above all when the two sides
//! run on different CPUs. Spinning in vain takes CPU time from others: from the peer itself, if
//! both share a CPU. So each direction remembers whether spinning succeeded. After three failures
//! in a row, waits sleep at once, and only every eighth, then every sixteenth, at last every
//! 1,024th spins again. Where both processes may run on one and the same CPU only, no wait spins,
//! and every 1,024th looks whether that is still so. A stream with a configured time spins for that
//! time in every wait.

use crate::credentials::Credentials;
use crate::{affinity, sys};
use rustix::fd::BorrowedFd;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The time of a spin without configuration: about what sleeping and waking cost.
const DEFAULT_SPIN: Duration = Duration::from_micros(20);

/// How many spins in a row may fail before waits sleep at once.
const FAILURES_BEFORE_BACKOFF: u32 = 3;

/// The binary logarithm of the greatest number of waits that sleep at once before one spins again.
const MAX_BACKOFF_LOG2: u32 = 10;

/// How many polls of the ring come to one reading of the clock.
const POLLS_PER_CLOCK_READ: u32 = 64;

/// The spinning policy of one direction of a stream, and its history.
#[derive(Debug)]
pub(super) struct Spin {
    configured: Option<Duration>,
    /// How many spins in a row have failed. The counts are hints: threads may overwrite each
    /// other's.
    failures: AtomicU32,
    /// How many of the next waits sleep at once.
    sleeps_left: AtomicU32,
}

impl Spin {
    /// Spins for `configured` in every wait, zero is not at all; `None` adapts.
    pub(super) fn new(configured: Option<Duration>) -> Self {
        Self { configured, failures: AtomicU32::new(1), sleeps_left: AtomicU32::new(0) }
    }

    /// Polls until `ready`, no longer than `limit`; false if it is time to sleep. `socket` leads to
    /// the peer.
    pub(super) fn until(
        &self,
        limit: Option<Duration>,
        socket: BorrowedFd<'_>,
        ready: &mut impl FnMut() -> bool,
    ) -> bool {
        let time = match self.configured {
            Some(time) => time,
            None if self.should_spin(|| may_pay(socket)) => DEFAULT_SPIN,
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

    /// Whether a wait without configuration spins before it sleeps. Whether that `may_pay` is asked
    /// before waits begin to spin, again.
    fn should_spin(&self, may_pay: impl FnOnce() -> bool) -> bool {
        match self.sleeps_left.load(Relaxed) {
            0 if self.pays() || may_pay() => true,
            0 => {
                self.sleeps_left.store((1 << MAX_BACKOFF_LOG2) - 1, Relaxed);
                false
            }
            left => {
                self.sleeps_left.store(left - 1, Relaxed);
                false
            }
        }
    }

    /// Whether the last spin succeeded, and this thread may spin: another one may have.
    fn pays(&self) -> bool {
        self.failures.load(Relaxed) == 0 && !sys::is_known_to_be_real_time()
    }

    fn record(&self, found: bool) {
        if found {
            // Written only if it changes, so that threads do not contend for the cache line.
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

/// Whether spinning may bring something. A thread with a real-time policy might keep the peer from
/// running, and so does every thread where both sides have but one CPU.
fn may_pay(socket: BorrowedFd<'_>) -> bool {
    let peer = || Some(Credentials::of_peer(socket).ok()?.process);
    !sys::has_real_time_policy() && !peer().is_some_and(affinity::shares_only_cpu)
}

/// The outcome of a spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpinOutcome {
    InTime,
    /// Another thread, perhaps the peer's, had the CPU meanwhile: that does not speak for spinning.
    TooLate,
    TimedOut,
}

/// Polls until `ready` or until `time` has passed. A success at once does not read the clock.
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
    use rustix::fd::AsFd;

    /// How many of `count` waits looked, if looking brings `result`.
    fn looks(spin: &Spin, count: u32, result: bool) -> u32 {
        let mut looked = 0;
        // Not a Unix-domain socket: the peer is unknown.
        let nobody = std::fs::File::open("/dev/null").unwrap();
        for _ in 0..count {
            let mut here = false;
            let found = spin.until(None, nobody.as_fd(), &mut || {
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
    fn data_that_arrives_during_preemption_does_not_count() {
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
    fn what_cannot_pay_is_not_tried_and_seldom_asked() {
        let spin = Spin::new(None);
        let mut asked = 0;
        for _ in 0..(5 << MAX_BACKOFF_LOG2) {
            let refuse = || {
                asked += 1;
                false
            };
            assert!(!spin.should_spin(refuse));
        }
        assert_eq!(asked, 5);
    }

    #[test]
    fn two_sides_with_one_cpu_do_not_spin() {
        let pair = std::os::unix::net::UnixStream::pair().unwrap();
        let cpus = affinity::allowed_cpus().unwrap();
        let alone = std::thread::spawn(move || {
            // The peer is this process, whose main thread keeps its CPUs.
            affinity::pin_thread(cpus[0]).unwrap();
            (may_pay(pair.0.as_fd()), cpus.len())
        });
        let (pays, count) = alone.join().unwrap();
        assert_eq!(pays, count > 1, "{count} CPUs");
    }

    #[test]
    fn the_configured_spin_time_is_used() {
        assert_eq!(looks(&Spin::new(Some(Duration::ZERO)), 10, true), 0);
        let always = Spin::new(Some(Duration::from_nanos(1)));
        assert_eq!(looks(&always, 20, false), 20);
    }
}
