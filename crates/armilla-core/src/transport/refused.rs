//! A connection that one of the ends refuses for what the other is, and not because it is out of
//! reach.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use std::error::Error;
use std::{fmt, io};

/// The error of a transport that has reached the server and refuses it, or is refused: wrapped in an
/// [`io::Error`] it decides with which exception the call ends.
///
/// ```
/// use armilla_core::exception::Minor;
/// use armilla_core::transport::Refused;
///
/// let refused = Refused::new(Minor::TLS_CERTIFICATE_REFUSED, "the certificate has expired")
///     .with_hint("issue a new one");
/// let error = std::io::Error::from(refused);
/// assert!(Refused::of(&error).is_some());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    minor: Minor,
    reason: String,
    hint: Option<String>,
}

impl Refused {
    /// A refusal with one of the ORB's own minor codes, and a sentence that says what was refused
    /// and why.
    pub fn new(minor: Minor, reason: impl Into<String>) -> Self {
        Self { minor, reason: reason.into(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The minor code of the exception with which a call ends.
    pub const fn minor(&self) -> Minor {
        self.minor
    }

    /// The refusal in an error, if that is one.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// The exception of the call, which was not begun: `NO_PERMISSION`.
    #[doc(hidden)]
    pub fn to_exception(&self) -> SystemException {
        let exception =
            SystemException::new(ExceptionKind::NoPermission, self.minor, Completion::No)
                .with_reason(self.reason.as_str());
        match &self.hint {
            Some(hint) => exception.with_hint(hint.as_str()),
            None => exception,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        Self::new(io::ErrorKind::PermissionDenied, refused)
    }
}
