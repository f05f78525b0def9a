//! A rate, as a function of time: the generic cell rate algorithm.

use std::time::Duration;

/// How far a rate was used up: the time at which all that was taken would have come due. 0 at first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used(u64);

impl Used {
    /// Takes `amount` of `per_second` at the time `now`, and returns whether that was there: that of
    /// `burst` is saved up. What is larger than that passes once, and then nothing does until it has
    /// come due. A rate of 0 is none.
    pub(super) fn take(
        &mut self,
        amount: u64,
        per_second: u64,
        burst: Duration,
        now: Duration,
    ) -> bool {
        if per_second == 0 {
            return true;
        }
        let (now, burst) = (nanoseconds(now), nanoseconds(burst));
        let begun = self.0.max(now);
        if begun - now > burst {
            return false;
        }
        let cost = u128::from(amount) * 1_000_000_000 / u128::from(per_second);
        self.0 = begun.saturating_add(cost.try_into().unwrap_or(u64::MAX));
        true
    }
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_the_rate() {
        let (mut used, burst) = (Used::default(), Duration::from_secs(1));
        let at = Duration::from_millis;
        let taken = (0..100).filter(|_| used.take(1, 10, burst, at(5000))).count();
        assert_eq!(taken, 11, "a second's worth, and the one that comes due now");
        assert!(!used.take(1, 10, burst, at(5050)));
        assert!(used.take(1, 10, burst, at(5100)) && !used.take(1, 10, burst, at(5100)));
        // A long silence saves up no more than the burst.
        let taken = (0..100).filter(|_| used.take(1, 10, burst, at(1_000_000))).count();
        assert_eq!(taken, 11);
    }

    #[test]
    fn what_is_larger_than_the_burst_passes_once() {
        let (mut used, burst) = (Used::default(), Duration::from_secs(1));
        assert!(used.take(100, 10, burst, Duration::ZERO));
        assert!(!used.take(1, 10, burst, Duration::from_secs(8)));
        assert!(used.take(1, 10, burst, Duration::from_secs(9)));
        assert!(Used::default().take(u64::MAX, 1, burst, Duration::ZERO));
        assert!(Used::default().take(7, 0, Duration::ZERO, Duration::ZERO), "no limit");
    }
}
