//! Polling the ring for what a wait is for, as [`Polling`] decides or as the options of a stream say.
//!
//! Polling in vain takes CPU time from others. Where both processes may run on one and the same CPU
//! only, no wait polls, and every 1,024th looks whether that is still so. Nor does a thread with a
//! real-time policy poll, which might keep the peer from running. And of the threads of a process
//! no more poll than half of its CPUs could run.

use super::polling::{LONGEST_TRIAL, Plan, Polling, Reason, SHORT};
use crate::credentials::Credentials;
use crate::{affinity, sys};
use rustix::fd::BorrowedFd;
use std::hint::spin_loop;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// How many polls of the ring come to one reading of the clock.
const POLLS_PER_CLOCK_READ: u32 = 64;

/// How the waits of one direction of a stream poll.
#[derive(Debug)]
pub(super) struct Spin {
    configured: Option<Duration>,
    policy: Polling,
}

/// What polling came to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spun {
    Ready,
    /// It is time to sleep; with the beginning of a wait whose length [matters](Spin::slept).
    Sleep(Option<Instant>),
}

/// How long the first wait of a new stream polls, in microseconds: the streams before it have found
/// out what pays.
static FIRST: AtomicU32 = AtomicU32::new(SHORT.as_micros() as u32);

impl Spin {
    /// Polls for `configured` in every wait, zero is not at all; `None` adapts.
    pub(super) fn new(configured: Option<Duration>) -> Self {
        let first = Duration::from_micros(FIRST.load(Relaxed).into());
        Self { configured, policy: Polling::new(first) }
    }

    /// Polls until `ready`, no longer than `limit`. `socket` leads to the peer, and `found_awake`
    /// says whether it was awake when something was sent to it, which is forgotten.
    pub(super) fn until(
        &self,
        limit: Option<Duration>,
        (socket, found_awake): (BorrowedFd<'_>, &AtomicBool),
        ready: &mut impl FnMut() -> bool,
    ) -> Spun {
        let limited = |time: Duration| limit.map_or(time, |limit| limit.min(time));
        if let Some(time) = self.configured {
            let time = limited(time);
            return match !time.is_zero() && poll(time, Crowd::Any, ready).is_ready() {
                true => Spun::Ready,
                false => Spun::Sleep(None),
            };
        }
        let (time, reason) = match self.plan(socket, found_awake) {
            Plan::Poll(time, reason) => (limited(time), reason),
            Plan::Sleep => return Spun::Sleep(Some(Instant::now())),
        };
        match poll(time, Crowd::Limited, ready) {
            Polled::InTime(polled) => {
                self.policy.succeeded(reason, polled);
                if reason == Reason::Trial {
                    learn(polled * 2);
                }
                Spun::Ready
            }
            Polled::TooLate(polled) => {
                self.policy.failed(reason, polled);
                Spun::Ready
            }
            Polled::TimedOut(begun) => {
                self.policy.failed(reason, begun.elapsed());
                if reason == Reason::Trial {
                    learn(SHORT);
                }
                Spun::Sleep(Some(begun))
            }
        }
    }

    fn plan(&self, socket: BorrowedFd<'_>, found_awake: &AtomicBool) -> Plan {
        if !self.policy.pays() {
            let has_evidence = || found_awake.swap(false, Relaxed);
            return self.policy.plan(since_start(), has_evidence, || may_pay(socket));
        }
        // Another thread may have found that it pays.
        match sys::is_known_to_be_real_time() {
            false => Plan::Poll(SHORT, Reason::Pays),
            true => Plan::Sleep,
        }
    }

    /// A wait that began then has slept after all, and is over.
    pub(super) fn slept(&self, begun: Instant) {
        self.policy.slept(since_start(), begun.elapsed());
    }
}

/// The time since this was asked first.
fn since_start() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// Takes note of how long the first trial of a new stream would have to be.
#[cold]
fn learn(first: Duration) {
    let micros = first.clamp(SHORT, LONGEST_TRIAL).as_micros();
    FIRST.store(micros as u32, Relaxed);
}

/// Whether polling may bring something. A thread with a real-time policy might keep the peer from
/// running, and so does every thread where both sides have but one CPU.
fn may_pay(socket: BorrowedFd<'_>) -> bool {
    let peer = || Some(Credentials::of_peer(socket).ok()?.process);
    !sys::has_real_time_policy() && !peer().is_some_and(affinity::shares_only_cpu)
}

/// How many threads may poll at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crowd {
    Any,
    /// No more than half of the CPUs could run: the other half is for those who work.
    Limited,
}

/// The threads of this process that poll.
static POLLERS: AtomicUsize = AtomicUsize::new(0);

/// One of the [`POLLERS`].
struct Turn;

impl Turn {
    /// `None` if there are `most` already.
    fn take(most: usize) -> Option<Self> {
        let room = |count| (count < most).then_some(count + 1);
        POLLERS.fetch_update(Relaxed, Relaxed, room).ok().map(|_| Self)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        POLLERS.fetch_sub(1, Relaxed);
    }
}

fn most_pollers() -> usize {
    static MOST: LazyLock<usize> =
        LazyLock::new(|| available_parallelism().map_or(1, |cpus| (cpus.get() / 2).max(1)));
    *MOST
}

/// The outcome of polling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Polled {
    /// After this time; zero if at once.
    InTime(Duration),
    /// Another thread, perhaps the peer's, had the CPU meanwhile: that does not speak for polling.
    TooLate(Duration),
    /// It began then.
    TimedOut(Instant),
}

impl Polled {
    fn is_ready(self) -> bool {
        !matches!(self, Self::TimedOut(_))
    }
}

/// Polls until `ready` or until `time` has passed. A success at once neither reads the clock nor
/// takes a turn.
fn poll(time: Duration, crowd: Crowd, ready: &mut impl FnMut() -> bool) -> Polled {
    if poll_some(ready) {
        return Polled::InTime(Duration::ZERO);
    }
    let begun = Instant::now();
    let turn = Turn::take(if crowd == Crowd::Any { usize::MAX } else { most_pollers() });
    if turn.is_none() {
        return Polled::TimedOut(begun);
    }
    loop {
        let (found, polled) = (poll_some(ready), begun.elapsed());
        match (found, polled >= time) {
            (true, false) => return Polled::InTime(polled),
            (true, true) => return Polled::TooLate(polled),
            (false, true) => return Polled::TimedOut(begun),
            (false, false) => {}
        }
    }
}

/// Some polls, without a look at the clock.
fn poll_some(ready: &mut impl FnMut() -> bool) -> bool {
    for _ in 0..POLLS_PER_CLOCK_READ {
        if ready() {
            return true;
        }
        spin_loop();
    }
    false
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
        let asleep = AtomicBool::new(false);
        for _ in 0..count {
            let mut here = false;
            let spun = spin.until(None, (nobody.as_fd(), &asleep), &mut || {
                here = true;
                result
            });
            assert!(result || matches!(spun, Spun::Sleep(_)));
            looked += u32::from(here);
        }
        looked
    }

    #[test]
    fn looking_is_kept_while_it_pays_and_seldom_tried_otherwise() {
        let spin = Spin::new(None);
        assert_eq!(looks(&spin, 100, true), 100);
        assert_eq!(looks(&spin, 1, false), 1);
        for _ in 0..2 {
            spin.policy.slept(since_start(), Duration::from_secs(1));
        }
        assert_eq!(looks(&spin, 10_000, false), 0, "the peer thinks");
        spin.policy.slept(since_start(), SHORT);
        assert_eq!(looks(&spin, 1, true), 1);
        assert_eq!(looks(&spin, 100, true), 100, "what pays again is done again");
    }

    #[test]
    fn data_that_arrives_during_preemption_does_not_count() {
        let mut looks = 0;
        let seen = poll(SHORT, Crowd::Any, &mut || {
            looks += 1;
            let comes = looks == POLLS_PER_CLOCK_READ + 2;
            if comes {
                std::thread::sleep(2 * SHORT);
            }
            comes
        });
        // A test that is itself put off at its first looks sees nothing at all.
        assert!(!matches!(seen, Polled::InTime(_)), "{seen:?}");
    }

    #[test]
    fn no_more_threads_poll_than_may() {
        // Other tests may poll meanwhile, each thread once.
        let turns: Vec<_> = std::iter::from_fn(|| Turn::take(1_000)).collect();
        assert!(turns.len() > 900, "{}", turns.len());
        let tries = std::cell::Cell::new(0);
        let polled = poll(Duration::MAX, Crowd::Limited, &mut || {
            tries.set(tries.get() + 1);
            false
        });
        assert!(!polled.is_ready());
        assert_eq!(tries.get(), POLLS_PER_CLOCK_READ);
        drop(turns);
        assert!(Turn::take(900).is_some());
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
