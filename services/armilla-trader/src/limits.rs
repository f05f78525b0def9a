//! What a trader spends on its clients at most.

use std::time::Duration;

/// The limits of a trader that the specification has no attributes for.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a query may take that asks others: for dynamic properties, at linked traders, at
    /// the targets of proxy offers. What has not answered then is left out. Default: 10 s.
    pub query_time: Duration,
    /// How long one call to another object may take: to evaluate a dynamic property, to ask whether
    /// an object has an interface. Default: 2 s.
    pub call_time: Duration,
    /// How many such calls a query makes at once. Default: 8.
    pub parallel_calls: usize,
    /// How many threads make such calls for all queries, besides those that serve them. Default: 128.
    pub call_threads: usize,
    /// How many iterators there are; a further one ends the one that was used least recently.
    /// Default: 1,000.
    pub iterators: usize,
    /// An iterator that is not used for so long ends. Default: 10 minutes.
    pub iterator_idle: Duration,
    /// How many offers there are. Default: 10,000,000.
    pub offers: usize,
    /// How many changes may wait for the ends of their transactions. Default: 10,000.
    pub pending: usize,
    /// How many ids of queries are remembered, to end circles of links. Default: 10,000.
    pub request_ids: usize,
    /// Whether clients on other hosts may set attributes, change links, and mask or remove service
    /// types. Default: false.
    pub remote_operators: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            query_time: Duration::from_secs(10),
            call_time: Duration::from_secs(2),
            parallel_calls: 8,
            call_threads: 128,
            iterators: 1_000,
            iterator_idle: Duration::from_secs(600),
            offers: 10_000_000,
            pending: 10_000,
            request_ids: 10_000,
            remote_operators: false,
        }
    }
}
