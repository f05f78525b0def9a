//! Connections to servers: requests go out over them, and replies come back. A connection knows
//! neither the endpoint that it belongs to nor the call that waits for a reply.

mod call_timer;
mod carrier;
mod exclusive;
mod loss;
mod multiplexed;
mod peer_name;
mod pending_reply;
mod reactor_threads;
mod reply_memory;
mod silence;

pub(in crate::client) use call_timer::CallTimers;
pub(crate) use carrier::Carrier;
pub(in crate::client) use exclusive::{ExclusiveConnection, IdlePool, ReceivedMessage};
pub(in crate::client) use multiplexed::{BorrowedBuffers, Rest, Sending};
pub(crate) use multiplexed::{ConnectionSetup, MultiplexedConnection, Ready};
pub(crate) use peer_name::PeerName;
pub(in crate::client) use pending_reply::{PendingReply, is_same};
pub(in crate::client) use reactor_threads::{
    DeferTo, Deferred, PANICKED, ReactorThreads, contain, defer, defers, may_block,
};
pub(in crate::client) use reply_memory::ReplyMemory;
pub(crate) use silence::SilenceListener;

use std::time::Duration;

/// A connection that was used within this time is used again without a check that it is alive.
pub(in crate::client) const FRESH: Duration = Duration::from_millis(10);
