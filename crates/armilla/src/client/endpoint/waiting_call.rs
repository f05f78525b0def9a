//! A call without a waiting thread, as the endpoint that makes its connection sees it.

use crate::client::connection::PendingReply;
use crate::client::request::Bound;
use std::sync::Arc;
use std::time::Duration;

/// A call that waits for a connection.
pub(in crate::client) trait WaitingCall: PendingReply {
    /// The time for making a connection; see [`Deadline::connecting`]. `usual` is the ORB's limit.
    ///
    /// [`Deadline::connecting`]: crate::client::request::Deadline::connecting
    fn connecting(&self, usual: Duration) -> Option<(Duration, Bound)>;

    /// Ends a call that expired while it waited for a connection.
    fn end_unsent(self: Arc<Self>);
}
