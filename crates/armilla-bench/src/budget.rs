//! The time that a run may take, and what of it each part has.

use serde::Serialize;
use std::fmt;
use std::time::{Duration, Instant};

/// Shares out the time of a run by what its parts are expected to take. What one of them leaves the next
/// ones have.
#[derive(Debug)]
pub(crate) struct Budget {
    begun: Instant,
    limit: Option<Duration>,
    /// What all parts are expected to take.
    total: Duration,
    /// What those take that have begun.
    given: Duration,
}

impl Budget {
    /// A run begins whose parts are expected to take `total`, and which is to end within `limit`.
    pub(crate) fn new(limit: Option<Duration>, total: Duration) -> Self {
        Self { begun: Instant::now(), limit, total, given: Duration::ZERO }
    }

    /// When the next part is to end, which is expected to take so long; `None` when it has all the time.
    pub(crate) fn part(&mut self, expected: Duration) -> Option<Instant> {
        self.given += expected;
        let share = self.given.as_secs_f64() / self.total.max(self.given).as_secs_f64();
        Some(self.begun + self.limit?.mul_f64(if share.is_finite() { share } else { 1.0 }))
    }
}

/// What there was no time for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Hurry {
    /// How many cells were measured less often.
    pub(crate) cells: usize,
    /// How many programs were not observed whose instructions were to be counted.
    pub(crate) uncounted: usize,
}

impl Hurry {
    /// Whether there was time for everything.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Hurry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cells, uncounted } = self;
        write!(
            f,
            "the machine was too slow or too busy: {cells} cells were measured less often, the \
             instructions of {uncounted} programs not counted"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_share_and_what_was_left_before() {
        let seconds = Duration::from_secs;
        let mut budget = Budget::new(Some(seconds(100)), seconds(40));
        let begun = budget.begun;
        assert_eq!(budget.part(seconds(10)), Some(begun + seconds(25)));
        assert_eq!(budget.part(seconds(20)), Some(begun + seconds(75)));
        assert_eq!(budget.part(seconds(10)), Some(begun + seconds(100)));
        assert_eq!(budget.part(seconds(50)), Some(begun + seconds(100)), "never more than all");
        assert_eq!(Budget::new(None, seconds(1)).part(seconds(1)), None);
        assert!(Budget::new(Some(seconds(9)), Duration::ZERO).part(Duration::ZERO).is_some());
    }
}
