//! Calls of objects of this process that go through their POA: as requests that never leave memory.
//!
//! A thread keeps the memory for them from one to the next; a call within a call has its own.

use super::call::{Arguments, Finish, call as call_elsewhere, no_reply};
use super::deadline::Wait;
use super::operation::Operation;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException, decode_system};
use crate::object::{Object, Reference};
use crate::orb::Orb;
use crate::server::{ReplyBuffer, serve_collocated};
use armilla_cdr::{Buffer, ByteOrder, CodeSet, CodeSets, Decode, Decoder, Encoder};
use armilla_giop::ior::Ior;
use armilla_giop::{
    Message, MessageHeader, OutgoingRequest, ReplyHeader, ReplyStatus, ResponseFlags,
    TargetAddress, Version, begin_request, decode_reply, put_body,
};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

/// The code sets of octets that do not leave the process: those of Rust's own texts.
pub(crate) const CODE_SETS: CodeSets = CodeSets::with_utf_16(CodeSet::Utf8);

const VERSION: Version = Version::V1_2;

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
    let mut limit = object.reply_limit(orb.settings());
    let mut waiting = None;
    let mut key = reference.local_key().unwrap_or_default();
    for _ in 0..=orb.settings().max_forwards {
        let request = OutgoingRequest {
            request_id: 0,
            response,
            target: TargetAddress::Key(&key),
            operation: operation.name,
            contexts: &[],
        };
        let take =
            |header: &ReplyHeader<'_>, body: &mut Decoder<'_>| take(header, body, &mut *finish);
        let forward = exchange(orb, &request, arguments, limit, take)?;
        let Some(ior) = forward.flatten() else { return Ok(()) };
        // Few calls are sent elsewhere: the others need no look at the clock.
        let waiting = waiting.get_or_insert_with(|| Wait::of(limit));
        limit = waiting.left().unwrap_or(Some(Duration::ZERO));
        let target = object.with_reference(Object::from_ior(orb, ior));
        match target.local_key().filter(|_| is_near(&target)) {
            Some(next) => key = next,
            None => return call_elsewhere(&target, operation, response, arguments, finish),
        }
    }
    Err(too_many_forwards(orb))
}

/// Takes a reply; gives where the call is to be made instead, if it is.
fn take(
    header: &ReplyHeader<'_>,
    body: &mut Decoder<'_>,
    finish: Finish<'_>,
) -> Result<Option<Ior>, SystemException> {
    match header.status {
        ReplyStatus::NoException | ReplyStatus::UserException => {
            finish(header.status, body).map(|()| None)
        }
        ReplyStatus::SystemException => {
            let raised = decode_system(&header.contexts, body);
            return Err(raised.unwrap_or_else(|error| undecodable(&error)));
        }
        _ => Ior::decode(body).map(Some),
    }
    .map_err(|error| undecodable(&error))
}

/// Makes a request of this process, and hands its reply, if one is expected, to `take`.
pub(crate) fn exchange<'p, R>(
    orb: &Orb,
    request: &OutgoingRequest<'_>,
    arguments: Arguments<'_, 'p>,
    limit: Option<Duration>,
    take: impl FnOnce(&ReplyHeader<'_>, &mut Decoder<'_>) -> Result<R, SystemException>,
) -> Result<Option<R>, SystemException> {
    let mut kept = KEPT.try_with(Cell::take).unwrap_or_default();
    let mut out = Encoder::with_reused_buffer(
        std::mem::take(&mut kept.request),
        ByteOrder::NATIVE,
        CODE_SETS,
    );
    encode(&mut out, request, arguments)?;
    let gathered;
    let octets = match out.as_contiguous() {
        Some(octets) => octets,
        None => {
            gathered = out.to_vec();
            &gathered
        }
    };
    let reply = serve_collocated(orb, &parse(octets)?, CODE_SETS, limit, &mut kept.reply_buffer)?;
    kept.request = out.take_buffer();
    let mut taken = None;
    if request.response.response_expected() {
        let decoded = decode_reply(&parse(&reply)?);
        let (header, body) = decoded.map_err(|error| undecodable(&error))?;
        taken = Some(take(&header, &mut body.with_code_sets(CODE_SETS).with_context(orb))?);
    }
    kept.reply_buffer.take_back(reply);
    kept.keep();
    Ok(taken)
}

/// Buffer for a call within the process.
#[derive(Default)]
struct Kept {
    request: Buffer,
    reply_buffer: ReplyBuffer,
}

thread_local! {
    static KEPT: Cell<Kept> = Cell::default();
}

/// How much memory a thread keeps at most, in octets.
const MOST_KEPT: usize = 64 << 10;

impl Kept {
    fn keep(self) {
        if self.request.capacity() + self.reply_buffer.capacity() <= MOST_KEPT {
            // In a thread that is ending nothing is kept.
            KEPT.try_with(|kept| kept.set(self)).ok();
        }
    }
}

fn is_near(object: &Object) -> bool {
    object.reference().is_ok_and(|reference| reference.is_near())
}

/// Writes the whole request as one message.
fn encode<'p>(
    out: &mut Encoder<'p>,
    request: &OutgoingRequest<'_>,
    arguments: Arguments<'_, 'p>,
) -> Result<(), SystemException> {
    let whole = |out: &mut Encoder<'p>| {
        out.truncate(0);
        begin_request(out, VERSION, request)?;
        put_body(out, VERSION, |out| arguments(out))
    };
    whole(out)
        .or_else(|error| out.with_other_order(error, whole))
        .map_err(|error| SystemException::encoding(&error, Completion::No))?;
    MessageHeader::finish(out)
        .map_err(|error| SystemException::bad_param(Minor::MESSAGE_TOO_LARGE, error.to_string()))
}

/// What this ORB wrote itself is one whole message.
fn parse(octets: &[u8]) -> Result<Message<'_>, SystemException> {
    Message::parse(octets).ok().flatten().ok_or_else(no_reply)
}

#[cold]
fn undecodable(error: &armilla_cdr::CdrError) -> SystemException {
    SystemException::decoding(error, Completion::Yes)
}

#[cold]
fn too_many_forwards(orb: &Orb) -> SystemException {
    let limit = orb.settings().max_forwards;
    let what =
        format!("servant managers forwarded the call more than {limit} times (max_forwards)");
    SystemException::new(ExceptionKind::Transient, Minor::TOO_MANY_FORWARDS, Completion::No)
        .with_reason(what)
}
