//! A monotonic clock that is cheap enough to read at every call (`CLOCK_MONOTONIC_COARSE`).

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Reads the coarse monotonic clock: a few instructions and no system call.
///
/// It advances with the kernel's tick, every 1 to 10 ms, which is fine enough for idle times and
/// deadlines and too coarse to measure with.
///
/// ```
/// use armilla_ipc::coarse_now;
///
/// let start = coarse_now();
/// assert!(coarse_now().since(start) < std::time::Duration::from_secs(1));
/// ```
#[inline]
pub fn coarse_now() -> CoarseInstant {
    let now = clock_gettime(ClockId::MonotonicCoarse);
    // The monotonic clock starts near zero at boot, so neither conversion can lose anything.
    CoarseInstant((now.tv_sec as u64).wrapping_mul(NANOS_PER_SEC).wrapping_add(now.tv_nsec as u64))
}

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// A moment on the coarse monotonic clock, comparable with others of the same boot.
///
/// Held in nanoseconds, 584 years of them; arithmetic stops at the ends of that range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoarseInstant(u64);

impl CoarseInstant {
    /// The time from `earlier` to `self`; zero if `earlier` is the later one.
    #[inline]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The moment `duration` after `self`, at most the end of time.
    #[inline]
    pub const fn plus(self, duration: Duration) -> Self {
        let nanos = duration.as_secs().saturating_mul(NANOS_PER_SEC);
        Self(self.0.saturating_add(nanos).saturating_add(duration.subsec_nanos() as u64))
    }

    /// Nanoseconds since the clock's origin, for storing in an atomic.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The moment that [`as_nanos`](Self::as_nanos) gave.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_advances_at_least_every_ten_milliseconds() {
        let before = coarse_now();
        std::thread::sleep(Duration::from_millis(11));
        assert!(coarse_now() > before);
    }

    #[test]
    fn arithmetic_stops_at_the_ends_of_the_range() {
        let start = CoarseInstant::from_nanos(5);
        let later = start.plus(Duration::new(2, 7));
        assert_eq!(later.as_nanos(), 2_000_000_012);
        assert_eq!(later.since(start), Duration::new(2, 7));
        assert_eq!(start.since(later), Duration::ZERO);
        assert_eq!(later.plus(Duration::MAX).as_nanos(), u64::MAX);
    }
}
