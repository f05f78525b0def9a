//! How far a command is that takes long, on a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(100);

/// How wide the bar is, in characters.
const WIDTH: usize = 30;

/// A line on standard error that is written anew. Nothing is written unless that is a terminal, and
/// nothing by what ends at once.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    shown: Mutex<Shown>,
    is_terminal: bool,
}

#[derive(Debug)]
struct Shown {
    at: Instant,
    is_there: bool,
}

impl Progress {
    /// A line that says so many are done, as in "bound".
    pub(crate) fn new(what: &'static str) -> Self {
        let shown = Mutex::new(Shown { at: Instant::now(), is_there: false });
        Self { what, shown, is_terminal: stderr().is_terminal() }
    }

    /// So many of so many are done; of how many is not known if that is 0.
    pub(crate) fn show(&self, done: usize, all: usize) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_terminal || shown.at.elapsed() < EVERY {
            return;
        }
        (shown.at, shown.is_there) = (Instant::now(), true);
        // Who reads it may have gone.
        write!(stderr(), "\r\x1b[K{}", line(self.what, done, all)).ok();
    }

    /// Removes the line.
    pub(crate) fn end(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut shown.is_there) {
            write!(stderr(), "\r\x1b[K").ok();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

fn line(what: &str, done: usize, all: usize) -> String {
    if all == 0 {
        return format!("{done} {what}");
    }
    let full = WIDTH * done.min(all) / all;
    format!("[{}{}] {done} of {all} {what}", "#".repeat(full), " ".repeat(WIDTH - full))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_bar_is_as_full_as_what_is_done() {
        assert_eq!(line("read", 7, 0), "7 read");
        assert_eq!(
            line("bound", 1, 2),
            format!("[{}{}] 1 of 2 bound", "#".repeat(15), " ".repeat(15))
        );
        assert!(line("bound", 9, 2).starts_with(&format!("[{}]", "#".repeat(30))));
    }
}
