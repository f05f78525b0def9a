//! What the compiler has to say about a source: [`Diagnostic`] and the list of them. How they look
//! is in `render`, their codes are in `code`.

mod code;
mod explain;
mod json;
mod render;

pub use code::Code;

use crate::source::{Sources, Span};
use std::fmt;

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The source is not valid, or this version cannot compile it.
    Error,
    /// The source is valid but probably not what was meant.
    Warning,
}

/// A place in the source with what is to be said about it.
#[derive(Debug, Clone)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// A few words; may be empty for the place a diagnostic is about.
    pub text: String,
}

/// One error or warning.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// Which rule it is about.
    pub code: Code,
    /// One plain sentence without a full stop.
    pub message: String,
    /// The place it is about; `None` if it is about no place in a source.
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// Facts that explain it.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(crate) fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        let primary = Some(Label { span, text: String::new() });
        Diagnostic { primary, ..Self::without_span(code, message) }
    }

    pub(crate) fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    pub(crate) fn without_span(code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    pub(crate) fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    pub(crate) fn secondary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// The errors and warnings of one compilation with the sources they point into.
#[derive(Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    sources: Sources,
    /// Errors that were found but are not in the list, because it is long enough.
    suppressed: usize,
}

/// How many errors one run reports; of those behind them it only tells the number.
pub const MAX_ERRORS: usize = 50;

impl Diagnostics {
    /// The diagnostics in the order of their places; files stand in the order they were read.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// How many errors there are, those beyond [`MAX_ERRORS`] included.
    pub fn error_count(&self) -> usize {
        self.errors() + self.suppressed
    }

    /// Whether there is nothing to say, not even a warning.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The sources that the diagnostics point into.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error && self.errors() >= MAX_ERRORS {
            self.suppressed += 1;
        } else if self.list.len() < 2 * MAX_ERRORS {
            self.list.push(diagnostic);
        }
    }

    /// Brings the diagnostics into the order of the places that they are about.
    pub(crate) fn sort(&mut self) {
        let place = |d: &Diagnostic| d.primary.as_ref().map(|p| (p.span.file, p.span.start));
        self.list.sort_by_key(place);
    }

    /// Adds a place to what was reported behind the first `known` diagnostics.
    pub(crate) fn explain_since(&mut self, known: usize, span: Span, text: &str) {
        for diagnostic in self.list.iter_mut().skip(known) {
            diagnostic.secondary.push(Label { span, text: text.to_owned() });
        }
    }

    /// Adds what helps to what was reported behind the first `known` diagnostics without any.
    pub(crate) fn help_since(&mut self, known: usize, help: &str) {
        for diagnostic in self.list.iter_mut().skip(known) {
            diagnostic.help.get_or_insert_with(|| help.to_owned());
        }
    }

    pub(crate) fn sources_mut(&mut self) -> &mut Sources {
        &mut self.sources
    }

    fn errors(&self) -> usize {
        self.list.iter().filter(|d| d.severity == Severity::Error).count()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

/// As they are shown: what `unwrap` prints in a build script is for a person too.
impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Diagnostics {}
