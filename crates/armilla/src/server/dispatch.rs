//! From a request to the servant.

use super::call::{DispatchError, ServerCall};
use super::connection::End;
use super::reply_port::ReplyPort;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::orb::{Found, Orb};
use crate::poa::Activation;
use crate::wire::send;
use armilla_cdr::{ByteOrder, CodeSet, Encode, Encoder};
use armilla_giop::{
    CODE_SETS_CONTEXT, CodeSetContext, LocateStatus, Message, MessageHeader, MessageKind,
    ReplyStatus, RequestHeader, begin_locate_reply, decode_locate_request, decode_request,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Serves a request.
#[inline]
pub(super) fn request(orb: &Orb, message: &Message<'_>, reply: &mut ReplyPort) -> Result<(), End> {
    let malformed = |error| End::Malformed(MessageKind::Request, error);
    let (header, body) = decode_request(message).map_err(malformed)?;
    if !header.contexts.is_empty()
        && let Err(exception) = take_code_sets(&header, reply)
    {
        let mut call = ServerCall::new(header, message.header.version, body, reply, None);
        return call.raise(&exception).map_err(fatal);
    }
    let arguments = body.with_code_sets(reply.code_sets).with_context(orb);
    let found = header.target.object_key().map_or(Found::Nothing, |key| orb.find(key));
    let activation = match &found {
        Found::Object(activation) => activation.as_deref().filter(|a| a.is_active()),
        _ => None,
    };
    let servant = activation.map(|activation| &*activation.servant);
    let mut call = ServerCall::new(header, message.header.version, arguments, reply, servant);
    let outcome = match (activation, &found) {
        (Some(activation), _) => call_servant(activation, &mut call),
        (None, Found::Elsewhere(ior)) => {
            call.answer(ReplyStatus::LocationForward, |out| ior.encode(out))
        }
        (None, _) => Err(SystemException::object_not_exist().into()),
    };
    match outcome {
        Ok(()) => Ok(()),
        Err(DispatchError::Exception(exception)) => call.raise(&exception).map_err(fatal),
        Err(error) => Err(fatal(error)),
    }
}

fn fatal(error: DispatchError) -> End {
    match error {
        DispatchError::Send(error) => error.into(),
        DispatchError::Exception(exception) => {
            End::Io(std::io::Error::other(format!("no reply could be made: {exception}")))
        }
    }
}

#[inline]
fn call_servant(activation: &Activation, call: &mut ServerCall<'_>) -> Result<(), DispatchError> {
    let servant = &*activation.servant;
    catch_unwind(AssertUnwindSafe(|| servant.dispatch(call))).unwrap_or_else(|_| {
        report!(
            error,
            "the servant panicked",
            operation = format_args!("{:?}", call.operation()),
            object = format_args!("{:?}", activation.id),
        );
        let minor = Minor::PANICKED;
        Err(SystemException::new(ExceptionKind::Unknown, minor, Completion::Maybe).into())
    })
}

/// The client says in which code sets its characters are, and ours shall be.
#[cold]
fn take_code_sets(
    header: &RequestHeader<'_>,
    reply: &mut ReplyPort,
) -> Result<(), SystemException> {
    let Some(data) = header.contexts.find(CODE_SETS_CONTEXT) else { return Ok(()) };
    let stated = CodeSetContext::decode(data)
        .map_err(|error| SystemException::decoding(&error, Completion::No))?;
    reply.code_sets = stated.code_sets().map_err(|id| {
        let what = format!("the client chose the code set {id:#010x}, which this server lacks");
        let kind = ExceptionKind::CodesetIncompatible;
        SystemException::new(kind, Minor::OMG_2, Completion::No).because(what)
    })?;
    Ok(())
}

/// Answers where an object is.
pub(super) fn locate(orb: &Orb, message: &Message<'_>, reply: &mut ReplyPort) -> Result<(), End> {
    let malformed = |error| End::Malformed(MessageKind::LocateRequest, error);
    let request = decode_locate_request(message).map_err(malformed)?;
    let found = request.target.object_key().map_or(Found::Nothing, |key| orb.find(key));
    let buffer = std::mem::take(&mut reply.buffer);
    let mut out = Encoder::with_buffer(buffer, ByteOrder::NATIVE, CodeSet::default());
    out.truncate(0);
    let (status, ior) = match found {
        Found::Object(_) => (LocateStatus::ObjectHere, None),
        Found::Elsewhere(ior) => (LocateStatus::ObjectForward, Some(ior)),
        Found::Nothing => (LocateStatus::UnknownObject, None),
    };
    begin_locate_reply(&mut out, message.header.version, request.request_id, status);
    let body = ior.as_ref().map_or(Ok(()), |ior| ior.encode(&mut out));
    let finished = body
        .map_err(malformed)
        .and_then(|()| MessageHeader::finish(&mut out).map_err(End::Framing));
    let sent = finished.and_then(|()| send(&*reply.stream, &out, usize::MAX).map_err(End::from));
    reply.buffer = out.into_buffer();
    sent
}
