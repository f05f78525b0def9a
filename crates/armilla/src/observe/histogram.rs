//! A histogram of latencies. Up to 10 ms a bucket ends about two fifths above the one before; above
//! that, where precision matters less, buckets are wider.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets, in microseconds. One more bucket has no bound.
pub(super) const UPPER_BOUNDS: [u64; 26] = [
    10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000,
    10_000, 20_000, 50_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000,
];

/// Counts latencies. Any thread may record one.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    buckets: [AtomicU64; UPPER_BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl Histogram {
    pub(super) fn record(&self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        let bucket = UPPER_BOUNDS.partition_point(|bound| *bound < micros);
        // In range: there is one bucket more than there are bounds.
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(super) fn snapshot(&self) -> Latencies {
        let buckets = self.buckets.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        Latencies { buckets, total: Duration::from_micros(self.micros.load(Ordering::Relaxed)) }
    }
}

/// How long requests took: a histogram.
///
/// ```
/// use armilla::observe::{Metrics, Side};
///
/// let metrics = Metrics::new();
/// // … an ORB counts its requests here …
/// let snapshot = metrics.snapshot();
/// if let Some(counts) = snapshot.operations.get(&(Side::Client, "transfer".to_owned())) {
///     println!("{} calls, median {:?}", counts.latencies.count(), counts.latencies.quantile(0.5));
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Latencies {
    pub(super) buckets: Vec<u64>,
    total: Duration,
}

impl Latencies {
    /// How many requests there were.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// The sum of all latencies.
    pub const fn total(&self) -> Duration {
        self.total
    }

    /// The latency that this share of the requests did not exceed, rounded up to the bound of a
    /// bucket: 0.5 gives the median. `None` when there were no requests, and when the latency is
    /// above the last bound, 10 s.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let count = self.count();
        // Counts are far below what a double holds exactly.
        let wanted = (count as f64 * share.clamp(0.0, 1.0)).ceil().max(1.0) as u64;
        let mut seen = 0;
        let within = UPPER_BOUNDS.iter().zip(&self.buckets).find(|(_, bucket)| {
            seen += **bucket;
            seen >= wanted
        });
        within.map(|(bound, _)| Duration::from_micros(*bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_upper_bound_of_its_bucket() {
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
        assert_eq!(histogram.snapshot().quantile(1.0), None, "above the last bound");
    }
}
