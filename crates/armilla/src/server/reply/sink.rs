//! Where the replies to requests go: to the connection of a client, or into memory. Whoever replies
//! knows nothing else of where the request came from.

use crate::runtime::Orb;
use armilla_cdr::Encoder;
use armilla_ipc::{Address, Credentials, Protection, SendError};
use std::sync::Arc;

/// Which reply to a request is still pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum PendingReply {
    /// None: the request is not in progress.
    Nothing,
    /// The thread that serves the request settles it.
    Now,
    /// A response handler settles it later.
    Later,
}

/// The place for the replies to one client.
pub(in crate::server) trait ReplySink {
    /// The ORB that serves the client.
    fn orb(&self) -> &Orb;

    /// The address of the client.
    fn peer(&self) -> &Address;

    /// The process and the user of the client, where the transport tells.
    fn credentials(&self) -> Option<Credentials> {
        None
    }

    /// How the connection of the client is protected, where it is.
    fn protection(&self) -> Option<Arc<Protection>> {
        None
    }

    /// Ends a request, and sends `reply` unless the client has cancelled the request.
    ///
    /// # Errors
    /// When the reply cannot be sent.
    fn settle(
        &self,
        request_id: u32,
        pending: PendingReply,
        reply: Option<&Encoder<'_>>,
    ) -> Result<(), SendError>;

    /// Sends a message that does not end a request.
    ///
    /// # Errors
    /// When it cannot be sent.
    fn send(&self, message: &Encoder<'_>) -> Result<(), SendError>;

    /// Whether the client has cancelled the request or disconnected, as far as is known.
    fn is_abandoned(&self, request_id: u32) -> bool;
}

/// The place for a reply that comes later, from any thread.
pub(in crate::server) type LateSink = Arc<dyn ReplySink + Send + Sync>;

/// The place for the reply to a request that a thread is serving.
pub(in crate::server) trait RequestSink: ReplySink {
    /// Counts the request as one that is answered later. Returns the place for that answer.
    fn defer(&self) -> LateSink;
}

/// Threads that serve requests share the place.
impl<S: ReplySink + ?Sized> ReplySink for Arc<S> {
    fn orb(&self) -> &Orb {
        (**self).orb()
    }

    fn peer(&self) -> &Address {
        (**self).peer()
    }

    fn credentials(&self) -> Option<Credentials> {
        (**self).credentials()
    }

    fn protection(&self) -> Option<Arc<Protection>> {
        (**self).protection()
    }

    #[inline]
    fn settle(
        &self,
        request_id: u32,
        pending: PendingReply,
        reply: Option<&Encoder<'_>>,
    ) -> Result<(), SendError> {
        (**self).settle(request_id, pending, reply)
    }

    fn send(&self, message: &Encoder<'_>) -> Result<(), SendError> {
        (**self).send(message)
    }

    fn is_abandoned(&self, request_id: u32) -> bool {
        (**self).is_abandoned(request_id)
    }
}
