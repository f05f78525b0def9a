//! Calls of objects of this process that go through their POA: as requests that never leave memory.

use super::call::{Arguments, Finish, call as call_elsewhere, no_reply};
use super::operation::Operation;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException, decode_system};
use crate::object::{Object, Reference};
use crate::orb::Orb;
use crate::server::serve_here;
use armilla_cdr::{ByteOrder, CodeSet, CodeSets, Decode, Encoder};
use armilla_giop::ior::Ior;
use armilla_giop::{
    Message, MessageHeader, OutgoingRequest, ReplyStatus, ResponseFlags, TargetAddress, Version,
    begin_request, decode_reply, put_body,
};
use std::sync::Arc;

/// In what characters travel from a process to itself.
const CODE_SETS: CodeSets = CodeSets::with_utf_16(CodeSet::Utf8);

const VERSION: Version = Version::V1_2;

/// How many octets a request mostly takes at most: its memory need not grow then, whatever the lengths
/// of the names in it.
const USUAL: usize = 512;

/// Calls an object of this process, and follows where servant managers send the call.
#[cold]
pub(super) fn call<'p>(
    object: &Object,
    reference: &Arc<Reference>,
    operation: Operation<'_>,
    response: ResponseFlags,
    arguments: Arguments<'_, 'p>,
    finish: Finish<'_>,
) -> Result<(), SystemException> {
    let orb = &reference.orb;
    let mut key = reference.local_key().unwrap_or_default();
    for _ in 0..=orb.settings().max_forwards {
        let request = encode(&key, operation, response, arguments)?;
        let Ok(Some(message)) = Message::parse(&request) else { return Err(no_reply()) };
        let reply = serve_here(orb, &message, CODE_SETS, object.timeout())?;
        if !response.response_expected() {
            return Ok(());
        }
        let undecodable = |error| SystemException::decoding(&error, Completion::Yes);
        let Ok(Some(message)) = Message::parse(&reply) else { return Err(no_reply()) };
        let (header, body) = decode_reply(&message).map_err(undecodable)?;
        let mut body = body.with_code_sets(CODE_SETS).with_context(orb);
        let ior = match header.status {
            ReplyStatus::NoException | ReplyStatus::UserException => {
                return finish(header.status, &mut body).map_err(undecodable);
            }
            ReplyStatus::SystemException => {
                return Err(decode_system(&header.contexts, &mut body).unwrap_or_else(undecodable));
            }
            _ => Ior::decode(&mut body).map_err(undecodable)?,
        };
        let target = Object::from_ior(orb, ior);
        match target.local_key().filter(|_| is_near(&target)) {
            Some(next) => key = next,
            None => return call_elsewhere(&target, operation, response, arguments, finish),
        }
    }
    Err(too_many_forwards(orb))
}

fn is_near(object: &Object) -> bool {
    object.reference().is_ok_and(|reference| reference.is_near())
}

/// The whole request as one message.
fn encode<'p>(
    key: &[u8],
    operation: Operation<'_>,
    response: ResponseFlags,
    arguments: Arguments<'_, 'p>,
) -> Result<Vec<u8>, SystemException> {
    let buffer = Vec::with_capacity(USUAL);
    let mut out = Encoder::with_code_sets(buffer, ByteOrder::NATIVE, CODE_SETS);
    let request = OutgoingRequest {
        request_id: 0,
        response,
        target: TargetAddress::Key(key),
        operation: operation.name,
        contexts: &[],
    };
    let body = |out: &mut Encoder<'p>| {
        out.truncate(0);
        begin_request(out, VERSION, &request)?;
        put_body(out, VERSION, |out| arguments(out))
    };
    body(&mut out)
        .or_else(|error| out.in_other_order(error, body))
        .map_err(|error| SystemException::encoding(&error, Completion::No))?;
    MessageHeader::finish(&mut out)
        .map_err(|error| SystemException::bad_param(Minor::MESSAGE_TOO_LARGE, error.to_string()))?;
    match out.as_contiguous() {
        Some(_) => Ok(out.into_buffer()),
        None => Ok(out.to_vec()),
    }
}

#[cold]
fn too_many_forwards(orb: &Orb) -> SystemException {
    let limit = orb.settings().max_forwards;
    let what =
        format!("servant managers forwarded the call more than {limit} times (max_forwards)");
    SystemException::new(ExceptionKind::Transient, Minor::TOO_MANY_FORWARDS, Completion::No)
        .because(what)
}
