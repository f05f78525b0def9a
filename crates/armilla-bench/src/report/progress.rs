//! The line that says how far a run is.

use crate::record::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Counts cells and estimates the time that is left.
#[derive(Debug)]
pub(crate) struct Progress {
    total: usize,
    done: usize,
    begun: Instant,
    /// Whether the line is written over itself; elsewhere only every tenth of the way is told.
    live: bool,
}

impl Progress {
    /// Nothing is done of `total` cells.
    pub(crate) fn new(total: usize) -> Self {
        Self { total, done: 0, begun: Instant::now(), live: io::stderr().is_terminal() }
    }

    /// The next cell begins.
    pub(crate) fn step(&mut self, cell: &Cell) {
        let text = self.text(cell, self.begun.elapsed());
        self.done += 1;
        // Nothing depends on whether anybody reads it.
        if self.live {
            write!(io::stderr(), "\r\x1b[K{text}").ok();
        } else if self.done.is_multiple_of((self.total / 10).max(1)) {
            writeln!(io::stderr(), "{text}").ok();
        }
    }

    fn text(&self, cell: &Cell, elapsed: Duration) -> String {
        let Cell { experiment, transport, placement, .. } = cell;
        let left = match self.done {
            0 => String::new(),
            done => {
                let left = elapsed.as_secs_f64() / done as f64 * (self.total - done) as f64;
                format!(", {}:{:02} left", left as u64 / 60, left as u64 % 60)
            }
        };
        let (now, total) = (self.done + 1, self.total);
        let label = cell.label();
        format!("[{now}/{total}{left}] {experiment} over {transport}, {placement}: {label}")
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.live {
            write!(io::stderr(), "\r\x1b[K").ok();
        }
    }
}
