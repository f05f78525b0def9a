//! When to try again.

use std::time::Duration;

/// A time, since whatever beginning the driver has chosen. It never goes back.
pub type Time = Duration;

/// How long to wait before the next attempt. The second follows at once: only the connection may have
/// been lost. Then it takes twice as long each time, up to a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Before the third attempt.
    pub first: Duration,
    /// Never longer than this.
    pub most: Duration,
}

impl Backoff {
    /// When to try again after so many attempts have failed.
    pub(crate) fn after(self, now: Time, attempts: u32) -> Time {
        let Some(doublings) = attempts.checked_sub(2) else { return now };
        now + self.first.saturating_mul(1 << doublings.min(20)).min(self.most)
    }
}

impl Default for Backoff {
    /// A quarter of a second at first, two seconds at most: whoever is in doubt learns of the outcome
    /// within five seconds of the other's return, also where both need a moment.
    fn default() -> Self {
        Self { first: Duration::from_millis(250), most: Duration::from_secs(2) }
    }
}
