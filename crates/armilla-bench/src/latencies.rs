//! The results of the real-time experiment: latencies of periodic calls, and missed periods.

use serde::Serialize;
use std::fmt;

/// The latencies of one run, in microseconds from the release of a period.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latencies {
    /// How many periods there were, and how many calls ended after their period or did not begin in
    /// it.
    pub periods: u64,
    /// See `periods`.
    pub missed: u64,
    /// How many calls took, from the wake-up on, longer than their work and a whole call of low
    /// priority: something less urgent went first.
    pub inversions: u64,
    /// The median.
    pub p50: f64,
    /// The quantile 0.99.
    pub p99: f64,
    /// The quantile 0.999.
    pub p999: f64,
    /// The quantile 0.9999.
    pub p9999: f64,
    /// The maximum.
    pub max: f64,
    /// How late the timer woke the thread: the quantile 0.999.
    pub wake_p999: f64,
}

impl Latencies {
    /// Those of a run, in nanoseconds: from release to the end of the call, and to the wake-up.
    pub(crate) fn of(
        mut calls: Vec<u64>,
        mut wakes: Vec<u64>,
        periods: u64,
        missed: u64,
        inversions: u64,
    ) -> Self {
        calls.sort_unstable();
        wakes.sort_unstable();
        Self {
            periods,
            missed,
            inversions,
            p50: quantile(&calls, 0.5),
            p99: quantile(&calls, 0.99),
            p999: quantile(&calls, 0.999),
            p9999: quantile(&calls, 0.9999),
            max: quantile(&calls, 1.0),
            wake_p999: quantile(&wakes, 0.999),
        }
    }

    /// Parses what `Display` writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<f64> = text.split_whitespace().map_while(|n| n.parse().ok()).collect();
        let [periods, missed, inversions, p50, p99, p999, p9999, max, wake_p999] = numbers[..]
        else {
            return None;
        };
        let (periods, missed, inversions) = (periods as u64, missed as u64, inversions as u64);
        Some(Self { periods, missed, inversions, p50, p99, p999, p9999, max, wake_p999 })
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { periods, missed, inversions, p50, p99, p999, p9999, max, wake_p999 } = self;
        write!(f, "{periods} {missed} {inversions} {p50:.2} {p99:.2} {p999:.2} {p9999:.2} ")?;
        write!(f, "{max:.2} {wake_p999:.2}")
    }
}

/// A quantile of sorted nanoseconds, in microseconds; the sample that at least this share reaches.
fn quantile(sorted: &[u64], share: f64) -> f64 {
    let place = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(place.saturating_sub(1)).map_or(0.0, |nanos| *nanos as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples_that_occurred() {
        let samples: Vec<u64> = (1..=1000).map(|n| n * 1000).collect();
        let latencies = Latencies::of(samples.clone(), samples, 1000, 3, 0);
        assert_eq!((latencies.p50, latencies.p99, latencies.p999), (500.0, 990.0, 999.0));
        assert_eq!((latencies.p9999, latencies.max), (1000.0, 1000.0));
    }

    #[test]
    fn results_survive_the_pipe_between_processes() {
        let latencies = Latencies::of(vec![1500, 2500], vec![500], 2, 1, 1);
        assert_eq!(Latencies::parse(&latencies.to_string()), Some(latencies));
        assert_eq!(Latencies::parse("1 2"), None);
    }
}
