//! How calls use connections, and how long a oneway call waits: what a program can choose for an ORB
//! or a reference.

use std::time::Duration;

/// How the calls to an endpoint share connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ConnectionPolicy {
    /// A connection carries one call at a time, and there are as many as calls at the same time: what
    /// takes the least time where these are few.
    #[default]
    Exclusive,
    /// [`Settings::connections_per_endpoint`](crate::Settings::connections_per_endpoint) connections
    /// carry all calls. Who waits for a reply reads those of the others too.
    Multiplexed,
}

/// When a oneway call returns (CORBA 3.4 Part 1, 17.3.2.1, `Messaging::SyncScope`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SyncScope {
    /// At once: `SYNC_NONE`. Small calls wait for each other and leave together, see
    /// [`OnewayBuffer`]; that one could not be sent nobody hears. A call that fills the buffer, or has
    /// 32 KiB or more, leaves with those before it, uncopied, and returns when the operating system has
    /// it.
    None,
    /// When the operating system has the request: `SYNC_WITH_TRANSPORT`.
    #[default]
    WithTransport,
    /// When the server has received it and is about to call the servant: `SYNC_WITH_SERVER`.
    WithServer,
    /// When the servant has returned: `SYNC_WITH_TARGET`.
    WithTarget,
}

/// When oneway calls that wait for each other under [`SyncScope::None`] leave: as soon as one of the
/// limits is reached, before any other call over the same connection, and with `flush`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnewayBuffer {
    /// How many wait. 1,000.
    pub count: usize,
    /// How many octets wait. 64 KiB.
    pub octets: usize,
    /// How long the first of them waits. 1 ms.
    pub delay: Duration,
}

impl Default for OnewayBuffer {
    fn default() -> Self {
        Self { count: 1000, octets: 64 * 1024, delay: Duration::from_millis(1) }
    }
}
