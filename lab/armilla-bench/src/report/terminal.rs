//! The terminal of a run.

use rustix::fd::AsFd;
use rustix::termios::tcgetwinsize;
use std::env;
use std::io::IsTerminal;

/// The width of the terminal of `out`; `None` if it is not a terminal.
pub(super) fn columns(out: impl AsFd + IsTerminal) -> Option<usize> {
    let chosen = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let size = || tcgetwinsize(out.as_fd()).ok().map(|size| usize::from(size.ws_col));
    out.is_terminal().then(|| usable(chosen.or_else(size)))
}

/// A terminal of unknown size reports 0, or no size.
fn usable(columns: Option<usize>) -> usize {
    columns.filter(|columns| *columns > 0).unwrap_or(80)
}

/// Whether the terminal supports overwriting a line.
pub(super) fn goes_back() -> bool {
    is_able(&env::var("TERM").unwrap_or_default())
}

fn is_able(kind: &str) -> bool {
    !matches!(kind, "" | "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_that_can_go_back_has_a_live_line() {
        assert!(is_able("xterm") && !is_able("dumb") && !is_able(""));
    }

    #[test]
    fn a_terminal_without_a_size_has_the_usual_one() {
        assert_eq!([Some(60), Some(0), None].map(usable), [60, 80, 80]);
    }
}
