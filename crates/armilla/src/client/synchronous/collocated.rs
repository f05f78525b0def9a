//! Collocated calls through the POA: requests and replies that are encoded but never leave memory.
//!
//! Each thread reuses its buffers from call to call. A nested call allocates its own. Direct calls
//! of a servant do not pass through here.

use super::call::{Arguments, Request};
use crate::client::endpoint::{LocalLimit, ReplyBuffer, serve_collocated};
use crate::client::invocation::{Holder, Reply, ReplyStart, Step};
use crate::client::request::{Answer, no_reply};
use crate::exception::{Completion, Minor, SystemException};
use crate::interception::Contexts;
use crate::runtime::Orb;
use crate::signature::Part;
use crate::wire::CODE_SETS_HERE as CODE_SETS;
use armilla_cdr::{Buffer, ByteOrder, CdrError, CodeSet, Encoder};
use armilla_giop::{
    CodeSetContext, Message, MessageHeader, OutgoingRequest, OwnedMessage, ServiceContext,
    TargetAddress, Version, begin_request, put_body,
};
use std::cell::Cell;

const VERSION: Version = Version::V1_2;

/// The target of a collocated request.
pub(in crate::client) struct Target<'o, 'k> {
    pub(in crate::client) orb: &'o Orb,
    pub(in crate::client) key: &'k [u8],
    /// The time limit of the request.
    pub(in crate::client) limit: LocalLimit,
}

impl<'o> Target<'o, '_> {
    /// Makes one attempt: has the request served, and returns the reply if one is expected.
    pub(in crate::client) fn attempt(
        &self,
        request: &Request<'_, '_>,
        contexts: &[ServiceContext<'_>],
    ) -> Result<Option<Reply<'o>>, SystemException> {
        let Request { operation, response, arguments, .. } = *request;
        let target = TargetAddress::Key(self.key);
        let request = OutgoingRequest {
            request_id: 0,
            response,
            target,
            operation: operation.name,
            contexts,
        };
        let mut served = CollocatedReply::of_this_thread();
        let named = |error: &CdrError| {
            let exception = SystemException::encoding(error, Completion::No);
            let form = (CODE_SETS, VERSION.wide_format());
            operation.at_fault(Part::Arguments).explain_encoding(exception, form, arguments)
        };
        served.serve(self.orb, &request, arguments, self.limit, &named)?;
        let expected = response.response_expected();
        Ok(expected.then(|| Reply::new(self.orb, Holder::Collocated(served))))
    }

    /// Makes one attempt with the service contexts of interceptors. The code sets are sent as a
    /// service context too, so that interceptors see the same contexts as in a remote request.
    pub(in crate::client) fn attempt_intercepted(
        &self,
        request: &Request<'_, '_>,
        contexts: &Contexts,
    ) -> Result<Option<Reply<'o>>, SystemException> {
        let code_sets =
            CodeSetContext { char: CodeSet::Utf8.id(), wchar: CodeSet::Utf16.id() }.encode();
        let mut contexts = contexts.to_send();
        contexts.push(CodeSetContext::service_context(&code_sets));
        self.attempt(request, &contexts)
    }
}

/// The step after an attempt. A system exception ends the call: no other address is left.
pub(in crate::client) fn judge(
    reply: Option<Reply<'_>>,
) -> Result<Step<Option<Reply<'_>>>, SystemException> {
    let Some(reply) = reply else { return Ok(Step::Done(None)) };
    if reply.has_results() {
        return Ok(Step::Done(Some(reply)));
    }
    match reply.into_answer()? {
        Answer::Results(reply) => Ok(Step::Done(Some(reply))),
        Answer::Forward(forward) => Ok(Step::Forward(*forward)),
        Answer::Raised(exception) => Err(exception),
    }
}

/// The buffers of a collocated call, with its reply. They return to the thread when it is dropped.
pub(in crate::client) struct CollocatedReply(Option<Box<CollocatedBuffers>>);

/// The buffers that a thread reuses for collocated calls.
#[derive(Default)]
struct CollocatedBuffers {
    request: Buffer,
    reply_buffer: ReplyBuffer,
    reply: OwnedMessage,
    /// What is known of the reply.
    start: Option<ReplyStart>,
}

thread_local! {
    static BUFFERS: Cell<Option<Box<CollocatedBuffers>>> = const { Cell::new(None) };
}

/// The most memory that a thread keeps, in octets.
const MAX_RETAINED: usize = 64 << 10;

impl CollocatedReply {
    fn of_this_thread() -> Self {
        // A thread that is ending has no thread-local storage left.
        let kept = BUFFERS.try_with(Cell::take).ok().flatten();
        Self(Some(kept.unwrap_or_default()))
    }

    /// What is known of the reply.
    #[inline]
    pub(in crate::client) fn start(&self) -> ReplyStart {
        self.0.as_ref().and_then(|buffers| buffers.start).unwrap_or(ReplyStart::NONE)
    }

    /// The reply, once the request was served.
    #[inline]
    pub(in crate::client) fn message(&self) -> Option<Message<'_>> {
        self.0.as_ref()?.reply.message()
    }

    /// Encodes the request and has it served.
    fn serve<'p>(
        &mut self,
        orb: &Orb,
        request: &OutgoingRequest<'_>,
        arguments: Arguments<'_, 'p>,
        limit: LocalLimit,
        unencodable: &dyn Fn(&CdrError) -> SystemException,
    ) -> Result<(), SystemException> {
        let Some(buffers) = &mut self.0 else { return Err(no_reply()) };
        let memory = std::mem::take(&mut buffers.request);
        let mut out = Encoder::with_reused_buffer(memory, ByteOrder::NATIVE, CODE_SETS);
        encode(&mut out, request, arguments, unencodable)?;
        let gathered;
        let octets = match out.as_contiguous() {
            Some(octets) => octets,
            None => {
                gathered = out.to_vec();
                &gathered
            }
        };
        let reply_buffer = &mut buffers.reply_buffer;
        let reply = serve_collocated(orb, &parse(octets)?, CODE_SETS, limit, reply_buffer)?;
        buffers.request = out.take_buffer();
        // A message that this ORB has encoded is whole.
        let reply = buffers.reply.take_octets(reply).map_err(|_| no_reply())?;
        if request.response.response_expected() {
            buffers.start = Some(ReplyStart::read(&reply.ok_or_else(no_reply)?)?);
        }
        Ok(())
    }
}

impl Drop for CollocatedReply {
    fn drop(&mut self) {
        let Some(mut buffers) = self.0.take() else { return };
        buffers.reply_buffer.take_back(buffers.reply.into_octets());
        if buffers.request.capacity() + buffers.reply_buffer.capacity() <= MAX_RETAINED {
            // A thread that is ending has no thread-local storage left.
            BUFFERS.try_with(|kept| kept.set(Some(buffers))).ok();
        }
    }
}

/// Encodes the whole request as one message.
fn encode<'p>(
    out: &mut Encoder<'p>,
    request: &OutgoingRequest<'_>,
    arguments: Arguments<'_, 'p>,
    unencodable: &dyn Fn(&CdrError) -> SystemException,
) -> Result<(), SystemException> {
    let whole = |out: &mut Encoder<'p>| {
        out.truncate(0);
        begin_request(out, VERSION, request)?;
        put_body(out, VERSION, |out| arguments(out))
    };
    whole(out)
        .or_else(|error| out.with_other_order(error, whole))
        .map_err(|error| unencodable(&error))?;
    MessageHeader::finish(out)
        .map_err(|error| SystemException::bad_param(Minor::MESSAGE_TOO_LARGE, error.to_string()))
}

/// Parses a message that this ORB has encoded; it is always whole.
fn parse(octets: &[u8]) -> Result<Message<'_>, SystemException> {
    Message::parse(octets).ok().flatten().ok_or_else(no_reply)
}
