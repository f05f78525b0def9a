//! Rates, and shares of time.

use armilla_ipc::tcp::TcpInfo;
use std::time::Duration;

/// The throughput in Mbit/s.
pub(super) fn speed(octets: u64, elapsed: Duration) -> f64 {
    octets as f64 * 8.0 / elapsed.as_secs_f64().max(1e-9) / 1e6
}

/// The share of `elapsed` that a processor was busy, in percent.
pub(super) fn share(processor: Duration, elapsed: Duration) -> f64 {
    processor.as_secs_f64() / elapsed.as_secs_f64().max(1e-9) * 100.0
}

/// The time of a TCP sender by limit, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Division {
    /// Nothing to send.
    pub(super) idle: f64,
    /// The receiver's window was full.
    pub(super) window: f64,
    /// The send queue was full, and all of it in flight.
    pub(super) queue: f64,
    /// The path allowed no more data in flight.
    pub(super) path: f64,
}

impl Division {
    /// The division of a test that took `elapsed`.
    pub(super) fn of(elapsed: Duration, tcp: &TcpInfo) -> Self {
        let whole = elapsed.max(tcp.busy);
        let path = tcp.busy.saturating_sub(tcp.window_limited).saturating_sub(tcp.queue_limited);
        Self {
            idle: share(whole - tcp.busy, whole),
            window: share(tcp.window_limited, whole),
            queue: share(tcp.queue_limited, whole),
            path: share(path, whole),
        }
    }
}
