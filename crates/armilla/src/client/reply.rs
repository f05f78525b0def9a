//! The answer to a request: decoding replies, forwards and exceptions.

use super::invocation::{Forward, Step};
use crate::exception::{
    Completion, Error, ExceptionKind, Minor, Raises, SystemException, decode_system,
};
use armilla_cdr::{CdrError, CdrErrorKind, CdrResult, Decode, Decoder, Encoder};
use armilla_giop::ior::Ior;
use armilla_giop::{AddressingDisposition, ReplyHeader, ReplyStatus};

/// Takes the results or the user exception.
pub(crate) type Finish<'r> = &'r mut dyn FnMut(ReplyStatus, &mut Decoder<'_>) -> CdrResult;

/// The answer to a request.
pub(super) enum Answer {
    /// The reply was taken, or none was expected.
    Taken,
    /// The server forwards the call or asks for another addressing mode.
    Forward(Box<Forward>),
    /// The server raised a system exception.
    Raised(SystemException),
}

/// The exceptions of an operation that declares none.
pub(super) enum Undeclared {}

impl Raises for Undeclared {
    fn encode<'p>(&'p self, _out: &mut Encoder<'p>) -> CdrResult {
        match *self {}
    }

    fn decode(_id: &str, _input: &mut Decoder<'_>) -> CdrResult<Option<Self>> {
        Ok(None)
    }
}

#[cold]
pub(super) fn user_exception<E: Raises>(input: &mut Decoder<'_>) -> CdrResult<Error<E>> {
    let repository_id = input.string()?;
    Ok(match E::decode(&repository_id, input)? {
        Some(exception) => Error::User(exception),
        None => {
            let what = format!("the server raised {repository_id}, which the IDL does not declare");
            let (kind, minor) = (ExceptionKind::Unknown, Minor::UNKNOWN_UNLISTED_USER_EXCEPTION);
            Error::System(SystemException::new(kind, minor, Completion::Yes).with_reason(what))
        }
    })
}

#[cold]
pub(super) fn no_reply() -> SystemException {
    SystemException::new(ExceptionKind::Internal, Minor::default(), Completion::Maybe)
}

/// Takes a reply from an object of this process.
pub(crate) fn take_collocated_reply(
    header: &ReplyHeader<'_>,
    body: &mut Decoder<'_>,
    finish: Finish<'_>,
) -> Result<Step, SystemException> {
    match take_reply(header, body, finish) {
        Ok(Answer::Taken) => Ok(Step::Done),
        Ok(Answer::Forward(forward)) => Ok(Step::Forward(*forward)),
        Ok(Answer::Raised(exception)) => Err(exception),
        Err(exception) => Err(exception),
    }
}

#[inline(always)]
pub(super) fn take_reply(
    header: &ReplyHeader<'_>,
    body: &mut Decoder<'_>,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    let taken = match header.status {
        ReplyStatus::NoException | ReplyStatus::UserException => {
            finish(header.status, body).map(|()| Answer::Taken)
        }
        ReplyStatus::SystemException => decode_system(&header.contexts, body).map(Answer::Raised),
        _ => take_forward(header.status, body).map(|forward| Answer::Forward(forward.into())),
    };
    taken.map_err(|error| undecodable(header.status, &error))
}

/// The exception of a request that the server answers with a LocateReply. It says nothing of the
/// request.
#[cold]
pub(super) fn wrong_reply() -> SystemException {
    let error = CdrError::new(CdrErrorKind::Invalid("a LocateReply instead of a Reply"));
    SystemException::decoding(&error, Completion::Maybe)
}

/// The exception of a reply whose body cannot be decoded. The status of the reply still says whether
/// the operation was executed.
#[cold]
pub(super) fn undecodable(status: ReplyStatus, error: &CdrError) -> SystemException {
    let completed = match status {
        ReplyStatus::NoException | ReplyStatus::UserException => Completion::Yes,
        // The completion status is in the body.
        ReplyStatus::SystemException => Completion::Maybe,
        ReplyStatus::LocationForward
        | ReplyStatus::LocationForwardPerm
        | ReplyStatus::NeedsAddressingMode => Completion::No,
    };
    SystemException::decoding(error, completed).ending_call()
}

#[cold]
fn take_forward(status: ReplyStatus, body: &mut Decoder<'_>) -> CdrResult<Forward> {
    Ok(match status {
        ReplyStatus::LocationForwardPerm => Forward::ForGood(Ior::decode(body)?.into()),
        ReplyStatus::NeedsAddressingMode => {
            Forward::Readdress(AddressingDisposition::decode(body)?)
        }
        _ => Forward::To(Ior::decode(body)?.into()),
    })
}
