//! How an interceptor ends a request itself.

use crate::client::Object;
use crate::exception::SystemException;
use crate::interception::Outcome;

/// Why an interceptor does not let a request go its way.
#[derive(Debug, Clone)]
pub enum Interruption {
    /// The request ends with this exception. Its completion status must be true: before the servant
    /// was called `COMPLETED_NO`, after it returned `COMPLETED_YES`.
    Exception(SystemException),
    /// The request shall be made of this object instead: the specification's `ForwardRequest`.
    Forward(Object),
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
