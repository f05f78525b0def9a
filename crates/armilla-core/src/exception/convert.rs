//! Errors of encoding and of TypeCodes as exceptions, so that `?` works on them.

use super::{Completion, Error, ExceptionKind, Minor, SystemException};
use armilla_cdr::CdrError;
use armilla_cdr::type_code::{TypeCodeError, TypeCodeErrorKind};

impl From<CdrError> for SystemException {
    /// A value that cannot be put into an `Any` or taken out of one: `BAD_PARAM`, or
    /// `DATA_CONVERSION` for text; nothing was sent.
    fn from(error: CdrError) -> Self {
        Self::encoding(&error, Completion::No)
    }
}

impl<E> From<CdrError> for Error<E> {
    /// The same error as a system exception, for operations with a `raises` clause.
    fn from(error: CdrError) -> Self {
        SystemException::from(error).into()
    }
}

impl From<TypeCodeError> for SystemException {
    /// `BAD_PARAM` or `BAD_TYPECODE` with the standard minor codes, `IMP_LIMIT` for a type that
    /// nests too deep.
    fn from(error: TypeCodeError) -> Self {
        let (kind, minor) = match error.kind {
            TypeCodeErrorKind::Name => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_TYPE_NAME)
            }
            TypeCodeErrorKind::RepositoryId => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_REPOSITORY_ID)
            }
            TypeCodeErrorKind::MemberName => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_MEMBER_NAME)
            }
            TypeCodeErrorKind::DuplicateLabel => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_DUPLICATE_LABEL)
            }
            TypeCodeErrorKind::LabelType => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INCOMPATIBLE_LABEL)
            }
            TypeCodeErrorKind::Discriminator => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_DISCRIMINATOR)
            }
            TypeCodeErrorKind::Member => {
                (ExceptionKind::BadTypecode, Minor::BAD_TYPECODE_INVALID_MEMBER)
            }
            TypeCodeErrorKind::TooDeep => (ExceptionKind::ImpLimit, Minor::default()),
            _ => (ExceptionKind::BadParam, Minor::default()),
        };
        Self::new(kind, minor, Completion::No).with_reason(error.what)
    }
}

impl<E> From<TypeCodeError> for Error<E> {
    /// The same error as a system exception, for operations with a `raises` clause.
    fn from(error: TypeCodeError) -> Self {
        SystemException::from(error).into()
    }
}
