//! The open connections of a server, so that they can be counted and closed.

use crate::orb::lock;
use armilla_ipc::Stream;
use std::collections::HashMap;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Default)]
pub(crate) struct Registry {
    open: Mutex<Open>,
    one_less: Condvar,
    closing: AtomicBool,
}

#[derive(Default)]
struct Open {
    streams: HashMap<u64, Arc<dyn Stream>>,
    next: u64,
}

/// A connection's entry; dropping it takes it out.
pub(crate) struct Place {
    registry: Arc<Registry>,
    number: u64,
}

impl Registry {
    /// Enters a connection, unless `limit` are open or the server closes.
    pub(crate) fn enter(self: &Arc<Self>, stream: &Arc<dyn Stream>, limit: usize) -> Option<Place> {
        let mut open = lock(&self.open);
        if self.closing.load(Ordering::Acquire) || open.streams.len() >= limit {
            return None;
        }
        let number = open.next;
        open.next += 1;
        open.streams.insert(number, stream.clone());
        Some(Place { registry: self.clone(), number })
    }

    /// Wakes every connection that waits for a request, so that it sees that the server closes, and
    /// waits up to `limit` for all to end. Returns how many are left.
    pub(crate) fn drain(&self, limit: Duration) -> usize {
        self.closing.store(true, Ordering::Release);
        let mut open = lock(&self.open);
        for stream in open.streams.values() {
            // A connection that is gone already needs no waking.
            stream.shutdown(Shutdown::Read).ok();
        }
        let end = Instant::now() + limit;
        while !open.streams.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.one_less.wait_timeout(open, left);
            open = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        open.streams.len()
    }
}

impl Place {
    /// Whether the server closes: no more requests are to be begun.
    #[inline]
    pub(crate) fn is_closing(&self) -> bool {
        self.registry.closing.load(Ordering::Acquire)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.registry.open).streams.remove(&self.number);
        self.registry.one_less.notify_all();
    }
}
