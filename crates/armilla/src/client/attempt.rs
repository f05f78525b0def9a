//! One attempt of a call at one address, over an exclusive or a multiplexed connection.
//!
//! If a connection turns out to be closed before it carried any part of the request, the attempt
//! replaces it. [`Invocation`](super::invocation::Invocation) judges every other outcome.

use super::access::Access;
use super::asynchronous::MAY_BLOCK;
use super::deadline::Deadline;
use super::exclusive::{ExclusiveConnection, ReplyReceiver};
use super::multiplexed::{MultiplexedConnection, Sending, ThreadBuffers};
use super::reply::{Answer, Finish, take_reply, wrong_reply};
use super::request::{Intercepted, Outgoing};
use super::route::Target;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::policies::{ConnectionPolicy, SyncScope};
use crate::runtime::Orb;
use armilla_cdr::{CodeSets, Decoder};
use armilla_giop::engine::ClientEvent;
use armilla_giop::{ReplyHeader, ResponseFlags};

/// Makes one attempt. A system exception of the server is attributed to its address.
#[inline(always)]
pub(super) fn attempt(
    orb: &Orb,
    outgoing: &Outgoing<'_, '_>,
    (connection_policy, scope): (ConnectionPolicy, SyncScope),
    deadline: &Deadline,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    let answer = match connection_policy {
        ConnectionPolicy::Exclusive => attempt_exclusive(orb, outgoing, deadline, finish),
        ConnectionPolicy::Multiplexed => {
            attempt_multiplexed(orb, outgoing, deadline, scope, finish)
        }
    };
    match answer {
        Ok(Answer::Raised(exception)) => {
            let address = &outgoing.target.access.endpoint.address;
            Ok(Answer::Raised(exception.attributed_to(address, outgoing.operation.name)))
        }
        answer => answer,
    }
}

/// One attempt at one target: over an idle connection that is alive, otherwise over a new one.
#[inline(always)]
fn attempt_exclusive(
    orb: &Orb,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    if let Some(mut link) = outgoing.target.access.endpoint.idle_connection(deadline.started) {
        match exchange(orb, &mut link, outgoing, deadline, &mut *finish) {
            Ok(taken @ Answer::Taken) => {
                return_idle(outgoing.target, link, deadline);
                return Ok(taken);
            }
            Err(error) if is_stale(&error) => {}
            outcome => return return_if_usable(outgoing.target, link, deadline, outcome),
        }
    }
    attempt_other_connections(orb, outgoing, deadline, finish)
}

/// Continues the attempt over the remaining idle connections, then over a new one.
#[cold]
#[inline(never)]
fn attempt_other_connections(
    orb: &Orb,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    let endpoint = &outgoing.target.access.endpoint;
    loop {
        let (mut link, idle) = match endpoint.idle_connection(deadline.started) {
            Some(link) => (link, true),
            None if endpoint.reverse_connection(outgoing.target.access.version).is_some() => {
                // The server has connected to this ORB; the request goes over that connection.
                let scope = SyncScope::WithTransport;
                return attempt_multiplexed(orb, outgoing, deadline, scope, finish);
            }
            None => (endpoint.connect(deadline)?, false),
        };
        match exchange(orb, &mut link, outgoing, deadline, &mut *finish) {
            // The server closed the connection while it was idle: try the next.
            Err(error) if idle && is_stale(&error) => {}
            outcome => return return_if_usable(outgoing.target, link, deadline, outcome),
        }
    }
}

/// One attempt at one target, over a connection shared with other threads.
#[inline(never)]
fn attempt_multiplexed(
    orb: &Orb,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    scope: SyncScope,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    let sending = match (outgoing.response, scope) {
        (ResponseFlags::None, SyncScope::None) => {
            Sending::Buffered(MAY_BLOCK.get().then_some(deadline))
        }
        _ if !MAY_BLOCK.get() => Sending::NonBlocking,
        (ResponseFlags::None, _) => Sending::UntilSent(deadline),
        _ => Sending::Blocking(deadline),
    };
    let mut stale = 0;
    loop {
        let Access { endpoint, version, .. } = &*outgoing.target.access;
        let link = endpoint.shared_connection(orb, *version, deadline)?;
        match exchange_multiplexed(orb, &link, outgoing, deadline, sending, &mut *finish) {
            // The server closed the connection meanwhile: try another.
            Err(error) if is_stale(&error) && stale < MAX_STALE => stale += 1,
            outcome => return outcome,
        }
    }
}

/// Sends the request and takes the reply, over a shared connection.
fn exchange_multiplexed(
    orb: &Orb,
    link: &MultiplexedConnection,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    sending: Sending<'_>,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    ThreadBuffers::with(|buffers| {
        let id = link.send(*outgoing, buffers, sending)?;
        if !outgoing.response.response_expected() {
            return Ok(Answer::Taken);
        }
        let code_sets = link.code_sets();
        link.receive(id, &buffers.slot, deadline, &mut |header, body| {
            if let Some(intercepted) = outgoing.intercepted {
                (intercepted.take_reply)(&header.contexts);
            }
            let mut body = body.with_code_sets(code_sets).with_context(orb);
            take_reply(&header, &mut body, &mut *finish)
        })
    })
}

/// The number of closed connections that one call may meet before that counts as a failure.
pub(super) const MAX_STALE: u32 = 3;

/// Whether the connection turned out to be closed before the server began the call.
pub(super) fn is_stale(error: &SystemException) -> bool {
    let minor = error.minor();
    error.completed() == Completion::No
        && (minor == Minor::SEND_FAILED || minor == Minor::CONNECTION_CLOSING)
}

/// Returns the connection to the pool; it is usable after a reply.
#[inline(always)]
fn return_idle(target: &Target, mut link: Box<ExclusiveConnection>, deadline: &Deadline) {
    link.last_used = deadline.started;
    target.access.endpoint.return_idle(link);
}

/// Returns the connection to the pool if it is still usable.
#[cold]
#[inline(never)]
fn return_if_usable(
    target: &Target,
    link: Box<ExclusiveConnection>,
    deadline: &Deadline,
    outcome: Result<Answer, SystemException>,
) -> Result<Answer, SystemException> {
    let good = match &outcome {
        Ok(_) => true,
        // Either the request failed to encode and no octet of it was sent, or the whole reply was
        // read and failed to decode. The connection is usable in both cases.
        Err(error) => error.is_marshalling_error(),
    };
    if good {
        return_idle(target, link, deadline);
    }
    outcome
}

/// Sends the request and takes the reply.
#[inline(always)]
fn exchange(
    orb: &Orb,
    link: &mut ExclusiveConnection,
    outgoing: &Outgoing<'_, '_>,
    deadline: &Deadline,
    finish: Finish<'_>,
) -> Result<Answer, SystemException> {
    let id = link.send(outgoing, deadline)?;
    if !outgoing.response.response_expected() {
        return Ok(Answer::Taken);
    }
    let (code_sets, intercepted) = (link.code_sets(), outgoing.intercepted);
    let received = link.receive(deadline, &mut TakeReply { orb, code_sets, intercepted, finish });
    received.unwrap_or_else(|error| {
        if error.kind() == ExceptionKind::Timeout {
            link.cancel(outgoing.target.access.version, id);
        }
        Err(error)
    })
}

/// Takes the reply to a request.
struct TakeReply<'c> {
    orb: &'c Orb,
    code_sets: CodeSets,
    intercepted: Option<&'c Intercepted<'c>>,
    finish: Finish<'c>,
}

impl ReplyReceiver<Result<Answer, SystemException>> for TakeReply<'_> {
    fn take(&mut self, arrived: ClientEvent<'_, ()>) -> Result<Answer, SystemException> {
        match arrived {
            ClientEvent::Reply((), header, body) => self.take_reply(header, body),
            _ => Err(wrong_reply()),
        }
    }

    #[inline(always)]
    fn take_reply(
        &mut self,
        header: ReplyHeader<'_>,
        body: Decoder<'_>,
    ) -> Result<Answer, SystemException> {
        if let Some(intercepted) = self.intercepted {
            (intercepted.take_reply)(&header.contexts);
        }
        let mut body = body.with_code_sets(self.code_sets).with_context(self.orb);
        let taken = take_reply(&header, &mut body, &mut *self.finish);
        body.end();
        taken
    }
}
