//! The reply to a collocated call, and the buffers in which request and reply stay in memory. Each
//! thread reuses its buffers from call to call. A nested call allocates its own.

use crate::client::endpoint::{LocalLimit, ReplyBuffer, serve_collocated};
use crate::client::request::{Arguments, ReplyStart, no_reply};
use crate::exception::{Minor, SystemException};
use crate::runtime::Orb;
use crate::wire::CODE_SETS_HERE as CODE_SETS;
use armilla_cdr::{Buffer, ByteOrder, CdrError, Encoder};
use armilla_giop::{
    Message, MessageHeader, OutgoingRequest, OwnedMessage, Version, begin_request, put_body,
};
use std::cell::Cell;

/// The version of requests that stay in the process.
pub(in crate::client) const COLLOCATED_VERSION: Version = Version::V1_2;

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
    pub(in crate::client) fn of_this_thread() -> Self {
        // A thread that is ending has no thread-local storage left.
        let kept = BUFFERS.try_with(Cell::take).ok().flatten();
        Self(Some(kept.unwrap_or_default()))
    }

    /// What is known of the reply.
    pub(super) fn start(&self) -> ReplyStart {
        self.0.as_ref().and_then(|buffers| buffers.start).unwrap_or(ReplyStart::NONE)
    }

    /// The reply, once the request was served.
    pub(super) fn message(&self) -> Option<Message<'_>> {
        self.0.as_ref()?.reply.message()
    }

    /// Encodes the request and has it served.
    pub(in crate::client) fn serve<'p>(
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
        begin_request(out, COLLOCATED_VERSION, request)?;
        put_body(out, COLLOCATED_VERSION, |out| arguments(out))
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
