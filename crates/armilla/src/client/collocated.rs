//! Collocated calls through the POA: requests and replies that are encoded but never leave memory.
//!
//! Each thread reuses its buffers from call to call. A nested call allocates its own. Direct calls
//! of a servant do not pass through here.

use super::call::{Arguments, Request};
use super::invocation::Step;
use super::local_objects::{ReplyBuffer, serve_collocated};
use super::reply::{Finish, no_reply, take_collocated_reply};
use crate::exception::{Completion, Minor, SystemException};
use crate::interception::Contexts;
use crate::runtime::Orb;
use crate::wire::CODE_SETS_HERE as CODE_SETS;
use armilla_cdr::{Buffer, ByteOrder, CodeSet, Decoder, Encoder};
use armilla_giop::{
    CodeSetContext, Message, MessageHeader, OutgoingRequest, ReplyHeader, ServiceContext,
    ServiceContexts, TargetAddress, Version, begin_request, decode_reply, put_body,
};
use std::cell::{Cell, RefCell};
use std::time::Duration;

const VERSION: Version = Version::V1_2;

/// The target of a collocated request.
pub(super) struct Target<'t> {
    pub(super) orb: &'t Orb,
    pub(super) key: &'t [u8],
    /// The time limit of the request.
    pub(super) limit: Option<Duration>,
}

impl Target<'_> {
    /// Makes one attempt. `take_contexts` sees the service contexts of the reply before `finish`
    /// sees its body.
    pub(super) fn attempt(
        &self,
        request: &Request<'_, '_>,
        contexts: &[ServiceContext<'_>],
        take_contexts: &mut dyn FnMut(&ServiceContexts<'_>),
        finish: Finish<'_>,
    ) -> Result<Step, SystemException> {
        let Request { operation, response, arguments, .. } = *request;
        let target = TargetAddress::Key(self.key);
        let request = OutgoingRequest {
            request_id: 0,
            response,
            target,
            operation: operation.name,
            contexts,
        };
        let step = exchange(self.orb, &request, arguments, self.limit, |header, body| {
            take_contexts(&header.contexts);
            take_collocated_reply(header, body, finish)
        })?;
        Ok(step.unwrap_or(Step::Done))
    }

    /// Makes one attempt with the service contexts of interceptors, and stores those of the reply
    /// in `reply`. The code sets are sent as a service context too, so that interceptors see the
    /// same contexts as in a remote request.
    pub(super) fn attempt_intercepted(
        &self,
        request: &Request<'_, '_>,
        contexts: &Contexts,
        reply: &RefCell<Contexts>,
        finish: Finish<'_>,
    ) -> Result<Step, SystemException> {
        let code_sets =
            CodeSetContext { char: CodeSet::Utf8.id(), wchar: CodeSet::Utf16.id() }.encode();
        let mut contexts = contexts.to_send();
        contexts.push(CodeSetContext::service_context(&code_sets));
        let mut take_contexts =
            |received: &ServiceContexts<'_>| *reply.borrow_mut() = Contexts::received(received);
        self.attempt(request, &contexts, &mut take_contexts, finish)
    }
}

/// Makes a collocated request. Passes its reply, if one is expected, to `take`.
pub(crate) fn exchange<'p, R>(
    orb: &Orb,
    request: &OutgoingRequest<'_>,
    arguments: Arguments<'_, 'p>,
    limit: Option<Duration>,
    take: impl FnOnce(&ReplyHeader<'_>, &mut Decoder<'_>) -> Result<R, SystemException>,
) -> Result<Option<R>, SystemException> {
    let mut buffers = BUFFERS.try_with(Cell::take).unwrap_or_default();
    let mut out = Encoder::with_reused_buffer(
        std::mem::take(&mut buffers.request),
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
    let reply =
        serve_collocated(orb, &parse(octets)?, CODE_SETS, limit, &mut buffers.reply_buffer)?;
    buffers.request = out.take_buffer();
    let mut taken = None;
    if request.response.response_expected() {
        let decoded = decode_reply(&parse(&reply)?);
        let (header, body) = decoded.map_err(|error| undecodable(&error))?;
        taken = Some(take(&header, &mut body.with_code_sets(CODE_SETS).with_context(orb))?);
    }
    buffers.reply_buffer.take_back(reply);
    buffers.retain();
    Ok(taken)
}

/// The buffers that a thread reuses for collocated calls.
#[derive(Default)]
struct CollocatedBuffers {
    request: Buffer,
    reply_buffer: ReplyBuffer,
}

thread_local! {
    static BUFFERS: Cell<CollocatedBuffers> = Cell::default();
}

/// The most memory that a thread keeps, in octets.
const MAX_RETAINED: usize = 64 << 10;

impl CollocatedBuffers {
    fn retain(self) {
        if self.request.capacity() + self.reply_buffer.capacity() <= MAX_RETAINED {
            // A thread that is ending has no thread-local storage left.
            BUFFERS.try_with(|buffers| buffers.set(self)).ok();
        }
    }
}

/// Encodes the whole request as one message.
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

/// Parses a message that this ORB has encoded; it is always whole.
fn parse(octets: &[u8]) -> Result<Message<'_>, SystemException> {
    Message::parse(octets).ok().flatten().ok_or_else(no_reply)
}

#[cold]
fn undecodable(error: &armilla_cdr::CdrError) -> SystemException {
    SystemException::decoding(error, Completion::Maybe)
}
