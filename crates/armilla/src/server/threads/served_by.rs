//! What waits for the requests of a connection.

use super::reactor_connection::ReactorConnection;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What waits for the requests of a connection.
pub(in crate::server) enum ServedBy {
    /// A thread of its own.
    Thread(#[expect(dead_code, reason = "it counts by being there")] ThreadSlot),
    /// The reactor.
    Reactor(ReactorConnection),
}

/// Counts a connection with a thread of its own, until dropped.
pub(in crate::server) struct ThreadSlot(Arc<AtomicUsize>);

impl ThreadSlot {
    /// Counts one more. Returns how many there were before, too.
    pub(in crate::server) fn take(count: &Arc<AtomicUsize>) -> (usize, Self) {
        (count.fetch_add(1, Ordering::Relaxed), Self(count.clone()))
    }
}

impl Drop for ThreadSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
