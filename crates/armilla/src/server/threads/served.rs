//! What the threads of a server know of a connection.

use super::leadership::LeadToken;
use super::worker::Worker;
use crate::server::reply::close_reason::CloseReason;
use crate::server::reply::sink::ReplySink;
use armilla_giop::engine::{Activity, TimeoutKind};
use std::os::fd::BorrowedFd;
use std::sync::Arc;

/// A connection that threads share.
pub(in crate::server) type SharedConnection = Arc<dyn ServedConnection + Send + Sync>;

/// A connection, as the threads serve it.
pub(in crate::server) trait ServedConnection: ReplySink {
    /// What the reactor waits for; `None` where a stream has no descriptor.
    fn descriptor(&self) -> Option<BorrowedFd<'_>>;

    /// Leads the connection from a thread of its own. A panic ends the connection only.
    fn lead(self: Arc<Self>, token: LeadToken, worker: &mut Worker);

    /// Handles an event of the reactor, as [`lead`](Self::lead) does.
    fn take_event(self: Arc<Self>, worker: &mut Worker);

    /// Serves the requests that were already read, as [`lead`](Self::lead) does.
    fn serve_arrived(self: Arc<Self>, token: LeadToken, worker: &mut Worker);

    /// Ends the connection. The leader calls it and does not lead any more.
    fn conclude(&self, end: &CloseReason);

    /// Ends the connection, of which the shutdown does not wait any more.
    fn abandon(&self);

    /// Makes the current read, or else the next one, return zero octets.
    fn wake(&self, timeout: TimeoutKind);

    /// Shuts the connection down if the client does not read what is queued for it.
    fn close_if_stuck(&self);

    /// Lets another thread lead it: the servant entered with `seen` is slow. `false` if that is not
    /// possible yet.
    fn hand_over_slow(self: Arc<Self>, seen: LeadToken) -> bool;

    /// What the leader is doing, for timeouts.
    fn activity(&self) -> Activity;

    /// Whether a large message came or went, so that its thread has memory to release.
    fn is_large(&self) -> bool;

    /// Whether the client has had several requests in progress at once.
    fn is_multiplexed(&self) -> bool;

    /// Whether the connection carries requests both ways.
    fn is_bidirectional(&self) -> bool;

    /// Whether a servant here may still call in the other direction or wait for replies.
    fn may_call(&self) -> bool;

    /// Whether a reply is pending in either direction.
    fn has_pending_replies(&self) -> bool;
}

/// What a leader does once it has served every request that has arrived.
#[derive(Clone, Copy)]
pub(in crate::server) enum AfterServing {
    /// It blocks until more arrives.
    Wait,
    /// It reads once more without blocking.
    Poll,
    /// It returns.
    Return,
}
