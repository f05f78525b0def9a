//! The rate that a producer keeps to.

use std::time::{Duration, Instant};

/// How much later than due octets may be for those behind them to be on time again.
const SLACK: Duration = Duration::from_millis(100);

/// Spreads octets evenly over time, in steps of a twentieth of a second.
#[derive(Debug)]
pub(super) struct Pace {
    rate: u64,
    begin: Option<Instant>,
    sent: u64,
}

impl Pace {
    /// `rate` octets a second; 0 is no limit.
    pub(super) const fn new(rate: u64) -> Self {
        Self { rate, begin: None, sent: 0 }
    }

    /// Whether there is a limit.
    pub(super) const fn is_limited(&self) -> bool {
        self.rate > 0
    }

    /// How many of `wanted` octets the next step may have.
    pub(super) fn step(&self, wanted: usize) -> usize {
        if self.rate == 0 {
            return wanted;
        }
        wanted.min(usize::try_from(self.rate / 20).unwrap_or(usize::MAX).max(1))
    }

    /// How long to wait at `now`, before the octets that come next.
    pub(super) fn pause(&mut self, now: Instant) -> Duration {
        if self.rate == 0 {
            return Duration::ZERO;
        }
        let begin = *self.begin.get_or_insert(now);
        let due = begin + Duration::from_secs_f64(self.sent as f64 / self.rate as f64);
        // Time that a flow has lost is not made up for: it would exceed its rate.
        if now.saturating_duration_since(due) > SLACK {
            (self.begin, self.sent) = (Some(now - SLACK), 0);
        }
        due.saturating_duration_since(now)
    }

    pub(super) fn sent(&mut self, octets: u64) {
        self.sent += octets;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_due_when_the_rate_says() {
        let mut pace = Pace::new(1000);
        let begin = Instant::now();
        assert_eq!((pace.step(4096), pace.pause(begin)), (50, Duration::ZERO));
        pace.sent(500);
        assert_eq!(pace.pause(begin), Duration::from_millis(500));
        assert_eq!(pace.pause(begin + Duration::from_millis(400)), Duration::from_millis(100));
        assert_eq!(pace.pause(begin + Duration::from_millis(550)), Duration::ZERO);
    }

    #[test]
    fn a_flow_that_was_held_up_does_not_hurry_afterwards() {
        let mut pace = Pace::new(1000);
        let begin = Instant::now();
        assert_eq!(pace.pause(begin), Duration::ZERO);
        pace.sent(500);
        let late = begin + Duration::from_secs(9);
        assert_eq!(pace.pause(late), Duration::ZERO);
        pace.sent(600);
        // A tenth of a second is made up for, and no more.
        assert_eq!(pace.pause(late), Duration::from_millis(500));
    }

    #[test]
    fn no_limit_waits_for_nothing() {
        let mut pace = Pace::new(0);
        pace.sent(1 << 40);
        assert_eq!((pace.step(4096), pace.pause(Instant::now())), (4096, Duration::ZERO));
    }
}
