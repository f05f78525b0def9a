//! A call to an object of the same process that interceptors see: the request is encoded, dispatched
//! by the calling thread, and its reply decoded, so that client and server see it as any other.

use super::context::Contexts;
use super::values::CODE_SETS;
use crate::client::{Arguments, Finish, Step, take_reply_here};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::orb::Orb;
use crate::server::serve_here;
use armilla_cdr::{ByteOrder, CodeSet, Encoder};
use armilla_giop::{
    CodeSetContext, Message, MessageHeader, OutgoingRequest, ResponseFlags, TargetAddress, Version,
    begin_request, decode_reply, put_body,
};
use std::cell::RefCell;
use std::time::Duration;

/// A request to an object of this process.
pub(super) struct Collocated<'c> {
    pub(super) orb: &'c Orb,
    pub(super) key: &'c [u8],
    pub(super) operation: &'c str,
    pub(super) response: ResponseFlags,
    pub(super) contexts: &'c Contexts,
    pub(super) limit: Option<Duration>,
}

impl Collocated<'_> {
    /// Makes the call; the service contexts of the reply go into `reply_contexts`.
    pub(super) fn call<'p>(
        &self,
        arguments: Arguments<'_, 'p>,
        reply_contexts: &RefCell<Contexts>,
        finish: Finish<'_>,
    ) -> Result<Step, SystemException> {
        let request = self.request(arguments)?;
        let malformed = |error| SystemException::decoding(&error, Completion::Maybe);
        let message = parse(&request)?;
        let reply = serve_here(self.orb, &message, CODE_SETS, self.limit)?;
        if !self.response.response_expected() {
            return Ok(Step::Done);
        }
        let message = parse(&reply)?;
        let (header, body) = decode_reply(&message).map_err(malformed)?;
        *reply_contexts.borrow_mut() = Contexts::received(&header.contexts);
        let mut body = body.with_code_sets(CODE_SETS).with_context(self.orb);
        take_reply_here(&header, &mut body, finish)
    }

    fn request<'p>(&self, arguments: Arguments<'_, 'p>) -> Result<Vec<u8>, SystemException> {
        let code_sets =
            CodeSetContext { char: CodeSet::Utf8.id(), wchar: CodeSet::Utf16.id() }.encode();
        let mut contexts = self.contexts.to_send();
        contexts.push(CodeSetContext::service_context(&code_sets));
        let request = OutgoingRequest {
            request_id: 0,
            response: self.response,
            target: TargetAddress::Key(self.key),
            operation: self.operation,
            contexts: &contexts,
        };
        let mut out = Encoder::with_code_sets(Vec::new(), ByteOrder::NATIVE, CODE_SETS);
        let body = |out: &mut Encoder<'p>| {
            out.truncate(0);
            begin_request(out, Version::V1_2, &request)?;
            put_body(out, Version::V1_2, |out| arguments(out))
        };
        body(&mut out)
            .or_else(|error| out.in_other_order(error, body))
            .map_err(|error| SystemException::encoding(&error, Completion::No))?;
        MessageHeader::finish(&mut out).map_err(|error| {
            SystemException::bad_param(Minor::MESSAGE_TOO_LARGE, error.to_string())
        })?;
        Ok(out.to_vec())
    }
}

/// What this ORB wrote itself is one whole message.
fn parse(octets: &[u8]) -> Result<Message<'_>, SystemException> {
    Message::parse(octets).ok().flatten().ok_or_else(|| {
        SystemException::new(ExceptionKind::Internal, Minor::default(), Completion::Maybe)
            .because("a call within the process was not answered with a message")
    })
}
