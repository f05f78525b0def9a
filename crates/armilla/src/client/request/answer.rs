//! The answer to a request, as the status of its reply tells: results, forwards and exceptions.

use crate::exception::{
    Completion, Error, ExceptionKind, Minor, Raises, SystemException, decode_system,
};
use crate::signature::Part;
use armilla_cdr::{CdrError, CdrErrorKind, CdrResult, Decode, Decoder, Encoder};
use armilla_giop::ior::Ior;
use armilla_giop::{AddressingDisposition, ReplyHeader, ReplyStatus};

/// The answer to a request.
pub(in crate::client) enum Answer<T = ()> {
    /// The results or a user exception; nothing if no reply is expected. The caller decodes them.
    Results(T),
    /// The server forwards the call or asks for another addressing mode.
    Forward(Box<Forward>),
    /// The server raised a system exception.
    Raised(SystemException),
}

/// The kinds of forward that a server may answer with.
pub(crate) enum Forward {
    /// LOCATION_FORWARD: the object is at this reference for now.
    To(Box<Ior>),
    /// LOCATION_FORWARD_PERM: the object is at this reference from now on.
    ForGood(Box<Ior>),
    /// NEEDS_ADDRESSING_MODE: the object stays; requests must address it in another way.
    Readdress(AddressingDisposition),
}

/// Whether a reply with this status brings results or a user exception.
#[inline(always)]
pub(in crate::client) const fn has_results(status: ReplyStatus) -> bool {
    matches!(status, ReplyStatus::NoException | ReplyStatus::UserException)
}

/// The values that the body of a reply with results or a user exception carries.
pub(in crate::client) const fn part(status: ReplyStatus) -> Part {
    match status {
        ReplyStatus::UserException => Part::Exception,
        _ => Part::Results,
    }
}

impl Answer {
    /// Reads the answer. Leaves results and user exceptions in `body`.
    pub(in crate::client) fn decode(
        header: &ReplyHeader<'_>,
        body: &mut Decoder<'_>,
    ) -> Result<Self, SystemException> {
        let decoded = match header.status {
            ReplyStatus::NoException | ReplyStatus::UserException => Ok(Self::Results(())),
            ReplyStatus::SystemException => decode_system(&header.contexts, body).map(Self::Raised),
            forward => decode_forward(forward, body).map(|forward| Self::Forward(forward.into())),
        };
        decoded.map_err(|error| undecodable(header.status, &error))
    }
}

impl<T> Answer<T> {
    /// The same answer with other results.
    pub(in crate::client) fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Self::Results(results) => Answer::Results(change(results)),
            Self::Forward(forward) => Answer::Forward(forward),
            Self::Raised(exception) => Answer::Raised(exception),
        }
    }
}

/// The exceptions of an operation that declares none.
pub(in crate::client) enum Undeclared {}

impl Raises for Undeclared {
    fn encode<'p>(&'p self, _out: &mut Encoder<'p>) -> CdrResult {
        match *self {}
    }

    fn decode(_id: &str, _input: &mut Decoder<'_>) -> CdrResult<Option<Self>> {
        Ok(None)
    }
}

#[cold]
pub(in crate::client) fn user_exception<E: Raises>(input: &mut Decoder<'_>) -> CdrResult<Error<E>> {
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
pub(crate) fn no_reply() -> SystemException {
    SystemException::new(ExceptionKind::Internal, Minor::default(), Completion::Maybe)
}

/// The exception of a request that the server answers with a LocateReply. It says nothing of the
/// request.
#[cold]
pub(in crate::client) fn wrong_reply() -> SystemException {
    let error = CdrError::new(CdrErrorKind::Invalid("a LocateReply instead of a Reply"));
    SystemException::decoding(&error, Completion::Maybe)
}

/// The exception of a reply whose body cannot be decoded. The status of the reply still says whether
/// the operation was executed.
#[cold]
pub(in crate::client) fn undecodable(status: ReplyStatus, error: &CdrError) -> SystemException {
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

fn decode_forward(status: ReplyStatus, body: &mut Decoder<'_>) -> CdrResult<Forward> {
    Ok(match status {
        ReplyStatus::LocationForwardPerm => Forward::ForGood(Ior::decode(body)?.into()),
        ReplyStatus::NeedsAddressingMode => {
            Forward::Readdress(AddressingDisposition::decode(body)?)
        }
        _ => Forward::To(Ior::decode(body)?.into()),
    })
}
