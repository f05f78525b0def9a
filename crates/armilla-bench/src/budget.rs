//! The time that a run may take, and what of it each part has.

use std::time::{Duration, Instant};

/// Shares out the time of a run by what its parts are expected to take. What one of them leaves the next
/// ones have.
#[derive(Debug)]
pub(crate) struct Budget {
    started: Instant,
    limit: Option<Duration>,
    /// What all parts are expected to take.
    total: Duration,
    /// What those take that have started.
    given: Duration,
}

impl Budget {
    /// A run begins whose parts are expected to take `total`, and which is to end within `limit`.
    pub(crate) fn new(limit: Option<Duration>, total: Duration) -> Self {
        Self { started: Instant::now(), limit, total, given: Duration::ZERO }
    }

    /// When the next part is to end, which is expected to take so long; `None` when it has all the time.
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
