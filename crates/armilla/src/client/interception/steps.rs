//! How an attempt ended, as interceptors see it, and what follows from what they make of it.

use crate::client::invocation::Step;
use crate::exception::SystemException;
use crate::interception::{Contexts, Outcome};
use armilla_cdr::{CdrResult, Decoder};
use armilla_giop::ior::Ior;
use armilla_giop::{ReplyStatus, ResponseFlags};

/// The end of an attempt.
pub(crate) struct Ended {
    /// The next step of the call, and the repository id of the user exception in the reply. The id
    /// is set only if interceptors see the call.
    pub(crate) step: Result<(Step, Option<String>), SystemException>,
    /// The service contexts of the reply.
    pub(crate) contexts: Contexts,
}

impl From<SystemException> for Ended {
    fn from(exception: SystemException) -> Self {
        Self { step: Err(exception), contexts: Contexts::default() }
    }
}

/// The repository id of the user exception in `input`; `None` for any other status.
pub(crate) fn user_exception_id(
    status: ReplyStatus,
    input: &Decoder<'_>,
) -> CdrResult<Option<String>> {
    match status {
        ReplyStatus::UserException => Ok(Some(input.clone().string()?.into_owned())),
        _ => Ok(None),
    }
}

impl Outcome {
    /// Converts a step into the outcome that interceptors see. Returns the reference of a permanent
    /// forward separately, because interceptors do not distinguish it from another forward.
    pub(super) fn of(
        step: Result<(Step, Option<String>), SystemException>,
        response: ResponseFlags,
    ) -> (Self, Option<Ior>) {
        let outcome = match step {
            Err(exception) => Self::SystemException(exception),
            Ok((Step::Again, _)) => Self::Retry,
            Ok((Step::Forward { ior, permanent: false }, _)) => Self::Forward(*ior),
            Ok((Step::Forward { ior, permanent: true }, _)) => {
                return (Self::Forward((*ior).clone()), Some(*ior));
            }
            Ok((Step::Done(()), Some(id))) => Self::UserException(id),
            Ok((Step::Done(()), None)) if response.response_expected() => Self::Reply,
            Ok((Step::Done(()), None)) => Self::Sent,
        };
        (outcome, None)
    }

    /// Converts the outcome into a step. `permanent` is the reference of a permanent forward by the
    /// server.
    ///
    /// # Errors
    /// The system exception that the call ends with.
    pub(super) fn into_step(self, permanent: Option<Ior>) -> Result<Step, SystemException> {
        match self {
            Self::Reply | Self::Sent | Self::UserException(_) => Ok(Step::Done(())),
            Self::SystemException(exception) => Err(exception),
            Self::Forward(ior) => {
                let permanent = permanent.as_ref() == Some(&ior);
                Ok(Step::Forward { ior: ior.into(), permanent })
            }
            Self::Retry => Ok(Step::Again),
        }
    }
}
