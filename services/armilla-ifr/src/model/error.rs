//! Violations of the rules of the repository.

use super::MAX_DEFINITIONS;
use armilla::dynamic::TypeCodeError;
use armilla::{Completion, ExceptionKind, Minor, SystemException};
use std::fmt;

/// The result of functions of the model.
pub type Result<T = (), E = ModelError> = std::result::Result<T, E>;

/// A violation of the rules of the repository (CORBA 3.4 Part 1, 14.5).
///
/// # Examples
/// ```
/// use armilla::{ExceptionKind, SystemException};
/// use armilla_ifr::model::ModelError;
///
/// let exception = SystemException::from(ModelError::NameTaken("Bank".into()));
/// assert_eq!(exception.kind(), ExceptionKind::BadParam);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelError {
    /// The definition was destroyed.
    Destroyed,
    /// A repository id belongs to another definition.
    IdTaken(String),
    /// The container has a definition with this name.
    NameTaken(String),
    /// The container cannot hold this kind of definition.
    NotAContainer,
    /// A base has an operation or attribute with this name.
    NameInherited(String),
    /// A oneway operation has a result, `out` parameters or exceptions.
    Oneway,
    /// The definition to destroy or change is in use; the string names a user.
    Needed(String),
    /// The repository and the basic types cannot be destroyed.
    Indestructible,
    /// A type, a name or a repository id is invalid.
    Type(TypeCodeError),
    /// The repository holds the maximum number of definitions.
    Full,
    /// A type exceeds the size or nesting that a TypeCode may have.
    Limit(String),
    /// An argument is invalid; the string gives the reason.
    Invalid(String),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Destroyed => f.write_str("the definition was destroyed"),
            Self::IdTaken(id) => write!(f, "the repository has a definition {id} already"),
            Self::NameTaken(name) => write!(f, "the container has a definition {name} already"),
            Self::NotAContainer => f.write_str("the container cannot hold the definition"),
            Self::NameInherited(name) => write!(f, "the definition {name} is inherited"),
            Self::Oneway => {
                f.write_str("a oneway operation has no result, no out parameters, no exceptions")
            }
            Self::Needed(by) => write!(f, "{by} uses the definition"),
            Self::Indestructible => {
                f.write_str("the repository and the basic types cannot be changed or destroyed")
            }
            Self::Type(error) => error.fmt(f),
            Self::Full => {
                write!(f, "the repository holds {MAX_DEFINITIONS} definitions: destroy some first")
            }
            Self::Limit(what) | Self::Invalid(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for ModelError {}

impl From<TypeCodeError> for ModelError {
    fn from(error: TypeCodeError) -> Self {
        Self::Type(error)
    }
}

impl From<ModelError> for SystemException {
    /// The exceptions of CORBA 3.4 Part 1, 14.5.
    fn from(error: ModelError) -> Self {
        let (kind, minor) = match error {
            ModelError::Destroyed => (ExceptionKind::ObjectNotExist, Minor::default()),
            ModelError::IdTaken(_) => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_REPOSITORY_ID_EXISTS)
            }
            ModelError::NameTaken(_) => (ExceptionKind::BadParam, Minor::BAD_PARAM_NAME_EXISTS),
            ModelError::NotAContainer => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_CONTAINER)
            }
            ModelError::NameInherited(_) => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INHERITED_NAME_EXISTS)
            }
            ModelError::Oneway => (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_ONEWAY),
            ModelError::Needed(_) => {
                (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_DEPENDENCY_EXISTS)
            }
            ModelError::Indestructible => {
                (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_INDESTRUCTIBLE_OBJECT)
            }
            ModelError::Type(error) => return error.into(),
            ModelError::Full | ModelError::Limit(_) => (ExceptionKind::ImpLimit, Minor::default()),
            ModelError::Invalid(_) => (ExceptionKind::BadParam, Minor::default()),
        };
        Self::new(kind, minor, Completion::No).with_reason(error.to_string())
    }
}
