//! Names that lead into contexts of other servers: those do the operation with the rest of the
//! name. No lock is held meanwhile.

use super::Names;
use super::exceptions::Failure;
use super::references::from_octets;
use crate::model::ReferenceOctets;
use armilla::{Completion, Error, SystemException};
use armilla_cos_naming::naming_context::CannotProceed;
use armilla_cos_naming::{NameComponent, NamingContextRef};

/// A context of another server, and the rest of the name that is left for it.
pub(super) struct Next<'n> {
    context: NamingContextRef,
    rest: &'n [NameComponent],
}

impl Names {
    /// The next context for the last `rest` components of a name.
    pub(super) fn next<'n>(
        &self,
        context: &ReferenceOctets,
        name: &'n [NameComponent],
        rest: usize,
    ) -> Result<Next<'n>, SystemException> {
        let context: NamingContextRef = from_octets(&self.orb, context)?.assume();
        let context = context.with_timeout(self.foreign_timeout);
        Ok(Next { context, rest: &name[name.len().saturating_sub(rest)..] })
    }
}

impl Next<'_> {
    /// Lets the next context do the operation. If that has certainly not begun, the client gets
    /// `CannotProceed`, and may go on at that context.
    pub(super) fn go_on<T, E: From<CannotProceed>>(
        self,
        operation: impl FnOnce(&NamingContextRef, &[NameComponent]) -> Result<T, Error<E>>,
    ) -> Result<T, Error<E>> {
        operation(&self.context, self.rest).map_err(|error| match error {
            Error::System(exception) if exception.completed() == Completion::No => {
                let rest_of_name = self.rest.to_vec();
                Error::User(CannotProceed { cxt: self.context, rest_of_name }.into())
            }
            error => error,
        })
    }
}

/// What an operation did: something here, or it is the turn of another context.
pub(super) enum Step<'n, T> {
    Done(T),
    Next(Next<'n>),
}

/// The result of the local part of an operation.
pub(super) type Local<'n, T> = Result<Step<'n, T>, Failure>;
