//! How a subcommand fails, and what the process then says and returns.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// What every subcommand ends with.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Why a subcommand did not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// To be told to the user. The exit status is 1.
    Failed(String),
    /// The command line makes no sense. The exit status is 2, as for what the parser rejects.
    Usage(String),
    /// The user has been told already.
    Told,
    /// It was asked to end before its end, and the user has been told. The exit status is 130, as that
    /// of what Ctrl-C ends.
    Interrupted,
}

impl Failure {
    /// A failure in the given words.
    pub(crate) fn because(what: impl fmt::Display) -> Self {
        Self::Failed(what.to_string())
    }

    /// Arguments that make no sense.
    pub(crate) fn usage(what: impl fmt::Display) -> Self {
        Self::Usage(what.to_string())
    }

    /// Tells the user, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Failed(what) => {
                eprintln!("error: {what}");
                ExitCode::from(1)
            }
            Self::Usage(what) => {
                eprintln!("error: {what}");
                ExitCode::from(2)
            }
            Self::Told => ExitCode::from(1),
            Self::Interrupted => ExitCode::from(130),
        }
    }
}

/// Every error is told in its own words; those of the ORB bring their hint.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Puts what was being done before an error of the operating system.
pub(crate) trait Doing<T> {
    /// `doing` is a few words, such as "cannot write out.json".
    fn doing(self, doing: impl fmt::Display) -> Outcome<T>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, doing: impl fmt::Display) -> Outcome<T> {
        self.map_err(|error| Failure::Failed(format!("{doing}: {error}")))
    }
}
