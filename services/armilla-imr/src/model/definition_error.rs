//! Why a definition is not accepted.

use std::error::Error;
use std::fmt;

/// A definition that is not accepted, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionError(String);

impl DefinitionError {
    pub(crate) const fn new(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for DefinitionError {}
