//! What the repository refuses to do.

use super::MAX_DEFINITIONS;
use armilla::dynamic::TypeCodeError;
use armilla::{Completion, ExceptionKind, Minor, SystemException};
use std::fmt;

/// What the functions of the model return.
pub type Result<T = (), E = ModelError> = std::result::Result<T, E>;

/// Why the repository refuses something.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelError {
    /// The definition was destroyed.
    Destroyed,
    /// A repository id belongs to another definition.
    IdTaken(String),
    /// The container has something of this name.
    NameTaken(String),
    /// The definition cannot stand there.
    NotAContainer,
    /// What is inherited has something of this name.
    NameInherited(String),
    /// A oneway operation returns something or raises exceptions.
    Oneway,
    /// Other definitions need the one that was to be destroyed or changed; one of them is named.
    Needed(String),
    /// The repository and the basic types stay.
    Indestructible,
    /// A type cannot exist, or a name or a repository id is none.
    Type(TypeCodeError),
    /// The repository holds as many definitions as it may.
    Full,
    /// A type is larger or nested deeper than others could read.
    Limit(String),
    /// Something is given that is not what it should be.
    Invalid(String),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Destroyed => f.write_str("the definition was destroyed"),
            Self::IdTaken(id) => write!(f, "the repository has a definition {id} already"),
            Self::NameTaken(name) => write!(f, "the container has a definition {name} already"),
            Self::NotAContainer => f.write_str("the definition cannot stand there"),
            Self::NameInherited(name) => write!(f, "a definition {name} is inherited"),
            Self::Oneway => {
                f.write_str("a oneway operation has no result, no out parameters, no exceptions")
            }
            Self::Needed(by) => write!(f, "{by} needs the definition"),
            Self::Indestructible => f.write_str("the repository and the basic types stay"),
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

/// The vendor number of the minor codes that the specification defines.
const OMG: u32 = 0x4f4d_0000;

impl From<ModelError> for SystemException {
    /// The exceptions that CORBA 3.4 Part 1, 14.5 has for it.
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
        Self::new(kind, minor, Completion::No).because(error.to_string())
    }
}
