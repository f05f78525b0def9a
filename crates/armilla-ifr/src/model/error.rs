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

/// The vendor minor codeset id of the OMG.
const OMG: u32 = 0x4f4d_0000;

impl From<ModelError> for SystemException {
    /// The exceptions of CORBA 3.4 Part 1, 14.5.
    fn from(error: ModelError) -> Self {
        let (kind, minor) = match error {
            ModelError::Destroyed => (ExceptionKind::ObjectNotExist, 0),
            ModelError::IdTaken(_) => (ExceptionKind::BadParam, 2),
            ModelError::NameTaken(_) => (ExceptionKind::BadParam, 3),
            ModelError::NotAContainer => (ExceptionKind::BadParam, 4),
            ModelError::NameInherited(_) => (ExceptionKind::BadParam, 5),
            ModelError::Oneway => (ExceptionKind::BadParam, 31),
            ModelError::Needed(_) => (ExceptionKind::BadInvOrder, 1),
            ModelError::Indestructible => (ExceptionKind::BadInvOrder, 2),
            ModelError::Type(error) => return error.into(),
            ModelError::Full | ModelError::Limit(_) => (ExceptionKind::ImpLimit, 0),
            ModelError::Invalid(_) => (ExceptionKind::BadParam, 0),
        };
        let minor = if minor == 0 { Minor::default() } else { Minor(OMG | minor) };
        Self::new(kind, minor, Completion::No).with_reason(error.to_string())
    }
}
