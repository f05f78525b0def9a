//! Whether a wait polls the ring before it sleeps, and for how long: the policy, without a clock.
//!
//! Sleeping and waking may cost more than an answer takes, above all on CPUs that sleep deeply:
//! there a wake-up takes longer than a poll that would pay. So two sides that have slept once would
//! sleep for ever, each waiting for the wake-up of the other. Two things bring them to polling:
//!
//! - a *trial*: a wait polls as long as the last one has taken, but not for more than
//!   [`LONGEST_TRIAL`]. It ends before that if the peer needs the same time again, since it saves
//!   our own wake-up;
//! - *evidence*: a peer that was awake when this side sent polls for what was sent. So this side
//!   polls for what comes next.
//!
//! Each wait polls from then on, as long as it finds what it waits for within [`SHORT`]. One long
//! wait is a pause, after which the next is a trial; two of them say that the peer works, or thinks,
//! and that there is nothing to try.
//!
//! What is polled in vain is paid from an account, and without a balance a wait sleeps. The account
//! gets one part in [`SHARE`] of the time, and the price of a trial with each [`STREAK`] of
//! successes; so a peer that thinks before it sends costs its waiting side less than one per cent of
//! the time. A pause pays for many trials, and therefore calls that come in turns find out again
//! within a few.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// How long a wait polls while that pays: less than a call is worth, and longer than a good CPU
/// takes to wake.
pub(super) const SHORT: Duration = Duration::from_micros(20);

/// The longest trial. A peer that takes longer works, or thinks.
pub(super) const LONGEST_TRIAL: Duration = Duration::from_micros(250);

/// The part of the time that may be polled in vain: one in so many.
const SHARE: u64 = 256;

/// What the account holds in the beginning and at most, in nanoseconds. The first calls of a stream
/// take longer than others: its memory is new.
const MOST: u64 = 8 * nanos(LONGEST_TRIAL);

/// How many successes in a row earn the account the longest trial.
const STREAK: u32 = 64;

/// How many waits sleep where nothing can be won, before that is asked again.
const IMPOSSIBLE: u32 = 1023;

/// What a wait does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Poll(Duration, Reason),
    /// Sleeps at once.
    Sleep,
}

/// Why a wait polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The last one that did has succeeded.
    Pays,
    Trial,
    Evidence,
}

/// The history of one direction of a stream. The numbers are hints: threads may overwrite each
/// other's. Times are those since any moment that stays the same.
#[derive(Debug)]
pub(super) struct Polling {
    pays: AtomicU32,
    /// How long waits may still poll in vain, in nanoseconds.
    account: AtomicU64,
    /// Up to which time the account has got its share, in nanoseconds.
    credited: AtomicU64,
    /// The microseconds that the last wait took which slept, and the one before.
    last: AtomicU32,
    before: AtomicU32,
    /// How many waits sleep before anything is asked or tried.
    pause: AtomicU32,
    /// Successes in a row, while the account is not full.
    streak: AtomicU32,
}

impl Polling {
    /// Of a new stream, whose first wait is a trial of this length.
    pub(super) fn new(first: Duration) -> Self {
        let first = micros(first);
        Self {
            pays: AtomicU32::new(0),
            account: AtomicU64::new(MOST),
            credited: AtomicU64::new(u64::MAX),
            last: AtomicU32::new(first),
            before: AtomicU32::new(first),
            pause: AtomicU32::new(0),
            streak: AtomicU32::new(0),
        }
    }

    /// Whether waits poll. Nothing else has to be asked for then.
    #[inline]
    pub(super) fn pays(&self) -> bool {
        self.pays.load(Relaxed) != 0
    }

    /// The plan of a wait that begins `now`, where polling does not pay. `found_peer_awake` tells of
    /// evidence, and forgets it; `is_possible` is asked before waits begin to poll: whether it may
    /// help at all.
    pub(super) fn plan(
        &self,
        now: Duration,
        found_peer_awake: impl FnOnce() -> bool,
        is_possible: impl FnOnce() -> bool,
    ) -> Plan {
        self.credit(now);
        let has_evidence = found_peer_awake();
        let pause = self.pause.load(Relaxed);
        if pause > 0 {
            self.pause.store(pause - 1, Relaxed);
            return Plan::Sleep;
        }
        let Some(trial) = self.trial() else { return Plan::Sleep };
        let (time, reason) = match has_evidence {
            true => (SHORT, Reason::Evidence),
            false => (trial, Reason::Trial),
        };
        if nanos(time) > self.account.load(Relaxed) {
            return Plan::Sleep;
        }
        if is_possible() {
            return Plan::Poll(time, reason);
        }
        self.pause.store(IMPOSSIBLE, Relaxed);
        Plan::Sleep
    }

    /// How long a trial would poll; `None` if the last two waits took longer than any.
    fn trial(&self) -> Option<Duration> {
        let [last, before] =
            [&self.last, &self.before].map(|time| Duration::from_micros(time.load(Relaxed).into()));
        match (last <= LONGEST_TRIAL, before <= LONGEST_TRIAL) {
            (true, _) => Some(last.max(SHORT)),
            (false, true) => Some(LONGEST_TRIAL),
            (false, false) => None,
        }
    }

    /// A poll of this length found what it waited for.
    #[inline]
    pub(super) fn succeeded(&self, reason: Reason, polled: Duration) {
        if reason != Reason::Pays {
            self.pays.store(1, Relaxed);
            if polled > SHORT {
                self.charge(polled);
            }
        }
        let account = self.account.load(Relaxed);
        if account < MOST {
            let streak = self.streak.load(Relaxed) + 1;
            self.streak.store(streak % STREAK, Relaxed);
            if streak == STREAK {
                self.account.store(MOST.min(account + nanos(LONGEST_TRIAL)), Relaxed);
            }
        }
    }

    /// A poll of this length was in vain.
    pub(super) fn failed(&self, reason: Reason, polled: Duration) {
        self.charge(polled);
        self.pays.store(0, Relaxed);
        self.streak.store(0, Relaxed);
        if reason == Reason::Pays {
            // The waits before this one took no longer.
            self.last.store(micros(SHORT), Relaxed);
        }
    }

    /// A wait that slept is over `now`, and took so long.
    pub(super) fn slept(&self, now: Duration, time: Duration) {
        self.credit(now);
        self.before.store(self.last.load(Relaxed), Relaxed);
        self.last.store(micros(time), Relaxed);
    }

    fn credit(&self, now: Duration) {
        let now = nanos(now);
        let passed = now.saturating_sub(self.credited.swap(now, Relaxed));
        let account = self.account.load(Relaxed) + passed / SHARE;
        self.account.store(account.min(MOST), Relaxed);
    }

    fn charge(&self, polled: Duration) {
        let account = self.account.load(Relaxed);
        self.account.store(account.saturating_sub(nanos(polled)), Relaxed);
    }
}

fn micros(time: Duration) -> u32 {
    u32::try_from(time.as_micros()).unwrap_or(u32::MAX)
}

/// The nanoseconds, as of 584 years at most.
const fn nanos(time: Duration) -> u64 {
    time.as_nanos() as u64
}

#[cfg(test)]
mod model;
