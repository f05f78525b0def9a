//! The line that says how far a run is.

use crate::record::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Counts the turns of cells and estimates the time that is left.
#[derive(Debug)]
pub(crate) struct Progress {
    total: usize,
    done: usize,
    begun: Instant,
    /// Whether the line is written over itself; elsewhere only every tenth of the way is told.
    live: bool,
}

impl Progress {
    /// Nothing is done of `total` turns.
    pub(crate) fn new(total: usize) -> Self {
        Self { total, done: 0, begun: Instant::now(), live: io::stderr().is_terminal() }
    }

    /// The next turn begins, of this cell.
    pub(crate) fn step(&mut self, cell: &Cell) {
        self.tell(cell, "measuring", self.begun.elapsed(), (self.done, self.total));
        self.done += 1;
    }

    /// The instructions of the next program are counted, at this cell first, after `elapsed` in which so
    /// many of all were.
    pub(crate) fn count(&self, cell: &Cell, elapsed: Duration, share: (usize, usize)) {
        self.tell(cell, "counting", elapsed, share);
    }

    /// So many turns are left out.
    pub(crate) fn skip(&mut self, turns: usize) {
        self.total = self.total.saturating_sub(turns);
    }

    fn tell(&self, cell: &Cell, what: &str, elapsed: Duration, share: (usize, usize)) {
        let text = text(cell, what, elapsed, share);
        let tenth = (share.1 / 10).max(1);
        // Nothing depends on whether anybody reads it.
        if self.live {
            write!(io::stderr(), "\r\x1b[K{text}").ok();
        } else if share.0.is_multiple_of(tenth) {
            writeln!(io::stderr(), "{text}").ok();
        }
    }
}

/// Which share is done, how long the rest will take, and what comes next.
fn text(cell: &Cell, what: &str, elapsed: Duration, (done, total): (usize, usize)) -> String {
    let Cell { experiment, transport, placement, .. } = cell;
    let left = match done {
        0 => String::new(),
        done => {
            let turns = total.saturating_sub(done);
            let left = elapsed.as_secs_f64() / done as f64 * turns as f64;
            format!(", {}:{:02} left", left as u64 / 60, left as u64 % 60)
        }
    };
    let share = 100 * done / total.max(1);
    let label = cell.label();
    format!("[{share} %{left}] {what} {experiment} over {transport}, {placement}: {label}")
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.live {
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
        let begun = text(&cell, "measuring", Duration::ZERO, (0, 8));
        assert_eq!(begun, "[0 %] measuring latency over tcp, one-core: void");
        let later = text(&cell, "measuring", Duration::from_secs(30), (2, 8));
        assert!(later.starts_with("[25 %, 1:30 left] measuring"), "{later}");
    }
}
