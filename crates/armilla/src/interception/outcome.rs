//! The outcomes of requests, and calls of interceptors that guard against panics.

use crate::callbacks::guarded;
use crate::exception::{Completion, SystemException};
use crate::runtime::Orb;
use armilla_giop::ior::Ior;
use std::fmt;

/// The outcome of a request or of an attempt at it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Outcome {
    /// The operation returned normally.
    Reply,
    /// No reply is expected, and the request was sent or served.
    Sent,
    /// The user exception with this repository id.
    UserException(String),
    /// A system exception.
    SystemException(SystemException),
    /// Not final: the request is forwarded to another object.
    Forward(Ior),
    /// Not final: the request is sent again.
    Retry,
}

/// The reply status as the specification numbers it (CORBA 3.4 Part 1, 16.3.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum ReplyStatus {
    /// The operation returned normally.
    #[doc(alias = "SUCCESSFUL")]
    Successful = 0,
    /// A system exception was raised.
    #[doc(alias = "SYSTEM_EXCEPTION")]
    SystemException = 1,
    /// A user exception was raised.
    #[doc(alias = "USER_EXCEPTION")]
    UserException = 2,
    /// The request is forwarded to another object.
    #[doc(alias = "LOCATION_FORWARD")]
    LocationForward = 3,
    /// The request is sent again.
    #[doc(alias = "TRANSPORT_RETRY")]
    TransportRetry = 4,
    /// The status is and remains unknown, because no reply is expected.
    #[doc(alias = "UNKNOWN")]
    Unknown = 5,
}

impl Outcome {
    /// The status that an interceptor sees.
    pub const fn status(&self) -> ReplyStatus {
        match self {
            Self::Reply | Self::Sent => ReplyStatus::Successful,
            Self::UserException(_) => ReplyStatus::UserException,
            Self::SystemException(_) => ReplyStatus::SystemException,
            Self::Forward(_) => ReplyStatus::LocationForward,
            Self::Retry => ReplyStatus::TransportRetry,
        }
    }

    /// Whether the operation may have been executed.
    pub(crate) fn may_be_executed(&self) -> bool {
        match self {
            Self::Reply | Self::Sent | Self::UserException(_) => true,
            Self::SystemException(exception) => exception.completed() != Completion::No,
            Self::Forward(_) | Self::Retry => false,
        }
    }

    /// The repository id of the exception, if the outcome is one.
    pub fn exception_id(&self) -> Option<&str> {
        match self {
            Self::UserException(id) => Some(id),
            Self::SystemException(exception) => Some(exception.kind().repository_id()),
            _ => None,
        }
    }
}

/// Calls an interception point. A panic is converted to `UNKNOWN`, like that of a servant. The
/// request then ends normally for its caller, and the interceptors before this one see its end.
/// `name` is that of the interceptor, which is code of the program too.
pub(crate) fn call_point<'n, E: From<SystemException>>(
    orb: &Orb,
    name: impl Fn() -> &'n str,
    completed: Completion,
    point: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    orb.call_back(Interceptor(name), completed, point).unwrap_or_else(|raised| Err(raised.into()))
}

/// Calls a point of an interceptor that cannot fail. A panic has no effect.
pub(crate) fn notify<'n>(orb: &Orb, name: impl Fn() -> &'n str, point: impl FnOnce()) {
    // A panic is reported.
    orb.call_back(Interceptor(name), Completion::No, point).ok();
}

/// An interceptor, by its name.
pub(crate) struct Interceptor<N>(pub(crate) N);

impl<'n, N: Fn() -> &'n str> fmt::Display for Interceptor<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match guarded("the name of an interceptor", Completion::No, &self.0) {
            Ok(name) => write!(f, "the interceptor {name:?}"),
            Err(_) => f.write_str("an interceptor"),
        }
    }
}

/// The kind of ending point that an outcome leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Reply,
    Exception,
    Other,
}

impl Outcome {
    pub(crate) const fn end(&self) -> End {
        match self {
            Self::Reply => End::Reply,
            Self::UserException(_) | Self::SystemException(_) => End::Exception,
            Self::Sent | Self::Forward(_) | Self::Retry => End::Other,
        }
    }
}
