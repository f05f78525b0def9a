//! How an interceptor ends or forwards a request.

use crate::client::Object;
use crate::exception::SystemException;
use crate::interception::Outcome;

/// The reason why an interceptor stops a request.
#[derive(Debug, Clone)]
pub enum Interruption {
    /// The request ends with this exception. Its completion status must be correct: `COMPLETED_NO`
    /// before the servant was called, `COMPLETED_YES` after it returned.
    Exception(SystemException),
    /// The request is sent to this object instead: the specification's `ForwardRequest`.
    Forward(Object),
}

impl Interruption {
    /// The same interruption, when the request [may have been
    /// executed](SystemException::after_entry).
    pub(crate) fn after_entry(self) -> Self {
        match self {
            Self::Exception(exception) => Self::Exception(exception.after_entry()),
            forward => forward,
        }
    }

    /// The same interruption, when the request [was not executed](SystemException::before_entry).
    pub(crate) fn before_entry(self) -> Self {
        match self {
            Self::Exception(exception) => Self::Exception(exception.before_entry()),
            forward => forward,
        }
    }
}

impl From<SystemException> for Interruption {
    fn from(exception: SystemException) -> Self {
        Self::Exception(exception)
    }
}

impl From<Interruption> for Outcome {
    fn from(interruption: Interruption) -> Self {
        match interruption {
            Interruption::Exception(exception) => Self::SystemException(exception),
            Interruption::Forward(object) => Self::Forward(object.ior()),
        }
    }
}
