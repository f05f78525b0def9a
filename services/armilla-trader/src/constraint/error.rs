//! Errors of the languages, which point into the text.

use std::fmt;
use std::ops::Range;

/// Why a constraint or a preference is illegal, and where in its text.
///
/// Its `Display` shows the text with a mark below the place:
///
/// ```text
/// column 1: the service type has no property "pirce"
///   pirce < 10
///   ^^^^^
///   hint: it has "price"
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstraintError {
    text: Box<str>,
    place: Range<usize>,
    what: String,
    hint: Option<String>,
}

impl ConstraintError {
    pub(super) fn new(text: &str, place: Range<usize>, what: impl Into<String>) -> Self {
        Self { text: text.into(), place, what: what.into(), hint: None }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The column of the place, in characters from 1.
    pub fn column(&self) -> usize {
        self.text.get(..self.place.start).map_or(0, |before| before.chars().count()) + 1
    }

    /// What is wrong there.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What to write instead, if that can be told.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for ConstraintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text.is_empty() {
            return f.write_str(&self.what);
        }
        write!(f, "column {}: {}", self.column(), self.what)?;
        // A line break or a tab in the text would move the mark.
        let shown = |text: &str| text.chars().map(visible).collect::<String>();
        let width = self.text.get(self.place.clone()).map_or(0, |part| part.chars().count());
        let indent = self.column() + 1;
        write!(f, "\n  {}\n{:indent$}{}", shown(&self.text), "", "^".repeat(width.max(1)))?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

fn visible(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

impl std::error::Error for ConstraintError {}
