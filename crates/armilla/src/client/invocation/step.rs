//! What comes of an attempt, and what the driver of a call does next.

use crate::client::reference::{AddedContext, Object, Reference, Route, Target};
use crate::exception::SystemException;
use armilla_giop::ior::Ior;
use std::time::Duration;

/// Where an attempt was made.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) reference: &'a Reference,
    /// The target, and the route that it is part of. `None` for an object of this process.
    pub(crate) remote: Option<(&'a Route, &'a Target)>,
    pub(crate) operation: &'a str,
}

impl At<'_> {
    /// The system exception that was raised there. One of another process names its server.
    pub(super) fn attribute(&self, raised: SystemException) -> SystemException {
        match self.remote {
            Some((_, target)) => {
                raised.attributed_to(&target.access.endpoint.address, self.operation)
            }
            None => raised,
        }
    }
}

/// The next step of a call after an attempt. Interceptors see it.
pub(crate) enum Step<T = ()> {
    /// The call has ended with this reply.
    Done(T),
    /// The call is forwarded to this reference, for now or for good.
    Forward { ior: Box<Ior>, permanent: bool },
    /// Another attempt follows.
    Again,
}

impl<T> Step<T> {
    /// The same step with another reply.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Done(reply) => Step::Done(change(reply)),
            Self::Forward { ior, permanent } => Step::Forward { ior, permanent },
            Self::Again => Step::Again,
        }
    }
}

/// What the driver of a call does next.
pub(crate) enum Action<T = ()> {
    /// It ends the call with this reply.
    Done(T),
    /// It makes an attempt where the call goes now.
    Send,
    /// It waits for this time, and then makes the attempt.
    Pause(Duration),
    /// The call goes through this reference from now on, and its requests carry this context, or
    /// the one that they had: the driver makes the attempt there.
    Go(Object, Option<AddedContext>),
}
