//! A call without a waiting thread, as the connection that carries it sees it.

use super::multiplexed::MultiplexedConnection;
use crate::client::request::Deadline;
use crate::exception::SystemException;
use armilla_cdr::CodeSets;
use armilla_giop::Message;
use std::sync::{Arc, Weak};

/// What a connection completes: with a reply, or with a failure. The connection stores the outcome
/// first, and [resumes](Self::resume) it once it holds no lock and has given up reading.
pub(in crate::client) trait PendingReply: Send + Sync {
    /// The time limits of the call, where it goes now.
    fn deadline(&self) -> &Deadline;

    /// Whether the call has ended.
    fn is_done(&self) -> bool;

    /// Records that the request is sent over `link` with this request id.
    fn set_connection(&self, link: Option<Arc<MultiplexedConnection>>, id: u32);

    /// Records that the call waits for room on a connection.
    fn set_room(&self, room: Weak<MultiplexedConnection>);

    /// Stores the reply.
    fn store_reply(&self, reply: &Message<'_>, code_sets: CodeSets);

    /// Stores the failure of the call.
    fn store_failure(&self, exception: SystemException);

    /// Processes what is stored. Runs interceptors and callbacks, or has another thread run them.
    fn resume(self: Arc<Self>);

    /// Resumes the call with the connection that was made for it.
    fn continue_over(self: Arc<Self>, link: Result<Arc<MultiplexedConnection>, SystemException>);

    /// Sends the call, which has waited for room on this connection.
    fn continue_with_room(self: Arc<Self>, link: &MultiplexedConnection);
}

/// Whether both are the same call.
pub(in crate::client) fn is_same(one: &dyn PendingReply, other: &dyn PendingReply) -> bool {
    std::ptr::addr_eq(one, other)
}

/// Resumes calls whose replies have been read.
pub(in crate::client) fn resume_all(calls: Vec<Arc<dyn PendingReply>>) {
    calls.into_iter().for_each(PendingReply::resume);
}
