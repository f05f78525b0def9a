//! The results of the real-time experiment: latencies of periodic calls, and missed periods.

use serde::Serialize;
use std::fmt;

/// The time from the wake-up, in nanoseconds, beyond which a call of low priority, which works for
/// a millisecond, must have gone first: that, and the 100 µs of the call itself.
const UNINVERTED: u64 = 1_100_000;

/// One call of a client: nanoseconds from the release of its period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    /// Until the timer woke the client.
    pub(crate) woken: u64,
    /// Until the call had ended.
    pub(crate) ended: u64,
}

/// All calls of one run, or of several one after the other.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    /// How many periods there were: at least as many as calls.
    pub(crate) periods: u64,
    pub(crate) calls: Vec<Call>,
}

impl Calls {
    /// Parses what `Display` writes: the number of periods, then two numbers for each call.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_ascii_whitespace().map(str::parse);
        let periods = numbers.next()?.ok()?;
        let mut calls = Vec::new();
        while let Some(woken) = numbers.next() {
            calls.push(Call { woken: woken.ok()?, ended: numbers.next()?.ok()? });
        }
        (!calls.is_empty()).then_some(Self { periods, calls })
    }

    /// Adds the calls of another run.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.periods += other.periods;
        self.calls.append(&mut other.calls);
    }
}

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.periods)?;
        self.calls.iter().try_for_each(|call| write!(f, " {} {}", call.woken, call.ended))
    }
}

/// The latencies of one variant in one cell, in microseconds from the release of a period.
#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize)]
pub struct Latencies {
    /// How many periods there were, and how many calls ended after their period or did not begin in
    /// it.
    pub periods: u64,
    /// See `periods`.
    pub missed: u64,
    /// Of those missed, how many began with a wake-up so late that a call of median length could
    /// not end within its period: the timer missed them, not the call.
    pub woken_late: u64,
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
    /// Those of calls with a period, in nanoseconds. A call that takes longer than its period takes
    /// the following ones with it, which are missed too.
    pub(crate) fn of(calls: &Calls, period: u64) -> Self {
        let sorted = |value: fn(&Call) -> u64| {
            let mut values: Vec<u64> = calls.calls.iter().map(value).collect();
            values.sort_unstable();
            values
        };
        let (ended, woken) = (sorted(|call| call.ended), sorted(|call| call.woken));
        let taken = sorted(|call| call.ended.saturating_sub(call.woken));
        let usual = taken.get(taken.len() / 2).copied().unwrap_or(0);
        let missed = |call: &Call| call.ended / period.max(1);
        let late = |call: &&Call| missed(call) > 0 && call.woken + usual >= period;
        Self {
            periods: calls.periods,
            missed: calls.calls.iter().map(missed).sum::<u64>().min(calls.periods),
            woken_late: calls.calls.iter().filter(late).map(missed).sum::<u64>().min(calls.periods),
            inversions: taken.iter().filter(|taken| **taken > UNINVERTED).count() as u64,
            p50: quantile(&ended, 0.5),
            p99: quantile(&ended, 0.99),
            p999: quantile(&ended, 0.999),
            p9999: quantile(&ended, 0.9999),
            max: quantile(&ended, 1.0),
            wake_p999: quantile(&woken, 0.999),
        }
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

    fn calls(times: impl IntoIterator<Item = (u64, u64)>) -> Calls {
        let calls: Vec<Call> =
            times.into_iter().map(|(woken, ended)| Call { woken, ended }).collect();
        Calls { periods: calls.len() as u64, calls }
    }

    #[test]
    fn quantiles_are_samples_that_occurred() {
        let latencies = Latencies::of(&calls((1..=1000).map(|n| (0, n * 1000))), 2_000_000);
        assert_eq!((latencies.p50, latencies.p99, latencies.p999), (500.0, 990.0, 999.0));
        assert_eq!((latencies.p9999, latencies.max, latencies.missed), (1000.0, 1000.0, 0));
    }

    #[test]
    fn a_miss_belongs_to_the_timer_if_no_usual_call_would_have_ended_in_time() {
        // The usual call takes 200 µs. The second was woken too late, the third took too long and
        // the following period with it, the fourth did both.
        let times = [(10_000, 210_000), (900_000, 1_100_000), (10_000, 2_300_000), (0, 200_000)];
        let mut calls = calls(times);
        calls.periods = 5;
        let latencies = Latencies::of(&calls, 1_000_000);
        assert_eq!((latencies.missed, latencies.woken_late, latencies.inversions), (3, 1, 1));
        assert_eq!(latencies.periods, 5);
    }

    #[test]
    fn runs_survive_the_pipe_between_processes_and_are_added() {
        let mut first = calls([(1, 2), (3, 4)]);
        assert_eq!(Calls::parse(&first.to_string()), Some(calls([(1, 2), (3, 4)])));
        assert_eq!(Calls::parse("2 1"), None);
        assert_eq!(Calls::parse("2"), None);
        first.append(calls([(5, 6)]));
        assert_eq!(first, calls([(1, 2), (3, 4), (5, 6)]));
    }
}
