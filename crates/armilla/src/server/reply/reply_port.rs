//! Encoding and sending the reply to one request.
//!
//! The queue and the order of replies are in [`crate::server::connections::output`].

use super::flow::{Flow, RequestFlow};
use super::sink::{PendingReply, ReplySink};
use crate::client::AddedContext;
use crate::exception::{
    Completion, ExceptionKind, Minor, SystemException, encode_detail, encode_system,
};
use crate::interception::Outcome;
use crate::signature::{CallAtFault, Part};
use armilla_cdr::{Buffer, ByteOrder, CdrError, CdrResult, CodeSets, Encode, Encoder};
use armilla_giop::{
    ExceptionDetail, HEADER_LEN, MessageHeader, ReplyStatus, ServiceContext, Version, begin_reply,
    put_body,
};
use armilla_ipc::SendError;
use smallvec::SmallVec;

/// Writes the body of a reply. It may be called again, when the message is begun anew. A trait
/// object, so that a reply is compiled once, not once for each operation of an IDL file.
pub(in crate::server) type Body<'b, 'p> = &'b dyn Fn(&mut Encoder<'p>) -> CdrResult;

/// The outer result says whether the reply was encoded, the inner one whether it was sent.
pub(in crate::server) type Sent = Result<Result<(), SendError>, SystemException>;

/// What a reply needs to know of its request.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct ReplyPort {
    pub(in crate::server) request_id: u32,
    pub(in crate::server) version: Version,
    pub(in crate::server) code_sets: CodeSets,
    pub(in crate::server) response_expected: bool,
    pub(in crate::server) pending: PendingReply,
    /// The size of a message at most, in octets.
    pub(in crate::server) max_message: usize,
    /// What the extension of the POA adds to the reply.
    pub(in crate::server) context: Option<AddedContext>,
}

impl ReplyPort {
    /// Sends the result of the servant, as [`send`](Self::send) does. The interceptors of `flow`
    /// see the result and may send something else. `explain` completes the exception that says why
    /// the result cannot be encoded.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    #[cold]
    #[inline(never)]
    pub(in crate::server) fn answer_through(
        &self,
        mut flow: Box<dyn RequestFlow>,
        sink: &dyn ReplySink,
        memory: &mut Buffer,
        (status, body): (ReplyStatus, Body<'_, '_>),
        explain: &dyn Fn(SystemException) -> SystemException,
    ) -> Sent {
        // A reply that cannot be encoded is not sent: the interceptors see the exception instead.
        let mut out = self.reply_buffer(memory);
        let fits = match self.response_expected {
            true => self.encode(&mut out, status, &[], body),
            false => Ok(()),
        };
        let outcome = match fits {
            Ok(()) => flow.answer(status, body),
            Err(exception) => flow.end(Outcome::SystemException(explain(exception))),
        };
        let is_reply = !matches!(outcome, Outcome::SystemException(_) | Outcome::Forward(_));
        let contexts = flow.contexts();
        let sent = (is_reply && self.response_expected && contexts.is_empty())
            .then(|| sink.settle(self.request_id, self.pending, Some(&out)));
        *memory = out.take_buffer();
        match sent {
            Some(sent) => Ok(sent),
            None if is_reply => self.send(sink, memory, status, &contexts, body),
            None => self.send_outcome(&*flow, sink, memory, &outcome),
        }
    }

    /// Sends an empty reply while the request goes on.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    #[cold]
    pub(in crate::server) fn acknowledge(
        self,
        sink: &dyn ReplySink,
        memory: &mut Buffer,
    ) -> Result<(), SendError> {
        let mut out = self.reply_buffer(memory);
        let status = ReplyStatus::NoException;
        // A reply without contexts and body can be encoded, and is not too large.
        let encoded = self.encode(&mut out, status, &[], &|_| Ok(()));
        let sent = encoded.map_or(Ok(()), |()| sink.send(&out));
        *memory = out.take_buffer();
        sent
    }

    /// Sends a system exception, as [`answer_through`](Self::answer_through) sends a result.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    #[cold]
    pub(in crate::server) fn raise(
        self,
        flow: &mut Flow,
        sink: &dyn ReplySink,
        memory: &mut Buffer,
        exception: &SystemException,
    ) -> Sent {
        self.end(flow, sink, memory, Outcome::SystemException(exception.clone()))
    }

    /// Ends the request with an exception or a forward, as [`raise`](Self::raise) does.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    #[cold]
    pub(in crate::server) fn end(
        self,
        flow: &mut Flow,
        sink: &dyn ReplySink,
        memory: &mut Buffer,
        outcome: Outcome,
    ) -> Sent {
        let Some(mut flow) = flow.take() else {
            return self.send_without_results(sink, memory, &[], &outcome);
        };
        let outcome = flow.end(outcome);
        self.send_outcome(&*flow, sink, memory, &outcome)
    }

    fn send_outcome(
        self,
        flow: &dyn RequestFlow,
        sink: &dyn ReplySink,
        memory: &mut Buffer,
        outcome: &Outcome,
    ) -> Sent {
        self.send_without_results(sink, memory, &flow.contexts(), outcome)
    }

    /// Sends an outcome without results of the servant.
    fn send_without_results(
        self,
        sink: &dyn ReplySink,
        memory: &mut Buffer,
        contexts: &[ServiceContext<'_>],
        outcome: &Outcome,
    ) -> Sent {
        match outcome {
            Outcome::Forward(ior) => {
                let status = ReplyStatus::LocationForward;
                self.send(sink, memory, status, contexts, &|out| ior.encode(out))
            }
            Outcome::SystemException(exception) => {
                self.send_exception(sink, memory, contexts, exception)
            }
            // Interceptors turn every other outcome into one of these two.
            _ => Ok(sink.settle(self.request_id, self.pending, None)),
        }
    }

    /// Sends a system exception. An ExceptionDetail context carries its text, if the settings allow
    /// it and the message has room.
    fn send_exception(
        self,
        sink: &dyn ReplySink,
        memory: &mut Buffer,
        contexts: &[ServiceContext<'_>],
        exception: &SystemException,
    ) -> Sent {
        let tells = sink.orb().settings().exception_details;
        let detail = tells.then(|| encode_detail(exception)).flatten();
        let detail = detail.as_deref().map(ExceptionDetail::service_context);
        let status = ReplyStatus::SystemException;
        let body: Body<'_, '_> = &|out| encode_system(exception, out);
        if detail.is_some() {
            let told: Vec<_> = contexts.iter().copied().chain(detail).collect();
            if let Ok(sent) = self.send(sink, memory, status, &told, body) {
                return Ok(sent);
            }
        }
        self.send(sink, memory, status, contexts, body)
    }

    /// Sends a reply to `sink`, if one is expected, and ends the request. The reply is
    /// written into `memory`.
    ///
    /// # Errors
    /// When the reply cannot be encoded; the request is then still in progress.
    #[inline(always)]
    pub(in crate::server) fn send(
        &self,
        sink: &dyn ReplySink,
        memory: &mut Buffer,
        status: ReplyStatus,
        contexts: &[ServiceContext<'_>],
        body: Body<'_, '_>,
    ) -> Sent {
        if !self.response_expected {
            return Ok(sink.settle(self.request_id, self.pending, None));
        }
        let mut out = self.reply_buffer(memory);
        let encoded = self.encode(&mut out, status, contexts, body);
        let sent = encoded.map(|()| sink.settle(self.request_id, self.pending, Some(&out)));
        *memory = out.take_buffer();
        std::mem::forget(out);
        sent
    }

    /// Says in `exception` which value of a reply cannot be encoded. `call` describes the call,
    /// with values of the given part.
    #[cold]
    pub(in crate::server) fn explain_unencodable<'c>(
        &self,
        exception: SystemException,
        (status, body): (ReplyStatus, Body<'_, '_>),
        call: impl FnOnce(Part) -> CallAtFault<'c>,
    ) -> SystemException {
        let part = match status {
            ReplyStatus::NoException => Part::Results,
            ReplyStatus::UserException => Part::Exception,
            _ => return exception,
        };
        if exception.minor() == Minor::MESSAGE_TOO_LARGE {
            return exception;
        }
        let form = (self.code_sets, self.version.wide_format());
        call(part).explain_encoding(exception, form, body)
    }

    /// An encoder for the reply that writes into `memory`.
    #[inline(always)]
    fn reply_buffer<'p>(&self, memory: &mut Buffer) -> Encoder<'p> {
        let mut out =
            Encoder::with_reused_buffer(std::mem::take(memory), ByteOrder::NATIVE, self.code_sets);
        out.truncate(0);
        out
    }

    /// Encodes a reply.
    #[inline(always)]
    fn encode<'p>(
        &self,
        out: &mut Encoder<'p>,
        status: ReplyStatus,
        contexts: &[ServiceContext<'_>],
        body: Body<'_, 'p>,
    ) -> Result<(), SystemException> {
        if let Some(context) = self.context {
            return self.encode_with(context, out, status, contexts, body);
        }
        begin_reply(out, self.version, self.request_id, status, contexts)
            .and_then(|()| put_body(out, self.version, body))
            .or_else(|error| self.encode_in_other_order(error, out, status, contexts, body))
            .map_err(|error| SystemException::encoding(&error, Completion::Yes))
            .and_then(|()| finish(out, self.max_message))
    }

    /// Encodes a reply with one more service context, unless it has that already.
    #[cold]
    #[inline(never)]
    fn encode_with<'p>(
        &self,
        (id, data): AddedContext,
        out: &mut Encoder<'p>,
        status: ReplyStatus,
        contexts: &[ServiceContext<'_>],
        body: Body<'_, 'p>,
    ) -> Result<(), SystemException> {
        let added = ServiceContext { id, data: &data };
        let is_new = contexts.iter().all(|context| context.id != id);
        let all: SmallVec<[_; 4]> =
            contexts.iter().copied().chain(is_new.then_some(added)).collect();
        Self { context: None, ..*self }.encode(out, status, &all, body)
    }

    /// Encodes a reply in the other byte order, if `error` requires that.
    #[cold]
    fn encode_in_other_order<'p>(
        &self,
        error: CdrError,
        out: &mut Encoder<'p>,
        status: ReplyStatus,
        contexts: &[ServiceContext<'_>],
        body: Body<'_, 'p>,
    ) -> CdrResult {
        out.with_other_order(error, |out| {
            out.truncate(0);
            begin_reply(out, self.version, self.request_id, status, contexts)?;
            put_body(out, self.version, body)
        })
    }
}

#[inline]
fn finish(out: &mut Encoder<'_>, limit: usize) -> Result<(), SystemException> {
    let size = out.len() - HEADER_LEN;
    match size > limit || MessageHeader::finish(out).is_err() {
        true => Err(too_large(size, limit)),
        false => Ok(()),
    }
}

#[cold]
fn too_large(size: usize, limit: usize) -> SystemException {
    let what = format!("the reply has {size} octets, the limit (max_message) is {limit}");
    SystemException::new(ExceptionKind::ImpLimit, Minor::MESSAGE_TOO_LARGE, Completion::Yes)
        .with_reason(what)
}
