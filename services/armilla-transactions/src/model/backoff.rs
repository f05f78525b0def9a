//! When to try again.

use std::time::Duration;

/// A time, since whatever beginning the driver has chosen. It never goes back.
pub type Time = Duration;

/// How long to wait before the next attempt: twice as long each time, up to a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Before the second attempt.
    pub first: Duration,
    /// Never longer than this.
    pub most: Duration,
}

impl Backoff {
    /// When to try again after so many attempts have failed.
    pub(super) fn after(self, now: Time, attempts: u32) -> Time {
        let factor = 1_u32.checked_shl(attempts.saturating_sub(1).min(20)).unwrap_or(u32::MAX);
        now + self.first.saturating_mul(factor).min(self.most)
    }
}

impl Default for Backoff {
    /// A quarter of a second at first, four seconds at most: whoever is in doubt learns of the
    /// outcome within five seconds of the other's return.
    fn default() -> Self {
        Self { first: Duration::from_millis(250), most: Duration::from_secs(4) }
    }
}
