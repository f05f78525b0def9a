//! Time limits of calls: one number per connection, and one thread that checks them all.
//!
//! A kernel timer for each read would cost more than everything else that a call adds to the socket
//! operations. The limit of a long call is therefore a number in memory. The housekeeping
//! thread checks the numbers. It shuts the connection down for
//! reading when a call has expired, which wakes the caller. The thread sleeps until the earliest
//! limit, and at most for [`SHORTEST`], so that it is never late for a call that began meanwhile.
//! Shorter limits are left to the socket's own timeout.

use crate::sync::lock;
use armilla_ipc::{CoarseInstant, Stream, coarse_now};
use std::net::Shutdown;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The shortest limit that a call timer enforces.
pub(in crate::client) const SHORTEST: Duration = Duration::from_secs(1);

/// No call is under way.
const FREE: u64 = 0;

/// The call under way has expired, and its connection is shut down for reading.
const EXPIRED: u64 = 1;

/// The timer of one connection: the time at which the call under way expires, in nanoseconds of the
/// coarse clock.
pub(crate) struct CallTimer {
    stream: Arc<dyn Stream>,
    end: AtomicU64,
}

impl CallTimer {
    /// Starts the timer for a call that expires at `end`. The value differs from [`FREE`] and
    /// [`EXPIRED`], because `end` is at least [`SHORTEST`] after the start of the clock.
    #[inline]
    pub(in crate::client) fn begin(&self, end: CoarseInstant) {
        self.end.store(end.as_nanos(), Ordering::Release);
    }

    /// Stops the timer. `false` when the call had expired; the connection is then unusable.
    #[inline]
    pub(in crate::client) fn end(&self) -> bool {
        self.end.swap(FREE, Ordering::AcqRel) != EXPIRED
    }

    /// Expires the call under way if it is due. Returns the time at which it is due otherwise.
    fn expire_due(&self, now: u64) -> Option<u64> {
        let end = self.end.load(Ordering::Acquire);
        if end == FREE || end == EXPIRED {
            return None;
        }
        if end > now {
            return Some(end);
        }
        // If the exchange fails, the call has just ended.
        if self.end.compare_exchange(end, EXPIRED, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            // A failure means that the connection has already ended, which wakes the reader too.
            self.stream.shutdown(Shutdown::Read).ok();
        }
        None
    }
}

/// The timers of all connections of an ORB.
#[derive(Default)]
pub(in crate::client) struct CallTimers(Mutex<Vec<Weak<CallTimer>>>);

impl CallTimers {
    /// Adds a timer for a new connection.
    pub(in crate::client) fn add(&self, stream: &Arc<dyn Stream>) -> Arc<CallTimer> {
        let call_timer = Arc::new(CallTimer { stream: stream.clone(), end: AtomicU64::new(FREE) });
        lock(&self.0).push(Arc::downgrade(&call_timer));
        call_timer
    }

    /// Expires the calls that are due. Returns the time until the next check.
    pub(in crate::client) fn expire_due(&self) -> Duration {
        let now = coarse_now().as_nanos();
        let mut earliest = u64::MAX;
        lock(&self.0).retain(|call_timer| {
            let call_timer = call_timer.upgrade();
            let end = call_timer.as_ref().and_then(|call_timer| call_timer.expire_due(now));
            earliest = earliest.min(end.unwrap_or(u64::MAX));
            call_timer.is_some()
        });
        Duration::from_nanos(earliest.saturating_sub(now)).min(SHORTEST)
    }
}
