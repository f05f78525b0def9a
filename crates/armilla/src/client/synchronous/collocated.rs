//! Collocated calls through the POA: requests and replies that are encoded but never leave memory.
//! Direct calls of a servant do not pass through here.

use crate::client::endpoint::LocalLimit;
use crate::client::invocation::{COLLOCATED_VERSION, CollocatedReply, Holder, Reply};
use crate::client::request::Request;
use crate::exception::{Completion, SystemException};
use crate::interception::Contexts;
use crate::runtime::Orb;
use crate::signature::Part;
use crate::wire::CODE_SETS_HERE as CODE_SETS;
use armilla_cdr::{CdrError, CodeSet};
use armilla_giop::{CodeSetContext, OutgoingRequest, ServiceContext, TargetAddress};

/// The target of a collocated request.
pub(super) struct CollocatedTarget<'o, 'k> {
    pub(super) orb: &'o Orb,
    pub(super) key: &'k [u8],
    /// The time limit of the request.
    pub(super) limit: LocalLimit,
}

impl<'o> CollocatedTarget<'o, '_> {
    /// Makes one attempt: has the request served, and returns the reply if one is expected.
    pub(super) fn attempt(
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
            let form = (CODE_SETS, COLLOCATED_VERSION.wide_format());
            operation.at_fault(Part::Arguments).explain_encoding(exception, form, arguments)
        };
        served.serve(self.orb, &request, arguments, self.limit, &named)?;
        let expected = response.response_expected();
        Ok(expected.then(|| Reply::new(self.orb, Holder::Collocated(served))))
    }

    /// Makes one attempt with the service contexts of interceptors. The code sets are sent as a
    /// service context too, so that interceptors see the same contexts as in a remote request.
    pub(super) fn attempt_intercepted(
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
