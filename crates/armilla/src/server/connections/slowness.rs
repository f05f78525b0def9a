//! Whether the requests of a connection are likely to be slow, so that its leader should hand the
//! leadership over before it calls a servant.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Above this a request counts as slow.
const SLOW: Duration = Duration::from_micros(100);

/// For so many fast requests in a row after a slow one, another slow one is expected. To hand the
/// leadership over in vain costs some microseconds. Not to do so costs the client's other requests
/// the milliseconds until the monitor finds the blocked thread, a thousand times as much.
const REMEMBERED: u32 = 1000;

/// What the last requests of a connection tell about the next one.
#[derive(Debug, Default)]
pub(in crate::server) struct Slowness {
    /// How many more fast requests it takes until the next request is expected to be fast.
    remembered: AtomicU32,
}

impl Slowness {
    /// Notes how long a request has taken. Several threads may note at a time; what is lost then
    /// does not matter.
    #[inline]
    pub(in crate::server) fn note(&self, taken: Duration) {
        if taken > SLOW {
            return self.note_slow();
        }
        let remembered = self.remembered.load(Ordering::Relaxed);
        if remembered > 0 {
            self.remembered.store(remembered - 1, Ordering::Relaxed);
        }
    }

    /// Notes a request that is slow and has not ended yet.
    pub(in crate::server) fn note_slow(&self) {
        self.remembered.store(REMEMBERED, Ordering::Relaxed);
    }

    /// Whether the next request may be slow.
    #[inline]
    pub(in crate::server) fn is_likely(&self) -> bool {
        self.remembered.load(Ordering::Relaxed) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: Duration = Duration::from_micros(5);

    #[test]
    fn a_connection_is_fast_until_a_request_is_slow() {
        let slowness = Slowness::default();
        slowness.note(FAST);
        assert!(!slowness.is_likely());
        slowness.note(2 * SLOW);
        assert!(slowness.is_likely());
    }

    #[test]
    fn a_few_slow_requests_among_fast_ones_are_expected_again() {
        let slowness = Slowness::default();
        for request in 0..10_000 {
            let slow = request % 100 == 0;
            assert!(request == 0 || slowness.is_likely(), "before request {request}");
            slowness.note(if slow { 2 * SLOW } else { FAST });
        }
    }

    #[test]
    fn many_fast_requests_in_a_row_make_the_connection_fast_again() {
        let slowness = Slowness::default();
        slowness.note(2 * SLOW);
        (0..REMEMBERED).for_each(|_| slowness.note(FAST));
        assert!(!slowness.is_likely());
    }

    #[test]
    fn a_request_that_is_found_blocked_counts_before_it_ends() {
        let slowness = Slowness::default();
        slowness.note_slow();
        assert!(slowness.is_likely());
    }
}
