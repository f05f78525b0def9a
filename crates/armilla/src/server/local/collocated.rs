//! Requests from this process, dispatched by the calling thread. The reply is captured in memory.
//!
//! Direct calls of a servant, without a request, do not come here; asynchronous calls within the
//! process use [`super::in_process`].

use crate::client::{LocalLimit, ReplyBuffer};
use crate::exception::{Completion, SystemException};
use crate::runtime::Orb;
use crate::server::dispatch::caller::{Requester, serve_from};
use crate::server::dispatch::nesting;
use crate::server::dispatch::requests;
use crate::server::dispatch::source::Source;
use crate::server::reply::capture::LocalCapture;
use crate::threads::wait_limit;
use armilla_cdr::CodeSets;
use armilla_giop::{Message, decode_request, decode_request_fast};

/// Serves a request with these code sets. Returns the reply message, empty when none is expected.
pub(in crate::server) fn serve_collocated(
    orb: &Orb,
    message: &Message<'_>,
    code_sets: CodeSets,
    limit: LocalLimit,
    reply_buffer: &mut ReplyBuffer,
) -> Result<Vec<u8>, SystemException> {
    if nesting::is_exhausted() {
        return Err(nesting::too_deep());
    }
    let malformed = |error| SystemException::decoding(&error, Completion::No);
    let fast = decode_request_fast(message).map(Ok);
    let (header, body) = fast.unwrap_or_else(|| decode_request(message)).map_err(malformed)?;
    let expected = header.response_expected;
    // The ORB serves requests only while it is open.
    orb.server()?;
    let capture = LocalCapture::new(orb, std::mem::take(&mut reply_buffer.caught));
    let memory = &mut reply_buffer.written;
    let objects = orb.object_adapters();
    let source = Source { orb, objects, sink: &capture, connection: None, is_originated: false };
    let requester = Requester::ThisProcess(orb.incarnation());
    let served = wait_limit::within(limit.until_delivery(), limit.time, || {
        serve_from(Some(requester), || {
            requests::request(source, message, header, body, code_sets, memory)
        })
    });
    match served {
        Ok(()) if expected => capture.wait(|| limit.left()),
        // A captured reply cannot fail to be sent.
        Ok(()) | Err(_) => Ok(Vec::new()),
    }
}
