//! Why a channel refuses something.

use crate::corba::{InvalidQos, InvalidSubscription, LimitReached};
use armilla::{Completion, Error, ExceptionKind, Minor, SystemException};
use std::fmt;

/// Why a channel refuses a consumer or a supplier.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum EventError {
    /// The subscription makes no sense, and why.
    Subscription(String),
    /// A quality of service that cannot be had, and why.
    Qos(String),
    /// A bound of the channel.
    Limit(String),
    /// A network cannot be used, and why.
    Network(String),
    /// The channel has been destroyed.
    Ended,
    /// A call of another object failed.
    System(SystemException),
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subscription(reason) => write!(f, "the subscription: {reason}"),
            Self::Qos(reason) => write!(f, "the quality of service: {reason}"),
            Self::Limit(reason) => write!(f, "a limit of the event channel: {reason}"),
            Self::Network(reason) => write!(f, "the network of an event channel: {reason}"),
            Self::Ended => f.write_str("the event channel has been destroyed"),
            Self::System(exception) => exception.fmt(f),
        }
    }
}

impl std::error::Error for EventError {}

impl From<InvalidSubscription> for EventError {
    fn from(invalid: InvalidSubscription) -> Self {
        Self::Subscription(invalid.reason)
    }
}

impl From<InvalidQos> for EventError {
    fn from(invalid: InvalidQos) -> Self {
        Self::Qos(invalid.reason)
    }
}

impl From<SystemException> for EventError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl From<EventError> for SystemException {
    fn from(error: EventError) -> Self {
        let kind = match error {
            EventError::System(exception) => return exception,
            EventError::Subscription(_) | EventError::Qos(_) => ExceptionKind::BadParam,
            EventError::Limit(_) => ExceptionKind::ImpLimit,
            EventError::Network(_) => ExceptionKind::CommFailure,
            EventError::Ended => ExceptionKind::ObjectNotExist,
        };
        system(kind, error.to_string())
    }
}

impl<E> From<EventError> for Error<E>
where
    E: From<InvalidSubscription> + From<InvalidQos> + From<LimitReached>,
{
    fn from(error: EventError) -> Self {
        match error {
            EventError::Subscription(reason) => Self::User(InvalidSubscription { reason }.into()),
            EventError::Qos(reason) => Self::User(InvalidQos { reason }.into()),
            EventError::Limit(reason) => Self::User(LimitReached { reason }.into()),
            other => Self::System(other.into()),
        }
    }
}

/// A system exception of this kind: nothing was done.
#[cold]
pub(crate) fn system(kind: ExceptionKind, what: impl Into<String>) -> SystemException {
    SystemException::new(kind, Minor::default(), Completion::No).with_reason(what.into())
}
