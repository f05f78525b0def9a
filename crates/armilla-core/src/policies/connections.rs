//! The connection policy, the sync scope and the buffering of oneway calls.

use armilla_giop::ResponseFlags;
use std::time::Duration;

/// How the calls to an endpoint share connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ConnectionPolicy {
    /// A connection carries one call at a time; concurrent calls use separate connections. It has
    /// the lowest latency while few calls are concurrent.
    #[default]
    Exclusive,
    /// [`Settings::connections_per_endpoint`](crate::settings::Settings::connections_per_endpoint)
    /// connections carry all calls. A thread that waits for its reply also reads the replies of
    /// other threads.
    Multiplexed,
}

/// When a oneway call returns (CORBA 3.4 Part 1, 17.3.2.1, `Messaging::SyncScope`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "SyncScopePolicy")]
pub enum SyncScope {
    /// At once: `SYNC_NONE`. The client buffers small requests and sends them together; see
    /// [`OnewayBuffer`]. The caller does not learn of a failure to send. A request of 32 KiB or
    /// more, or one that fills the buffer, is sent with the buffered ones and not copied; that call
    /// returns when the operating system has accepted the request.
    #[doc(alias = "SYNC_NONE")]
    None,
    /// When the operating system has accepted the request: `SYNC_WITH_TRANSPORT`.
    #[default]
    #[doc(alias = "SYNC_WITH_TRANSPORT")]
    WithTransport,
    /// When the server has received the request and is about to call the servant:
    /// `SYNC_WITH_SERVER`.
    #[doc(alias = "SYNC_WITH_SERVER")]
    WithServer,
    /// When the servant has returned: `SYNC_WITH_TARGET`.
    #[doc(alias = "SYNC_WITH_TARGET")]
    WithTarget,
}

impl SyncScope {
    /// What a request with this scope asks its server for.
    #[doc(hidden)]
    pub const fn response_flags(self) -> ResponseFlags {
        match self {
            Self::None | Self::WithTransport => ResponseFlags::None,
            Self::WithServer => ResponseFlags::Server,
            Self::WithTarget => ResponseFlags::Target,
        }
    }
}

/// The limits of the buffer for oneway requests with [`SyncScope::None`]. The client sends the
/// buffered requests when one of the limits is reached, before any other request on the same
/// connection, and on `flush`.
///
/// ```
/// use armilla::{OnewayBuffer, Orb, SyncScope};
/// use std::time::Duration;
///
/// // Oneway calls return at once and are sent together, at the latest after 5 ms.
/// let orb = Orb::builder()
///     .settings(|settings| {
///         settings.sync_scope = SyncScope::None;
///         settings.oneway_buffer =
///             OnewayBuffer { delay: Duration::from_millis(5), ..OnewayBuffer::default() };
///     })
///     .build()?;
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnewayBuffer {
    /// The number of requests. Default: 1,000.
    pub count: usize,
    /// The size of the requests in octets. Default: 64 KiB.
    pub octets: usize,
    /// The time that the first request waits. Default: 1 ms.
    pub delay: Duration,
}

impl Default for OnewayBuffer {
    fn default() -> Self {
        Self { count: 1000, octets: 64 * 1024, delay: Duration::from_millis(1) }
    }
}
