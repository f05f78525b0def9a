//! How requests end, and the call of an interceptor that may panic.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use armilla_giop::ior::Ior;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a request ended, or an attempt at it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Outcome {
    /// With a reply.
    Reply,
    /// With nothing, since no reply is expected: the request was handed over, or served.
    Sent,
    /// With the user exception that has this repository id.
    UserException(String),
    /// With a system exception.
    SystemException(SystemException),
    /// Not yet: it goes to another object.
    Forward(Ior),
    /// Not yet: it is tried again.
    Retry,
}

/// The status of a reply, as the specification numbers it (CORBA 3.4 Part 1, 16.3.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum ReplyStatus {
    /// The operation was executed.
    Successful = 0,
    /// It ended with a system exception.
    SystemException = 1,
    /// It ended with a user exception.
    UserException = 2,
    /// The request goes to another object.
    LocationForward = 3,
    /// The request is tried again.
    TransportRetry = 4,
    /// It is not known, and never will be: no reply is expected.
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

    /// The repository id of the exception, if it is one.
    pub fn exception_id(&self) -> Option<&str> {
        match self {
            Self::UserException(id) => Some(id),
            Self::SystemException(exception) => Some(exception.kind().repository_id()),
            _ => None,
        }
    }
}

/// Calls a point of an interceptor. One that panics has raised `UNKNOWN`, as a servant has that does,
/// so that the request ends for all who wait for it, and those before the interceptor hear how.
pub(crate) fn heard<E: From<SystemException>>(
    interceptor: &str,
    completed: Completion,
    point: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    catch_unwind(AssertUnwindSafe(point)).unwrap_or_else(|_| {
        report!(error, "an interceptor panicked", interceptor = interceptor);
        let what = format!("the interceptor {interceptor:?} panicked");
        let raised =
            SystemException::new(ExceptionKind::Unknown, Minor::SERVANT_PANICKED, completed);
        Err(raised.with_reason(what).into())
    })
}

/// Tells an interceptor of something that it can do nothing about, nor, when it panics, harm.
pub(crate) fn told(interceptor: &str, point: impl FnOnce()) {
    let point = || {
        point();
        Ok::<(), SystemException>(())
    };
    // Who panics has been reported.
    heard(interceptor, Completion::No, point).ok();
}

/// Which of the three ending points an outcome is for.
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
