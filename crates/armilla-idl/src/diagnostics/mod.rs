//! Errors and warnings: [`Diagnostic`], and [`Diagnostics`], the list of them. `code` has the table
//! of codes, `render` and `json` the output formats.

mod code;
mod explain;
#[cfg(feature = "tools")]
mod json;
mod render;

pub use code::Code;

use crate::source::{Sources, Span};
use std::fmt;

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The source is not valid, or this version cannot compile it.
    Error,
    /// The source is valid but probably not what was meant.
    Warning,
}

/// A span with a note.
#[derive(Debug, Clone)]
pub struct Label {
    /// The span.
    pub span: Span,
    /// A few words; may be empty in a primary label.
    pub text: String,
}

/// One error or warning.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// The rule that is violated.
    pub code: Code,
    /// One plain sentence without a full stop.
    pub message: String,
    /// The primary label; `None` if the diagnostic is not about a source text.
    pub primary: Option<Label>,
    /// Further labels.
    pub secondary: Vec<Label>,
    /// Further explanations.
    pub notes: Vec<String>,
    /// How to fix it.
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
        self.add_secondary(span, text);
        self
    }

    pub(crate) fn add_secondary(&mut self, span: Span, text: impl Into<String>) {
        self.secondary.push(Label { span, text: text.into() });
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
///
/// ```
/// use armilla_idl::diagnostics::Severity;
/// use armilla_idl::{Options, parse_str};
///
/// let errors = parse_str("t.idl", "typedef Missing T;", &Options::new()).unwrap_err();
/// let error = errors.iter().next().unwrap();
/// assert_eq!((error.severity, error.code.as_str()), (Severity::Error, "E0401"));
/// let span = error.primary.as_ref().unwrap().span;
/// assert_eq!(errors.sources().snippet(span), "Missing");
/// assert_eq!(errors.sources().line_column(span), (1, 9));
/// ```
#[derive(Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    sources: Sources,
    /// The number of errors beyond [`MAX_ERRORS`], which are not in the list.
    suppressed: usize,
}

/// The maximum number of errors in one list. Further errors are only counted.
pub const MAX_ERRORS: usize = 50;

impl Diagnostics {
    /// The diagnostics in the order of their spans; files are in the order they were read.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// The number of errors, including those beyond [`MAX_ERRORS`].
    pub fn error_count(&self) -> usize {
        self.errors() + self.suppressed
    }

    /// Whether there is neither an error nor a warning.
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

    /// The diagnostic with this number, counted in the order of reports.
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Diagnostic> {
        self.list.get_mut(index)
    }

    /// Sorts the diagnostics by their primary spans.
    pub(crate) fn sort(&mut self) {
        let place = |d: &Diagnostic| d.primary.as_ref().map(|p| (p.span.file, p.span.start));
        self.list.sort_by_key(place);
    }

    /// Adds a secondary label to every diagnostic after the first `known` ones.
    pub(crate) fn explain_since(&mut self, known: usize, span: Span, text: &str) {
        for diagnostic in self.list.iter_mut().skip(known) {
            diagnostic.secondary.push(Label { span, text: text.to_owned() });
        }
    }

    /// Adds a fix to every diagnostic after the first `known` ones that has none.
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

/// Renders the diagnostics: `unwrap` in a build script shows them to a person.
impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Diagnostics {}
