//! Whether a wait polls the ring before it sleeps, and for how long: the policy, without a clock.
//!
//! Sleeping and waking may cost more than an answer takes, above all on CPUs that sleep deeply:
//! there a wake-up takes longer than a poll that would pay. So two sides that have slept once would
//! sleep for ever, each waiting for the wake-up of the other. Two things bring them to polling:
//!
//! - a *trial*: now and then a wait polls as long as the last one has slept, but not for more than
//!   [`LONGEST_TRIAL`]. It ends before that if the peer needs the same time again, since it saves
//!   our own wake-up;
//! - *evidence*: a peer that was awake when this side sent polls for what was sent. So this side
//!   polls for what comes next.
//!
//! Each wait polls from then on, as long as it finds what it waits for within [`SHORT`]. When one
//! polls in vain, the next is a trial. Each failure doubles the number of waits that sleep before
//! the next trial, to 1,023 at last, and each [`STREAK`] of successes halves it. So a peer that
//! thinks before it sends costs its waiting side less than one per cent of the time.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// How long a wait polls while that pays: less than a call is worth, and longer than a good CPU
/// takes to wake.
pub(super) const SHORT: Duration = Duration::from_micros(20);

/// The longest trial. A peer that takes longer works, or thinks.
pub(super) const LONGEST_TRIAL: Duration = Duration::from_micros(250);

/// The binary logarithm of the greatest number of waits that sleep between two trials.
const MAX_EXPONENT: u32 = 10;

/// As [`MAX_EXPONENT`], for pieces of evidence that are passed over.
const MAX_EVIDENCE_EXPONENT: u32 = 5;

/// How many successes in a row make up for a failure.
const STREAK: u32 = 64;

/// The time that no wait has been measured to take.
const UNKNOWN: u32 = u32::MAX;

/// What a wait does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Poll(Duration, Reason),
    /// Sleeps at once. How long it takes matters to the next wait if it `is_measured`.
    Sleep {
        is_measured: bool,
    },
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
/// other's.
#[derive(Debug)]
pub(super) struct Polling {
    pays: AtomicU32,
    trials: Backoff,
    evidence: Backoff,
    /// Successes in a row.
    streak: AtomicU32,
    /// The microseconds that the last measured wait took.
    measured: AtomicU32,
}

impl Polling {
    /// Of a new stream, whose first wait is a short trial.
    pub(super) fn new() -> Self {
        Self {
            pays: AtomicU32::new(0),
            trials: Backoff::default(),
            evidence: Backoff::default(),
            streak: AtomicU32::new(0),
            measured: AtomicU32::new(SHORT.as_micros() as u32),
        }
    }

    /// Whether waits poll. Nothing else has to be asked for then.
    #[inline]
    pub(super) fn pays(&self) -> bool {
        self.pays.load(Relaxed) != 0
    }

    /// The plan of a wait where polling does not pay. `found_peer_awake` tells of evidence, and
    /// forgets it; `is_possible` is asked before waits begin to poll: whether it may help at all.
    pub(super) fn plan(
        &self,
        found_peer_awake: impl FnOnce() -> bool,
        is_possible: impl FnOnce() -> bool,
    ) -> Plan {
        let (time, reason) = if found_peer_awake() && self.evidence.is_due() {
            (SHORT, Reason::Evidence)
        } else if self.trials.is_due() {
            let measured = Duration::from_micros(self.measured.load(Relaxed).into());
            if measured > LONGEST_TRIAL {
                return Plan::Sleep { is_measured: true };
            }
            (measured.max(SHORT), Reason::Trial)
        } else {
            return Plan::Sleep { is_measured: self.trials.is_next() };
        };
        if is_possible() {
            return Plan::Poll(time, reason);
        }
        self.trials.pause();
        self.evidence.pause();
        Plan::Sleep { is_measured: false }
    }

    /// The poll found what it waited for.
    pub(super) fn succeeded(&self, reason: Reason) {
        if reason != Reason::Pays {
            self.pays.store(1, Relaxed);
            self.evidence.forgive();
        } else if self.trials.has_failed() {
            match self.streak.load(Relaxed) + 1 {
                STREAK.. => {
                    self.trials.forgive();
                    self.streak.store(0, Relaxed);
                }
                streak => self.streak.store(streak, Relaxed),
            }
        }
    }

    /// The poll was in vain.
    pub(super) fn failed(&self, reason: Reason) {
        match reason {
            Reason::Evidence => self.evidence.fail(MAX_EVIDENCE_EXPONENT),
            Reason::Pays | Reason::Trial => self.trials.fail(MAX_EXPONENT),
        }
        self.pays.store(0, Relaxed);
        self.streak.store(0, Relaxed);
        self.measured.store(UNKNOWN, Relaxed);
    }

    /// How long a wait took that slept after all.
    pub(super) fn slept(&self, time: Duration) {
        let micros = u32::try_from(time.as_micros()).unwrap_or(UNKNOWN);
        self.measured.store(micros, Relaxed);
    }
}

/// How many occasions are let pass after failures.
#[derive(Debug, Default)]
struct Backoff {
    exponent: AtomicU32,
    left: AtomicU32,
}

impl Backoff {
    /// Lets an occasion pass, or says that this one is to be taken.
    fn is_due(&self) -> bool {
        match self.left.load(Relaxed) {
            0 => true,
            left => {
                self.left.store(left - 1, Relaxed);
                false
            }
        }
    }

    /// Whether the next occasion is to be taken.
    fn is_next(&self) -> bool {
        self.left.load(Relaxed) == 0
    }

    fn has_failed(&self) -> bool {
        self.exponent.load(Relaxed) != 0
    }

    /// The first failure is tried again at once.
    fn fail(&self, max_exponent: u32) {
        let exponent = self.exponent.load(Relaxed);
        self.left.store((1 << exponent) - 1, Relaxed);
        self.exponent.store((exponent + 1).min(max_exponent), Relaxed);
    }

    fn forgive(&self) {
        let exponent = self.exponent.load(Relaxed);
        self.exponent.store(exponent.saturating_sub(1), Relaxed);
    }

    /// Lets as many occasions pass as after many failures.
    fn pause(&self) {
        self.left.store((1 << MAX_EXPONENT) - 1, Relaxed);
    }
}

#[cfg(test)]
mod model;
