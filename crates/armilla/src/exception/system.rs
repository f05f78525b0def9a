//! System exceptions: what an ORB itself can report of a call.

use super::{Completion, ExceptionKind, Minor};
use armilla_cdr::CdrError;
use std::fmt;

/// A standard exception: what happened, why, and whether the operation was executed.
///
/// Equality compares what travels on the wire: kind, minor code and completion. The words beside
/// them are for people.
#[derive(Clone)]
pub struct SystemException {
    kind: ExceptionKind,
    completed: Completion,
    minor: Minor,
    story: Option<Box<Story>>,
}

/// What a person wants to know beyond the code.
#[derive(Debug, Clone, Default)]
struct Story {
    what: String,
    hint: Option<String>,
}

impl SystemException {
    /// An exception of `kind`.
    #[cold]
    pub const fn new(kind: ExceptionKind, minor: Minor, completed: Completion) -> Self {
        Self { kind, completed, minor, story: None }
    }

    /// The same exception, told in words: what happened, where, how long it took.
    #[cold]
    #[must_use]
    pub fn because(mut self, what: impl Into<String>) -> Self {
        self.story.get_or_insert_default().what = what.into();
        self
    }

    /// The same exception with advice on what to do.
    #[cold]
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.story.get_or_insert_default().hint = Some(hint.into());
        self
    }

    /// Which of the standard exceptions it is.
    pub const fn kind(&self) -> ExceptionKind {
        self.kind
    }

    /// Its minor code.
    pub const fn minor(&self) -> Minor {
        self.minor
    }

    /// Whether the operation was executed.
    pub const fn completed(&self) -> Completion {
        self.completed
    }

    /// The same exception with a hint that names the reference as the user gave it, where nothing
    /// better is known.
    #[cold]
    #[must_use]
    pub(crate) fn about(mut self, url: &str) -> Self {
        let short: String = url.chars().take(80).collect();
        let story = self.story.get_or_insert_default();
        story.hint.get_or_insert_with(|| format!("the reference came from {short}"));
        self
    }

    /// The same exception, which came from `server` as the answer to `operation`.
    #[cold]
    #[must_use]
    pub(crate) fn said_by(self, server: &impl fmt::Display, operation: &str) -> Self {
        let reason = match self.minor {
            minor if minor == Minor::default() => self.kind.meaning().to_owned(),
            minor => format!("{}: {minor}", self.kind.meaning()),
        };
        self.because(format!("{server} answered {operation}: {reason}"))
    }

    /// A value could not be encoded.
    #[cold]
    pub(crate) fn encoding(error: &CdrError, completed: Completion) -> Self {
        let kind = match error.is_conversion() {
            true => ExceptionKind::DataConversion,
            false => ExceptionKind::BadParam,
        };
        Self::new(kind, Minor::ENCODING, completed).because(error.to_string())
    }

    /// A value could not be decoded.
    #[cold]
    pub(crate) fn decoding(error: &CdrError, completed: Completion) -> Self {
        let kind = match error.is_conversion() {
            true => ExceptionKind::DataConversion,
            false => ExceptionKind::Marshal,
        };
        Self::new(kind, Minor::DECODING, completed).because(error.to_string())
    }

    /// A parameter of a local call is wrong.
    #[cold]
    pub(crate) fn bad_param(minor: Minor, what: impl Into<String>) -> Self {
        Self::new(ExceptionKind::BadParam, minor, Completion::No).because(what)
    }

    /// No object is active under a key.
    #[cold]
    pub(crate) const fn object_not_exist() -> Self {
        Self::new(ExceptionKind::ObjectNotExist, Minor::NOT_ACTIVE, Completion::No)
    }
}

impl PartialEq for SystemException {
    fn eq(&self, other: &Self) -> bool {
        let wire = |e: &Self| (e.kind, e.minor, e.completed);
        wire(self) == wire(other)
    }
}

impl Eq for SystemException {}

impl fmt::Display for SystemException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.kind)?;
        match &self.story {
            Some(story) if !story.what.is_empty() => f.write_str(&story.what)?,
            _ => f.write_str(self.kind.meaning())?,
        }
        match (&self.story, self.minor) {
            (None, minor) if minor != Minor::default() => write!(f, " ({minor};")?,
            _ => f.write_str(" (")?,
        }
        write!(f, "{})", self.completed)?;
        match self.story.as_ref().and_then(|story| story.hint.as_ref()) {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for SystemException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SystemException {}
