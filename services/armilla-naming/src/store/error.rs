//! Why a store cannot be changed.

use crate::model::NamingError;
use armilla_store::StoreError;
use std::fmt;

/// Why a change did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeError {
    /// The rules of the naming service.
    Naming(NamingError),
    /// It could not be made durable.
    Store(StoreError),
}

impl From<NamingError> for ChangeError {
    fn from(error: NamingError) -> Self {
        Self::Naming(error)
    }
}

impl From<StoreError> for ChangeError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Naming(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ChangeError {}
