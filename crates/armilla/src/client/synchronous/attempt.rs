//! One attempt of a call at one address, over an exclusive or a multiplexed connection.
//!
//! If a connection turns out to be closed before it carried any part of the request, the attempt
//! replaces it. [`Invocation`](crate::client::invocation::Invocation) judges every other outcome.

use crate::client::connection::{
    BorrowedBuffers, ExclusiveConnection, MultiplexedConnection, ReceivedMessage, Sending,
    may_block,
};
use crate::client::endpoint::{Endpoint, PooledConnection};
use crate::client::invocation::{Holder, Reply, StaleConnections, is_stale};
use crate::client::request::{Deadline, Outgoing, ReplyStart, no_reply, wrong_reply};
use crate::exception::{ExceptionKind, SystemException};
use crate::policies::{ConnectionPolicy, SyncScope};
use crate::runtime::Orb;
use armilla_giop::ResponseFlags;

/// Makes one attempt: sends the request, and receives the reply if one is expected.
#[inline(always)]
pub(super) fn attempt<'c>(
    (orb, endpoint): (&'c Orb, &'c Endpoint),
    outgoing: &Outgoing<'_, '_>,
    (connection_policy, scope): (ConnectionPolicy, SyncScope),
    deadline: &Deadline,
) -> Result<Option<Reply<'c>>, SystemException> {
    if connection_policy == ConnectionPolicy::Multiplexed {
        return exchange_multiplexed((orb, endpoint), outgoing, deadline, scope);
    }
    exchange_exclusive((orb, endpoint), outgoing, deadline)
}

/// Makes an attempt that does not begin with the call: only the time that is left counts.
#[cold]
#[inline(never)]
pub(super) fn attempt_late<'c>(
    (orb, endpoint): (&'c Orb, &'c Endpoint),
    outgoing: &Outgoing<'_, '_>,
    (connection_policy, scope): (ConnectionPolicy, SyncScope),
    deadline: &Deadline,
) -> Result<Option<Reply<'c>>, SystemException> {
    if connection_policy == ConnectionPolicy::Multiplexed {
        return exchange_multiplexed((orb, endpoint), outgoing, &deadline.late(), scope);
    }
    exchange_over_other((orb, endpoint), outgoing, deadline)
}

/// Sends and receives over an idle connection that is alive, otherwise over a new one.
#[inline(always)]
fn exchange_exclusive<'c>(
    (orb, endpoint): (&'c Orb, &'c Endpoint),
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
) -> Result<Option<Reply<'c>>, SystemException> {
    if let Some(mut link) = endpoint.idle_connection(deadline.started) {
        match exchange_over(&mut link, outgoing, deadline) {
            Ok(replied) => return Ok(received(orb, endpoint, link, replied, deadline)),
            Err(error) if is_stale(&error) => {}
            Err(error) => return Err(failed(endpoint, link, error, deadline)),
        }
    }
    exchange_over_other((orb, endpoint), outgoing, deadline)
}

/// Continues over the remaining idle connections, then over a new one.
#[cold]
#[inline(never)]
fn exchange_over_other<'c>(
    (orb, endpoint): (&'c Orb, &'c Endpoint),
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
) -> Result<Option<Reply<'c>>, SystemException> {
    let deadline = &deadline.late();
    loop {
        let (mut link, idle) = match endpoint.idle_connection(deadline.started) {
            Some(link) => (link, true),
            None if endpoint.has_reverse_connection(outgoing.object.version) => {
                // The server has connected to this ORB; the request goes over that connection, or
                // over another one that is shared if that is silent.
                let scope = SyncScope::WithTransport;
                return exchange_multiplexed((orb, endpoint), outgoing, deadline, scope);
            }
            None => (endpoint.connect(outgoing.object, deadline)?, false),
        };
        link.renew();
        match exchange_over(&mut link, outgoing, deadline) {
            Ok(replied) => return Ok(received(orb, endpoint, link, replied, deadline)),
            // The server closed the connection while it was idle: try the next.
            Err(error) if idle && is_stale(&error) => {}
            Err(error) => return Err(failed(endpoint, link, error, deadline)),
        }
    }
}

/// Sends the request over an exclusive connection and waits for the reply. `false` if none is
/// expected.
#[inline(always)]
fn exchange_over(
    link: &mut ExclusiveConnection,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
) -> Result<bool, SystemException> {
    let id = link.send(outgoing, deadline)?;
    if !outgoing.response.response_expected() {
        return Ok(false);
    }
    match link.receive(deadline, outgoing.detaches_octets()) {
        Ok(ReceivedMessage::Reply) => Ok(true),
        Ok(ReceivedMessage::LocateReply) => Err(wrong_reply()),
        Err(error) => {
            if error.kind() == ExceptionKind::Timeout {
                link.cancel(outgoing.object.version, id);
            }
            Err(error)
        }
    }
}

/// The reply that `link` holds if it has `replied`. Without one the connection returns to the pool at once.
#[inline(always)]
fn received<'c>(
    orb: &'c Orb,
    endpoint: &'c Endpoint,
    mut link: Box<ExclusiveConnection>,
    replied: bool,
    deadline: &Deadline,
) -> Option<Reply<'c>> {
    link.last_used = deadline.started;
    if !replied {
        endpoint.return_unanswered(link);
        return None;
    }
    let connection = PooledConnection::new(link, endpoint);
    Some(Reply::new(orb, Holder::Exclusive(connection)))
}

/// Returns the connection to the pool if it is still usable after `error`.
#[cold]
#[inline(never)]
fn failed(
    endpoint: &Endpoint,
    mut link: Box<ExclusiveConnection>,
    error: SystemException,
    deadline: &Deadline,
) -> SystemException {
    // Either the request failed to encode and no octet of it was sent, or the whole reply was read
    // and is the wrong one. The connection is usable in both cases, unless the reply was larger than
    // the limit and not read.
    if error.is_marshalling_error() && link.is_open() {
        link.last_used = deadline.started;
        endpoint.return_idle(link);
    }
    error
}

/// Sends and receives over a connection shared with other threads.
#[inline(never)]
fn exchange_multiplexed<'c>(
    (orb, endpoint): (&'c Orb, &'c Endpoint),
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    scope: SyncScope,
) -> Result<Option<Reply<'c>>, SystemException> {
    let sending = match (outgoing.response, scope) {
        (ResponseFlags::None, SyncScope::None) => {
            Sending::Buffered(may_block().then_some(deadline))
        }
        _ if !may_block() => Sending::NonBlocking,
        (ResponseFlags::None, _) => Sending::UntilSent(deadline),
        _ => Sending::Blocking(deadline),
    };
    let mut stale = StaleConnections::default();
    loop {
        let link = endpoint.shared_connection(orb, outgoing.object, deadline)?;
        match exchange_over_shared(orb, &link, outgoing, deadline, sending) {
            // The server closed the connection meanwhile: try another.
            Err(error) if stale.allows_another(&error) => {}
            outcome => return outcome,
        }
    }
}

/// Sends the request over a shared connection and waits for the reply.
fn exchange_over_shared<'c>(
    orb: &'c Orb,
    link: &MultiplexedConnection,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    sending: Sending<'_>,
) -> Result<Option<Reply<'c>>, SystemException> {
    let mut buffers = BorrowedBuffers::of_this_thread();
    let id = link.send(*outgoing, &mut buffers, sending)?;
    if !outgoing.response.response_expected() {
        return Ok(None);
    }
    link.receive(id, &mut buffers, deadline)?;
    buffers.start = ReplyStart::read(&buffers.reply.message().ok_or_else(no_reply)?)?;
    buffers.code_sets = link.code_sets();
    Ok(Some(Reply::new(orb, Holder::Multiplexed(buffers))))
}
