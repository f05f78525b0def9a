//! What the metrics counted until one moment.

use super::histogram::Latencies;
use crate::transport::Way;
use std::collections::BTreeMap;

/// Which end of a request.
///
/// ```
/// use armilla::observe::{Metrics, Side};
///
/// let snapshot = Metrics::new().snapshot();
/// let served = snapshot.operations.iter().filter(|((side, _), _)| *side == Side::Server);
/// println!("{} operations were served", served.count());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The ORB that makes the request.
    Client,
    /// The ORB that serves the request.
    Server,
}

/// The counters of a [`Metrics`](super::Metrics) at one moment.
///
/// ```
/// use armilla::observe::Metrics;
///
/// for ((side, operation), counts) in Metrics::new().snapshot().operations {
///     println!("{side:?} {operation}: {} replies, {} retries", counts.replies, counts.retries);
/// }
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// How many requests have started and not ended: at the client, and at the server.
    pub in_flight: (i64, i64),
    /// The counters by side and operation. Operations of a side beyond the first 1,000 are counted
    /// together, as `other`.
    pub operations: BTreeMap<(Side, String), Counts>,
    /// How many connections clients of this process, of all its ORBs, have made by each way; without
    /// those that none has taken.
    pub connections: Vec<(Way, u64)>,
}

/// How requests for one operation ended, and how long they took. An attempt that is forwarded or
/// retried counts as a forward or a retry; the attempt that follows it counts anew.
///
/// ```
/// use armilla::observe::Counts;
///
/// /// The share of the requests that ended with a system exception.
/// fn failure_rate(counts: &Counts) -> f64 {
///     let all = counts.replies + counts.user_exceptions + counts.system_exceptions;
///     counts.system_exceptions as f64 / all.max(1) as f64
/// }
///
/// assert_eq!(failure_rate(&Counts::default()), 0.0);
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Requests that ended with a reply.
    pub replies: u64,
    /// Oneway requests, which expect no reply.
    pub oneways: u64,
    /// Requests that ended with a user exception.
    pub user_exceptions: u64,
    /// Requests that ended with a system exception.
    pub system_exceptions: u64,
    /// Requests that the server, or an interceptor, forwarded to another object.
    pub forwards: u64,
    /// Requests that failed and were retried.
    pub retries: u64,
    /// The times from the beginning of a request to its end.
    pub latencies: Latencies,
}
