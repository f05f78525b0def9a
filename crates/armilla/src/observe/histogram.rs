//! How long calls take, in buckets of about two fifths.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper limits of the buckets, in microseconds; one more bucket has none.
pub(super) const UPPER_BOUNDS: [u64; 26] = [
    10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000,
    10_000, 20_000, 50_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000,
];

/// Counts latencies, from any thread.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    buckets: [AtomicU64; UPPER_BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl Histogram {
    pub(super) fn record(&self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        let bucket = UPPER_BOUNDS.partition_point(|limit| *limit < micros);
        // There is one bucket more than there are limits.
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(super) fn snapshot(&self) -> Latencies {
        let buckets = self.buckets.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        Latencies { buckets, total: Duration::from_micros(self.micros.load(Ordering::Relaxed)) }
    }
}

/// How long calls took: how many in each bucket.
#[derive(Debug, Clone, Default)]
pub struct Latencies {
    pub(super) buckets: Vec<u64>,
    total: Duration,
}

impl Latencies {
    /// How many calls there were.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// How long they took together.
    pub const fn total(&self) -> Duration {
        self.total
    }

    /// A time that at least this share of the calls did not exceed (0.5 is the median), to the next
    /// bucket; `None` without calls, and when the share ends beyond the last bucket of 10 s.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let count = self.count();
        // Counts are far below what a double holds exactly.
        let wanted = (count as f64 * share.clamp(0.0, 1.0)).ceil().max(1.0) as u64;
        let mut seen = 0;
        let within = UPPER_BOUNDS.iter().zip(&self.buckets).find(|(_, bucket)| {
            seen += **bucket;
            seen >= wanted
        });
        within.map(|(limit, _)| Duration::from_micros(*limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_the_limits_of_their_steps() {
        let histogram = Histogram::default();
        assert_eq!(histogram.snapshot().quantile(0.5), None);
        for micros in [0, 10, 11, 40, 40, 40, 40, 40, 40, 900_000] {
            histogram.record(Duration::from_micros(micros));
        }
        let latencies = histogram.snapshot();
        assert_eq!(latencies.count(), 10);
        assert_eq!(latencies.total(), Duration::from_micros(900_261));
        let at = |share| latencies.quantile(share).map(|latency| latency.as_micros());
        assert_eq!((at(0.2), at(0.3), at(0.5)), (Some(10), Some(15), Some(50)));
        assert_eq!((at(0.9), at(1.0)), (Some(50), Some(1_000_000)));
        histogram.record(Duration::from_secs(60));
        assert_eq!(histogram.snapshot().quantile(1.0), None, "beyond the last limit");
    }
}
