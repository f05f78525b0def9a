//! What members promise each other, so that a primary can answer reads alone.

use std::collections::BTreeMap;

/// How long promises last, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lease {
    /// For how long a backup promises at most that it does not take over.
    pub promise: u64,
    /// For how long a primary relies on that; 0 if it asks for no promises.
    pub trust: u64,
}

impl Lease {
    /// Promises for so long, for clocks that go at most one part in twenty too fast or too slow.
    pub const fn of(promise: u64) -> Self {
        // The slowest clock of a primary shows 19 when the fastest one of a backup shows 21.
        Self { promise, trust: promise / 21 * 19 }
    }

    /// Promises for so long, of a member that does not ask for them itself.
    pub const fn unused(promise: u64) -> Self {
        Self { promise, trust: 0 }
    }
}

/// What a member has promised, and was promised.
#[derive(Debug, Default)]
pub(super) struct Promises {
    pub(super) lease: Lease,
    /// Until when it takes over from nobody.
    pub(super) own: u64,
    /// Whether it makes no further promises: it wants to take over.
    pub(super) withholds: bool,
    /// Until when the primary may rely on its backups, by their names, in the view that is in effect.
    pub(super) of_backups: BTreeMap<String, u64>,
    /// How many reads were answered alone, and after all backups were asked.
    pub(super) reads: (u64, u64),
}

impl Promises {
    /// It may have promised something before it was started.
    pub(super) const fn begin(&mut self, now: u64) {
        self.own = now.saturating_add(self.lease.promise);
    }

    /// Another view is in effect.
    pub(super) fn forget(&mut self) {
        self.of_backups.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_clock_of_a_primary_is_over_before_the_fastest_of_a_backup() {
        for promise in [1_u64, 100, 999, 250_000_000] {
            let Lease { trust, .. } = Lease::of(promise);
            // In true time: 1/0.95 and 1/1.05 of what they show.
            assert!(trust * 105 <= promise * 95, "{promise}: {trust}");
        }
        assert_eq!(Lease::of(210), Lease { promise: 210, trust: 190 });
    }
}
