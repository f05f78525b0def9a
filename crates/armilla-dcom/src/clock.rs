//! The time of references, which tests drive.

use alloc::sync::Arc;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::time::Instant;

/// A clock that begins anywhere and never goes back.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

/// The hand of a clock that does not move by itself.
#[derive(Debug, Clone)]
pub struct ClockHand(Arc<AtomicU64>);

impl Clock {
    /// The clock of the host.
    pub fn system() -> Self {
        let start = Instant::now();
        Self(Arc::new(move || start.elapsed()))
    }

    /// A clock that only its hand moves.
    pub fn driven() -> (Self, ClockHand) {
        let hand = Arc::new(AtomicU64::new(0));
        let own = hand.clone();
        (Self(Arc::new(move || Duration::from_millis(own.load(Ordering::SeqCst)))), ClockHand(hand))
    }

    /// The time now.
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}

impl ClockHand {
    /// Moves the clock forward, by whole milliseconds.
    pub fn advance(&self, by: Duration) {
        let millis = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}
