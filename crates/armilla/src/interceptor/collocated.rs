//! A call to an object of the same process that interceptors see: the request is encoded, dispatched
//! by the calling thread, and its reply decoded, so that client and server see it as any other.

use super::context::Contexts;
use crate::client::{Arguments, Finish, Step, exchange_here, take_reply_here};
use crate::exception::SystemException;
use crate::orb::Orb;
use armilla_cdr::{CodeSet, Decoder};
use armilla_giop::{
    CodeSetContext, OutgoingRequest, ReplyHeader, ResponseFlags, ServiceContext, TargetAddress,
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
        let code_sets =
            CodeSetContext { char: CodeSet::Utf8.id(), wchar: CodeSet::Utf16.id() }.encode();
        let mut contexts: Vec<ServiceContext<'_>> = self.contexts.to_send();
        contexts.push(CodeSetContext::service_context(&code_sets));
        let request = OutgoingRequest {
            request_id: 0,
            response: self.response,
            target: TargetAddress::Key(self.key),
            operation: self.operation,
            contexts: &contexts,
        };
        let take = |header: &ReplyHeader<'_>, body: &mut Decoder<'_>| {
            *reply_contexts.borrow_mut() = Contexts::received(&header.contexts);
            take_reply_here(header, body, finish)
        };
        let step = exchange_here(self.orb, &request, arguments, self.limit, take)?;
        Ok(step.unwrap_or(Step::Done))
    }
}
