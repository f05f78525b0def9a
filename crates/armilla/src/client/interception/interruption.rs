//! How an interceptor ends or forwards a request.

use crate::client::reference::Object;
use crate::exception::SystemException;
use crate::interception::Outcome;

/// The reason why an interceptor stops a request.
///
/// ```
/// use armilla::Object;
/// use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
///
/// /// Sends the calls of read operations to a replica.
/// struct Replica(Object);
///
/// impl ClientInterceptor for Replica {
///     fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
///         let is_read = request.operation().starts_with("_get_");
///         match is_read && !request.target().is_equivalent(&self.0) {
///             true => Err(Interruption::Forward(self.0.clone())),
///             false => Ok(()),
///         }
///     }
/// }
/// ```
#[derive(Debug, Clone)]
pub enum Interruption {
    /// The request ends with this exception. Its completion status must be correct: `COMPLETED_NO`
    /// before the servant was called, `COMPLETED_YES` after it returned.
    Exception(SystemException),
    /// The request is sent to this object instead: the specification's `ForwardRequest`.
    #[doc(alias = "ForwardRequest")]
    Forward(Object),
}

impl Interruption {
    /// The same interruption, when the request [may have been
    /// executed](SystemException::after_execution).
    pub(crate) fn after_execution(self) -> Self {
        match self {
            Self::Exception(exception) => Self::Exception(exception.after_execution()),
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
