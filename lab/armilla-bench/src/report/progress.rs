//! The progress line of a run.

use super::terminal::{columns, goes_back};
use crate::record::Cell;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The weight of the expected time against the measured time, so that a slow beginning does not
/// distort the estimate.
const PRIOR: Duration = Duration::from_secs(5);

/// Follows the measurements of a run and estimates the remaining time.
#[derive(Debug)]
pub(crate) struct Progress {
    /// The expected time of the run.
    total: Duration,
    /// The expected time of the finished measurements, and of everything up to the end of the
    /// current series.
    done: Duration,
    ahead: Duration,
    /// The expected time of a measurement in the current series.
    turn: Duration,
    started: Instant,
    /// The tenth of the run that was shown last.
    last_tenth: Option<u32>,
    /// The width of the terminal on which the line is overwritten. Without a terminal, only every
    /// tenth of the run is shown.
    columns: Option<usize>,
}

impl Progress {
    /// The progress of a run with an expected time of `total`.
    pub(crate) fn new(total: Duration) -> Self {
        let [done, ahead, turn] = [Duration::ZERO; 3];
        let columns = columns(io::stderr()).filter(|_| goes_back());
        Self { total, done, ahead, turn, started: Instant::now(), last_tenth: None, columns }
    }

    /// Starts a series with a number of measurements and an expected time, and ends the previous
    /// one, complete or not.
    pub(crate) fn enter(&mut self, turns: usize, expected: Duration) {
        self.done = self.ahead;
        self.ahead += expected;
        self.turn = expected / u32::try_from(turns.max(1)).unwrap_or(u32::MAX);
    }

    /// Starts the next measurement, of this cell.
    pub(crate) fn step(&mut self, cell: &Cell) {
        self.show(cell, "measuring");
        self.done = (self.done + self.turn).min(self.ahead);
    }

    /// Starts counting the instructions of the next program, from this cell on.
    pub(crate) fn count(&mut self, cell: &Cell) {
        self.show(cell, "counting");
        self.done = (self.done + self.turn).min(self.ahead);
    }

    fn show(&mut self, cell: &Cell, what: &str) {
        let text = text(cell, what, self.started.elapsed(), (self.done, self.total));
        let tenth = (10.0 * share(self.done, self.total)) as u32;
        // Ignore errors: progress is optional.
        if let Some(columns) = self.columns {
            write!(io::stderr(), "\r\x1b[K{}", fitting(&text, columns)).ok();
        } else if self.last_tenth.replace(tenth) != Some(tenth) {
            writeln!(io::stderr(), "{text}").ok();
        }
    }
}

/// The share that is done, the remaining time, and the current measurement.
fn text(cell: &Cell, what: &str, elapsed: Duration, (done, total): (Duration, Duration)) -> String {
    let Cell { experiment, transport, placement, .. } = cell;
    let pace = (elapsed + PRIOR).as_secs_f64() / (done + PRIOR).as_secs_f64();
    let left = (total.saturating_sub(done).as_secs_f64() * pace).ceil() as u64;
    let (minutes, seconds) = (left / 60, left % 60);
    let share = (100.0 * share(done, total)) as u32;
    let label = cell.label();
    format!(
        "[{share} %, {minutes}:{seconds:02} left] {what} {experiment} over {transport}, \
         {placement}: {label}"
    )
}

/// Shortens a line to the width of the terminal, because a wrapped line cannot be overwritten.
fn fitting(text: &str, columns: usize) -> String {
    // Keep the last column free: some terminals wrap as soon as it is used.
    match text.chars().count() < columns {
        true => text.to_owned(),
        false => text.chars().take(columns.saturating_sub(2)).chain(['…']).collect(),
    }
}

/// The fraction of `total` that is done.
fn share(done: Duration, total: Duration) -> f64 {
    if total.is_zero() { 0.0 } else { done.as_secs_f64() / total.as_secs_f64() }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.columns.is_some() {
            write!(io::stderr(), "\r\x1b[K").ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_much_time_is_left() {
        let cell = Cell::of_void();
        let seconds = Duration::from_secs;
        let of = |elapsed, done| {
            text(&cell, "measuring", seconds(elapsed), (seconds(done), seconds(80)))
        };
        assert_eq!(of(0, 0), "[0 %, 1:20 left] measuring latency over tcp, one-core: void");
        // As expected, and four times as slow.
        assert!(of(20, 20).starts_with("[25 %, 1:00 left]"), "{}", of(20, 20));
        assert!(of(95, 20).starts_with("[25 %, 4:00 left]"), "{}", of(95, 20));
    }

    #[test]
    fn the_line_stays_in_its_row() {
        assert_eq!(fitting("measuring", 10), "measuring");
        assert_eq!(fitting("measuring", 9), "measuri…");
        assert_eq!(fitting("a × b × c", 6).chars().count(), 5);
        assert_eq!(fitting("measuring", 0), "…");
    }

    #[test]
    fn turns_that_are_left_out_are_done_when_the_next_series_begins() {
        let mut progress = Progress::new(Duration::from_secs(30));
        progress.enter(10, Duration::from_secs(10));
        (0..3).for_each(|_| progress.step(&Cell::of_void()));
        assert_eq!(progress.done, Duration::from_secs(3));
        progress.enter(2, Duration::from_secs(20));
        assert_eq!(progress.done, Duration::from_secs(10));
        (0..5).for_each(|_| progress.step(&Cell::of_void()));
        assert_eq!(progress.done, progress.total, "and never more than all");
    }
}
