//! From a request to the servant.

use super::call::{DispatchError, ServerCall};
use super::connection::Connection;
use super::end::End;
use super::output::Owed;
use super::reply_port::ReplyPort;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::interceptor::{Outcome, ServerFlow};
use crate::log::report;
use crate::orb::{Found, lock};
use crate::poa::Activation;
use armilla_cdr::{ByteOrder, CodeSet, CodeSets, Decoder, Encode, Encoder};
use armilla_giop::{
    AddressingDisposition, CODE_SETS_CONTEXT, CodeSetContext, LocateRequest, LocateStatus, Message,
    MessageHeader, MessageKind, ReplyStatus, RequestHeader, begin_locate_reply,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Serves a request. An error means that the reply could not be sent.
#[inline(always)]
pub(super) fn request(
    connection: &Arc<Connection>,
    message: &Message<'_>,
    header: RequestHeader<'_>,
    body: Decoder<'_>,
    mut code_sets: CodeSets,
    buffer: &mut Vec<u8>,
) -> Result<(), End> {
    // How the request ends, where it does before its object was looked for.
    let mut stopped: Option<Box<Outcome>> = None;
    if !header.contexts.is_empty() {
        match take_code_sets(&header, connection, code_sets) {
            Ok(agreed) => code_sets = agreed,
            Err(exception) => stopped = Some(Box::new(Outcome::SystemException(exception))),
        }
    }
    let orb = &connection.orb;
    let arguments = body.with_code_sets(code_sets).with_context(orb);
    let flow = match orb.interceptors() {
        None => None,
        Some(_) => {
            let peer = connection.stream.peer();
            Some(ServerFlow::begin(orb, &header, peer, &mut stopped))
        }
    };
    let found = match &stopped {
        None => header.target.object_key().map_or(Found::Unnamed, |key| orb.find(key)),
        Some(_) => Found::Nothing,
    };
    let activation = match &found {
        Found::Object(activation) => activation.as_ref().filter(|a| a.is_active()),
        _ => None,
    };
    let servant = activation.map(|activation| &*activation.servant);
    let port = port(message, &header, code_sets, Owed::Now);
    let mut call = ServerCall::new(header, arguments, connection, port, buffer, servant, flow);
    let outcome = match (activation, &found, stopped) {
        (Some(activation), ..) => call_servant(activation, &mut call),
        (None, _, Some(stopped)) => call.end(*stopped),
        (None, Found::Elsewhere(ior), _) => call.end(Outcome::Forward(ior.clone())),
        (None, Found::Unnamed, _) => call
            .answer(ReplyStatus::NeedsAddressingMode, |out| AddressingDisposition::Key.encode(out)),
        (None, ..) => Err(SystemException::object_not_exist().into()),
    };
    let outcome = match outcome {
        Err(DispatchError::Exception(exception)) => call.raise(&exception),
        outcome => outcome,
    };
    call.settle();
    outcome.map_err(fatal)
}

/// Refuses a request, because too many of its client are in progress.
#[cold]
pub(super) fn refuse(
    connection: &Arc<Connection>,
    message: &Message<'_>,
    header: &RequestHeader<'_>,
    buffer: &mut Vec<u8>,
) -> Result<(), End> {
    let limit = connection.orb.settings().requests_in_progress;
    let what = format!("{limit} requests of one connection are in progress (requests_in_progress)");
    let exception =
        SystemException::new(ExceptionKind::Transient, Minor::TOO_MANY_REQUESTS, Completion::No)
            .because(what);
    report!(warn, "a request was refused", peer = connection.stream.peer(), why = exception);
    let port = port(message, header, CodeSets::UNAGREED, Owed::Nothing);
    let sent = port.raise(&mut None, connection, buffer, &exception);
    sent.map_err(|error| fatal(error.into()))?.map_err(End::from)
}

#[inline]
fn port(
    message: &Message<'_>,
    header: &RequestHeader<'_>,
    code_sets: CodeSets,
    owed: Owed,
) -> ReplyPort {
    let RequestHeader { request_id, response_expected, .. } = *header;
    ReplyPort { request_id, version: message.header.version, code_sets, response_expected, owed }
}

fn fatal(error: DispatchError) -> End {
    match error {
        DispatchError::Send(error) => error.into(),
        DispatchError::Exception(exception) => {
            End::Io(std::io::Error::other(format!("no reply could be made: {exception}")))
        }
    }
}

#[inline(always)]
fn call_servant(
    activation: &Arc<Activation>,
    call: &mut ServerCall<'_>,
) -> Result<(), DispatchError> {
    if let Err(interruption) = call.found(activation) {
        return call.end(interruption.into());
    }
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
    connection: &Connection,
    present: CodeSets,
) -> Result<CodeSets, SystemException> {
    let Some(data) = header.contexts.find(CODE_SETS_CONTEXT) else { return Ok(present) };
    let stated = CodeSetContext::decode(data)
        .map_err(|error| SystemException::decoding(&error, Completion::No))?;
    let code_sets = stated.code_sets().map_err(|id| {
        let what = format!("the client chose the code set {id:#010x}, which this server lacks");
        let kind = ExceptionKind::CodesetIncompatible;
        SystemException::new(kind, Minor::OMG_2, Completion::No).because(what)
    })?;
    lock(&connection.output).responder.set_code_sets(code_sets);
    Ok(code_sets)
}

/// Answers where an object is.
pub(super) fn locate(
    connection: &Arc<Connection>,
    message: &Message<'_>,
    request: &LocateRequest<'_>,
    buffer: &mut Vec<u8>,
) -> Result<(), End> {
    let key = request.target.object_key();
    let found = key.map_or(Found::Unnamed, |key| connection.orb.find(key));
    let memory = std::mem::take(buffer);
    let mut out = Encoder::with_buffer(memory, ByteOrder::NATIVE, CodeSet::default());
    out.truncate(0);
    let (status, ior) = match found {
        Found::Object(_) => (LocateStatus::ObjectHere, None),
        Found::Elsewhere(ior) => (LocateStatus::ObjectForward, Some(ior)),
        Found::Nothing => (LocateStatus::UnknownObject, None),
        Found::Unnamed => (LocateStatus::NeedsAddressingMode, None),
    };
    begin_locate_reply(&mut out, message.header.version, request.request_id, status);
    let body = match &ior {
        Some(ior) => ior.encode(&mut out),
        None if status == LocateStatus::NeedsAddressingMode => {
            AddressingDisposition::Key.encode(&mut out)
        }
        None => Ok(()),
    };
    let finished = body
        .map_err(|error| End::Malformed(MessageKind::LocateRequest, error))
        .and_then(|()| MessageHeader::finish(&mut out).map_err(End::Framing));
    let sent = finished.and_then(|()| connection.send(&out).map_err(End::from));
    *buffer = out.into_buffer();
    sent
}
