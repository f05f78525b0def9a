//! The view in the terminal.

use crate::flight::Flight;
use std::fmt::Write;
use std::time::Duration;

/// The table of the flight so far: a line for each operation.
pub fn table(flight: &Flight) -> String {
    let mut text = format!(
        "{:32} {:>6} {:>6} {:>6} {:>9} {:>9}  {}\n",
        "operation", "met", "missed", "lost", "latest", "longest", "64 µs … 64 ms"
    );
    for (instrument, connection) in flight.instruments.iter().zip(&flight.connections) {
        let reading = instrument.read();
        let statistics = connection.statistics();
        let lost = statistics.discarded + statistics.expired + statistics.failed;
        // Writing to a string cannot fail.
        _ = writeln!(
            text,
            "{:32} {:>6} {:>6} {lost:>6} {:>9} {:>9}  {}",
            instrument.operation,
            reading.met,
            reading.missed,
            micros(reading.latest),
            micros(reading.longest),
            bars(&reading.histogram)
        );
    }
    text
}

/// A time as the view and the page show it.
pub(crate) fn micros(time: Duration) -> String {
    format!("{} µs", time.as_micros())
}

/// A histogram in one line. What occurred at all shows.
fn bars(histogram: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = histogram.iter().copied().max().unwrap_or(0).max(1);
    let bar = |count: &u64| match count {
        0 => ' ',
        count => BARS[(count * (BARS.len() as u64 - 1)).div_ceil(most) as usize],
    };
    histogram.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::bars;

    #[test]
    fn what_occurred_at_all_shows() {
        assert_eq!(bars(&[0, 1, 1_000]), " ▂█");
        assert_eq!(bars(&[0, 0]), "  ");
    }
}
