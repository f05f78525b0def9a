//! What is measured of each operation: deadlines met, latencies, a histogram, and when it ran.

use armilla_ipc::real_time::{PiMutex, monotonic_now};
use std::time::Duration;

/// The bounds of the histogram: each column has twice the latency of the one before, from 64 µs.
pub const COLUMNS: usize = 12;

/// The measurements of one operation.
pub struct Instrument {
    /// The operation.
    pub operation: &'static str,
    /// By when it must have ended, after its event was made.
    pub deadline: Duration,
    state: PiMutex<Reading>,
}

/// What an instrument shows.
#[derive(Clone, Default)]
pub struct Reading {
    /// How often it ended in time.
    pub met: u64,
    /// How often it did not.
    pub missed: u64,
    /// From the event to the end of the operation, the last time.
    pub latest: Duration,
    /// The longest of all.
    pub longest: Duration,
    /// How many latencies were below 64 µs, 128 µs, 256 µs, …; the last column has all beyond.
    pub histogram: [u64; COLUMNS],
    /// When the latest executions began and ended, on the monotonic clock, and whether in time.
    pub runs: Vec<(Duration, Duration, bool)>,
}

impl Instrument {
    /// An instrument that has measured nothing. The memory for its runs is reserved now.
    pub fn new(operation: &'static str, deadline: Duration, most_runs: usize) -> Self {
        let reading = Reading { runs: Vec::with_capacity(most_runs), ..Reading::default() };
        Self { operation, deadline, state: PiMutex::new(reading) }
    }

    /// Takes note of an execution that began at `begun` and ends now, `latency` after its event.
    pub fn record(&self, begun: Duration, latency: Duration) {
        let in_time = latency <= self.deadline;
        let column = latency.as_micros().checked_div(64).unwrap_or(0);
        let column = (u128::BITS - column.leading_zeros()) as usize;
        let mut state = self.state.lock();
        *(if in_time { &mut state.met } else { &mut state.missed }) += 1;
        state.latest = latency;
        state.longest = state.longest.max(latency);
        state.histogram[column.min(COLUMNS - 1)] += 1;
        if state.runs.len() < state.runs.capacity() {
            state.runs.push((begun, monotonic_now(), in_time));
        }
    }

    /// What it shows now.
    pub fn read(&self) -> Reading {
        self.state.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_fall_into_their_columns_and_meet_or_miss_the_deadline() {
        let instrument = Instrument::new("A::f", Duration::from_millis(1), 2);
        for micros in [63, 64, 128, 1_000, 1_001, u64::MAX / 2] {
            instrument.record(Duration::ZERO, Duration::from_micros(micros));
        }
        let reading = instrument.read();
        assert_eq!((reading.met, reading.missed), (4, 2));
        assert_eq!(reading.histogram[..3], [1, 1, 1]);
        assert_eq!(reading.histogram[COLUMNS - 1], 1);
        assert_eq!(reading.histogram.iter().sum::<u64>(), 6);
        assert_eq!(reading.runs.len(), 2, "no more than there is memory for");
    }
}
