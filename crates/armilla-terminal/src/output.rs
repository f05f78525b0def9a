//! Writing to standard output, which may be a pipe whose reader has closed it.

use crate::{Context, Failure, Outcome};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, ErrorKind, Write, stdout};

/// Prints a line, formatted as `println!` does. On failure it returns an error instead of
/// panicking.
#[macro_export]
macro_rules! say {
    ($($format:tt)*) => {
        $crate::print(format_args!("{}\n", format_args!($($format)*)))
    };
}

/// Prints text as it is. If the reader has closed the pipe, no error message is printed.
pub fn print(text: fmt::Arguments<'_>) -> Outcome {
    outcome(stdout().write_fmt(text))
}

/// A text of others that stays in its line: control characters, which a terminal would obey, are
/// escapes such as `\n` and `\u{1b}`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| match character.is_control() {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    };
    Cow::Owned(text.chars().map(shown).collect())
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
