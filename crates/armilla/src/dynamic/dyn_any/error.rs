//! The errors of dynamic values.

use super::shared::{MUST_TRUNCATE, NOT_DESCRIBED};
use crate::exception::{Completion, Error, ExceptionKind, Minor, SystemException};
use armilla_cdr::{CdrError, CdrErrorKind, TypeCodeKind};
use std::fmt;

/// An error of an operation on a [`DynAny`](super::DynAny).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DynAnyError {
    /// The operation is for another type: `TypeMismatch`.
    TypeMismatch {
        /// The type that the operation is for.
        wanted: &'static str,
        /// The kind of the type of the value, if it has one.
        found: Option<TypeCodeKind>,
    },
    /// A value is out of the range of the type, or the cursor is at no component: `InvalidValue`.
    InvalidValue(String),
    /// The type has no values: `InconsistentTypeCode`.
    InconsistentTypeCode(&'static str),
    /// Only a base of a valuetype is known, and the value must not be truncated: `MustTruncate`.
    MustTruncate,
    /// The value cannot be encoded or decoded.
    Encoding(CdrError),
}

impl DynAnyError {
    pub(super) fn invalid(what: impl Into<String>) -> Self {
        Self::InvalidValue(what.into())
    }

    /// The same error with the name of the component in which it occurred.
    #[cfg(feature = "json")]
    pub(super) fn within(self, part: &str) -> Self {
        Self::InvalidValue(format!("{part}: {self}"))
    }
}

impl fmt::Display for DynAnyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TypeMismatch { wanted, found: Some(found) } => {
                write!(f, "the value is of the kind {found:?}, which is not {wanted}")
            }
            Self::TypeMismatch { wanted, found: None } => write!(f, "the value is not {wanted}"),
            Self::InvalidValue(what) => f.write_str(what),
            Self::InconsistentTypeCode(what) => f.write_str(what),
            Self::MustTruncate => f.write_str(MUST_TRUNCATE),
            Self::Encoding(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DynAnyError {}

impl From<CdrError> for DynAnyError {
    fn from(error: CdrError) -> Self {
        match error.kind {
            CdrErrorKind::Invalid(NOT_DESCRIBED) => Self::InconsistentTypeCode(NOT_DESCRIBED),
            CdrErrorKind::Invalid(MUST_TRUNCATE) => Self::MustTruncate,
            _ => Self::Encoding(error),
        }
    }
}

impl From<DynAnyError> for SystemException {
    /// `BAD_PARAM`; nothing was sent.
    fn from(error: DynAnyError) -> Self {
        match error {
            DynAnyError::Encoding(error) => error.into(),
            error => Self::new(ExceptionKind::BadParam, Minor::BAD_ARGUMENT, Completion::No)
                .with_reason(error.to_string()),
        }
    }
}

impl<E> From<DynAnyError> for Error<E> {
    /// The same error as a system exception, for operations with a `raises` clause.
    fn from(error: DynAnyError) -> Self {
        SystemException::from(error).into()
    }
}
