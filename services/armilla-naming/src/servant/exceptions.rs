//! Errors of the model and of the store as the exceptions that operations raise.

use super::Names;
use crate::model::{NamingError, NotFoundReason as Reason};
use crate::store::ChangeError;
use armilla::{Completion, Error, ExceptionKind, Minor, SystemException};
use armilla_cos_naming::naming_context::*;
use armilla_cos_naming::naming_context_ext::{ResolveStrRaises, ToNameRaises, ToStringRaises};
use armilla_cos_naming::{NameComponent, NamingContextRef};

/// How an operation fails.
pub(super) enum Failure {
    NotFound(NotFound),
    CannotProceed(CannotProceed),
    InvalidName(InvalidName),
    AlreadyBound(AlreadyBound),
    NotEmpty(NotEmpty),
    System(SystemException),
}

impl From<SystemException> for Failure {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

/// Failures as the error of operations that declare these exceptions.
macro_rules! raises {
    ($($raises:ty: $($exception:ident)*;)*) => {$(
        impl From<Failure> for Error<$raises> {
            fn from(failure: Failure) -> Self {
                match failure {
                    $(Failure::$exception(exception) => exception.into(),)*
                    Failure::System(exception) => Self::System(exception),
                    #[allow(unreachable_patterns)]
                    _ => internal("an exception that the operation does not declare").into(),
                }
            }
        }
    )*};
}

raises! {
    BindRaises: NotFound CannotProceed InvalidName AlreadyBound;
    BindContextRaises: NotFound CannotProceed InvalidName AlreadyBound;
    BindNewContextRaises: NotFound CannotProceed InvalidName AlreadyBound;
    RebindRaises: NotFound CannotProceed InvalidName;
    RebindContextRaises: NotFound CannotProceed InvalidName;
    ResolveRaises: NotFound CannotProceed InvalidName;
    ResolveStrRaises: NotFound CannotProceed InvalidName;
    UnbindRaises: NotFound CannotProceed InvalidName;
    DestroyRaises: NotEmpty;
    ToNameRaises: InvalidName;
    ToStringRaises: InvalidName;
}

impl Names {
    /// The failure of an operation with this name.
    pub(super) fn failure(&self, error: NamingError, name: &[NameComponent]) -> Failure {
        let rest_of_name = |rest: usize| name[name.len().saturating_sub(rest)..].to_vec();
        match error {
            NamingError::NotFound { why, rest } => {
                let why = match why {
                    Reason::MissingNode => NotFoundReason::MissingNode,
                    Reason::NotContext => NotFoundReason::NotContext,
                    Reason::NotObject => NotFoundReason::NotObject,
                };
                Failure::NotFound(NotFound { why, rest_of_name: rest_of_name(rest) })
            }
            NamingError::DeadEnd { context, rest } => match self.context(context) {
                Ok(context) => cannot_proceed(context.assume(), rest_of_name(rest)),
                Err(exception) => exception.into(),
            },
            NamingError::InvalidName => Failure::InvalidName(InvalidName),
            NamingError::AlreadyBound => Failure::AlreadyBound(AlreadyBound),
            NamingError::NotEmpty => Failure::NotEmpty(NotEmpty),
            NamingError::Destroyed => destroyed(&error).into(),
            NamingError::Root | NamingError::Denied => {
                if error == NamingError::Denied {
                    let ids: Vec<&str> = name.iter().map(|component| &*component.id).collect();
                    let (client, name) = (self.client(), ids.join("/"));
                    tracing::warn!(%client, name, "the rules about names deny a call");
                }
                system(ExceptionKind::NoPermission, Completion::No, error.to_string()).into()
            }
            NamingError::Locked => {
                system(ExceptionKind::Transient, Completion::No, error.to_string()).into()
            }
            NamingError::Ended => {
                let kind = ExceptionKind::TransactionRolledback;
                system(kind, Completion::No, error.to_string()).into()
            }
            NamingError::Limit(what) => {
                system(ExceptionKind::ImpLimit, Completion::No, what).into()
            }
            NamingError::Share(what) => {
                let (kind, minor) = (ExceptionKind::NoResources, Minor::SHARE_USED_UP);
                let refused = SystemException::new(kind, minor, Completion::No).with_reason(what);
                refused.with_completed(Completion::No).into()
            }
        }
    }

    /// The failure of a change with this name.
    pub(super) fn change_failure(&self, error: ChangeError, name: &[NameComponent]) -> Failure {
        match error {
            ChangeError::Naming(error) => self.failure(error, name),
            ChangeError::Store(error) => {
                tracing::error!(%error, "a change was not stored");
                let completed =
                    if error.is_undecided() { Completion::Maybe } else { Completion::No };
                system(ExceptionKind::PersistStore, completed, error.to_string()).into()
            }
        }
    }
}

/// The failure of an operation without a `raises` clause.
pub(super) fn plain(failure: Failure) -> SystemException {
    match failure {
        Failure::System(exception) => exception,
        _ => destroyed(&NamingError::Destroyed),
    }
}

/// `CannotProceed`: the client may go on at `cxt` with the rest of the name.
pub(super) fn cannot_proceed(cxt: NamingContextRef, rest_of_name: Vec<NameComponent>) -> Failure {
    Failure::CannotProceed(CannotProceed { cxt, rest_of_name })
}

/// The exception for an object that was destroyed.
#[cold]
pub(super) fn destroyed(why: &dyn std::fmt::Display) -> SystemException {
    system(ExceptionKind::ObjectNotExist, Completion::No, why.to_string())
}

/// The exception for an object of a service that has ended.
#[cold]
pub(super) fn ended() -> SystemException {
    destroyed(&"the naming service has ended")
}

/// The exception for an argument that is nil or out of range.
#[cold]
pub(super) fn bad_param(what: &str) -> SystemException {
    system(ExceptionKind::BadParam, Completion::No, what.to_owned())
}

#[cold]
pub(super) fn internal(what: &str) -> SystemException {
    system(ExceptionKind::Internal, Completion::Maybe, what.to_owned())
}

fn system(kind: ExceptionKind, completed: Completion, what: String) -> SystemException {
    SystemException::new(kind, Minor::default(), completed).with_reason(what)
}
