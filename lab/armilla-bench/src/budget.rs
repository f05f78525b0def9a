//! The time limit of a run, and the share of each part.

use std::time::{Duration, Instant};

/// Divides the time of a run among its parts in proportion to their expected times. Unused time
/// goes to the following parts.
#[derive(Debug)]
pub(crate) struct Budget {
    started: Instant,
    limit: Option<Duration>,
    /// The expected time of all parts.
    total: Duration,
    /// The expected time of the parts that have started.
    given: Duration,
}

impl Budget {
    /// Starts a run with parts of `total` expected time, to end within `limit`.
    pub(crate) fn new(limit: Option<Duration>, total: Duration) -> Self {
        Self { started: Instant::now(), limit, total, given: Duration::ZERO }
    }

    /// The deadline of the next part, with this expected time; `None` without a limit.
    pub(crate) fn part(&mut self, expected: Duration) -> Option<Instant> {
        self.given += expected;
        let share = self.given.as_secs_f64() / self.total.max(self.given).as_secs_f64();
        Some(self.started + self.limit?.mul_f64(if share.is_finite() { share } else { 1.0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_share_and_what_was_left_before() {
        let seconds = Duration::from_secs;
        let mut budget = Budget::new(Some(seconds(100)), seconds(40));
        let started = budget.started;
        assert_eq!(budget.part(seconds(10)), Some(started + seconds(25)));
        assert_eq!(budget.part(seconds(20)), Some(started + seconds(75)));
        assert_eq!(budget.part(seconds(10)), Some(started + seconds(100)));
        assert_eq!(budget.part(seconds(50)), Some(started + seconds(100)), "never more than all");
        assert_eq!(Budget::new(None, seconds(1)).part(seconds(1)), None);
        assert!(Budget::new(Some(seconds(9)), Duration::ZERO).part(Duration::ZERO).is_some());
    }
}
