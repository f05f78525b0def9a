//! How a subcommand fails: the error message and the exit status.

use crate::text::many_lines;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// The result of a subcommand.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Why a subcommand failed.
#[derive(Debug)]
pub enum Failure {
    /// A message for the user. The exit status is 1.
    Failed(String),
    /// The command line is invalid. The exit status is 2, as for arguments that the parser rejects.
    Usage(String),
    /// The message has been printed already. The exit status is 1.
    Reported,
    /// A signal ended the subcommand early, and a message has been printed. The exit status is 130,
    /// that of a process that SIGINT ends.
    Interrupted,
}

impl Failure {
    /// A failure with this message.
    pub fn because(what: impl fmt::Display) -> Self {
        Self::Failed(what.to_string())
    }

    /// An invalid command line.
    pub fn usage(what: impl fmt::Display) -> Self {
        Self::Usage(what.to_string())
    }

    /// Prints the message to standard error, and returns the exit status.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Failed(what) => {
                complain(format_args!("error: {what}\n"));
                ExitCode::from(1)
            }
            Self::Usage(what) => {
                complain(format_args!("error: {what}\n"));
                ExitCode::from(2)
            }
            Self::Reported => ExitCode::from(1),
            Self::Interrupted => ExitCode::from(130),
        }
    }
}

/// Prints to standard error, as far as that is read: the exit status says the same. Texts of others
/// are in most messages, so control characters but tabs and ends of lines are escapes.
pub fn complain(text: fmt::Arguments<'_>) {
    io::stderr().write_all(many_lines(&text.to_string()).as_bytes()).ok();
}

/// The message of an error is its `Display`; errors of the ORB include a hint.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Adds context to an error of the operating system.
pub trait Context<T> {
    /// Puts `context`, such as "cannot write out.json", before the error.
    fn context(self, context: impl fmt::Display) -> Outcome<T>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, context: impl fmt::Display) -> Outcome<T> {
        self.map_err(|error| Failure::Failed(format!("{context}: {error}")))
    }
}
