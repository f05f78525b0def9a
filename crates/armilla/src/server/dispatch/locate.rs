//! From a LocateRequest to its reply.

use super::source::Source;
use crate::exception::SystemException;
use crate::runtime::Located;
use crate::server::reply::close_reason::CloseReason;
use crate::server::reply::locate_reply::send_locate_reply;
use crate::server::reply::location_reply::{self, LocationReply};
use crate::server::reply::sink::PendingReply;
use armilla_cdr::Buffer;
use armilla_giop::{LocateRequest, Message};

/// Answers a LocateRequest, now or later: it is in progress until then, and counts. One that is
/// `refused` gets this exception.
pub(in crate::server) fn locate(
    source: &Source<'_>,
    message: &Message<'_>,
    request: &LocateRequest<'_>,
    refused: Option<SystemException>,
    memory: &mut Buffer,
) -> Result<(), CloseReason> {
    let &Source { orb, sink, .. } = source;
    let found = match (refused, request.target.object_key()) {
        (Some(exception), _) => Err(exception),
        (None, None) => Ok(Located::Unnamed),
        (None, Some(key)) => orb.locate_object(key, source.is_originated),
    };
    let (version, id) = (message.header.version, request.request_id);
    if matches!(found, Ok(Located::Nowhere))
        && !source.is_originated
        && let Some(key) = request.target.object_key()
        && let Some(locator) = orb.key_locator(key)
    {
        let reply = LocationReply::to_locate_request(sink, version, id);
        location_reply::ask(orb, &locator, key, sink.peer(), reply);
        return Ok(());
    }
    let sent = send_locate_reply(sink, version, id, found, memory);
    // Nothing is sent, so this cannot fail.
    sink.settle(id, PendingReply::Now, None).ok();
    sent
}
