//! Writing to standard output, which may be a pipe whose reader has closed it.

use crate::text::many_lines;
use crate::{Context, Failure, Outcome};
use std::fmt;
use std::io::{self, ErrorKind, IsTerminal, Write, stdout};

/// Prints a line, formatted as `println!` does. On failure it returns an error instead of
/// panicking.
#[macro_export]
macro_rules! say {
    ($($format:tt)*) => {
        $crate::print(format_args!("{}\n", format_args!($($format)*)))
    };
}

/// Prints text, in which control characters but tabs and ends of lines are escapes: texts of others
/// are in most of it. If the reader has closed the pipe, no error message is printed.
pub fn print(text: fmt::Arguments<'_>) -> Outcome {
    outcome(stdout().write_all(many_lines(&text.to_string()).as_bytes()))
}

/// Prints octets that others have written: as they are into a file or a pipe, and on a terminal as
/// [`print()`] does.
pub fn print_log(octets: &[u8]) -> Outcome {
    match stdout().is_terminal() {
        true => print(format_args!("{}", String::from_utf8_lossy(octets))),
        false => print_bytes(octets),
    }
}

/// Prints bytes as they are.
pub fn print_bytes(bytes: &[u8]) -> Outcome {
    outcome(stdout().write_all(bytes))
}

/// The outcome of writing to standard output.
pub fn outcome(written: io::Result<()>) -> Outcome {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Reported),
        other => other.context("cannot write to standard output"),
    }
}
