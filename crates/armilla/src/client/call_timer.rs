//! Limits of calls without a timer for each: a target_key beside the connection, and one thread that
//! looks at all marks.
//!
//! A kernel timer per read costs more than all else that a call adds to the sockets. So the limit
//! of a call that may take long is a number in memory, and the thread wakes, by closing its
//! connection, a call whose number has passed. It sleeps until the earliest of them, and no longer
//! than the shortest limit that is kept this way, so that it never comes late to one that began
//! meanwhile. Shorter limits are the socket's own.

use crate::sync::lock;
use armilla_ipc::{CoarseInstant, Stream, coarse_now};
use std::net::Shutdown;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The shortest limit that a target_key keeps.
pub(super) const SHORTEST: Duration = Duration::from_secs(1);

/// No call is under way.
const FREE: u64 = 0;

/// The call under way has run out of time, and the connection reads no more.
const EXPIRED: u64 = 1;

/// The target_key of one connection: when the call under way must end, in nanoseconds of the coarse clock.
pub(crate) struct CallTimer {
    stream: Arc<dyn Stream>,
    end: AtomicU64,
}

impl CallTimer {
    /// A call begins that must end at `end`, which is neither of the two: [`SHORTEST`] lies before it.
    #[inline]
    pub(super) fn begin(&self, end: CoarseInstant) {
        self.end.store(end.as_nanos(), Ordering::Release);
    }

    /// The call ends. `false` when it was out of time, and then the connection is useless.
    #[inline]
    pub(super) fn end(&self) -> bool {
        self.end.swap(FREE, Ordering::AcqRel) != EXPIRED
    }

    /// Ends the call under way if its time has passed. Returns when it must end, if it may go on.
    fn look(&self, now: u64) -> Option<u64> {
        let end = self.end.load(Ordering::Acquire);
        if end == FREE || end == EXPIRED {
            return None;
        }
        if end > now {
            return Some(end);
        }
        // When the exchange fails the call has ended by itself.
        if self.end.compare_exchange(end, EXPIRED, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            // A connection that is gone already wakes its reader by itself.
            self.stream.shutdown(Shutdown::Read).ok();
        }
        None
    }
}

/// The marks of all connections of an ORB.
#[derive(Default)]
pub(super) struct CallTimers(Mutex<Vec<Weak<CallTimer>>>);

impl CallTimers {
    /// A target_key for a new connection.
    pub(super) fn add(&self, stream: &Arc<dyn Stream>) -> Arc<CallTimer> {
        let call_timer = Arc::new(CallTimer { stream: stream.clone(), end: AtomicU64::new(FREE) });
        lock(&self.0).push(Arc::downgrade(&call_timer));
        call_timer
    }

    /// Ends the calls whose time has passed. Returns how long nobody needs to look again.
    pub(super) fn look(&self) -> Duration {
        let now = coarse_now().as_nanos();
        let mut earliest = u64::MAX;
        lock(&self.0).retain(|call_timer| {
            let call_timer = call_timer.upgrade();
            let end = call_timer.as_ref().and_then(|call_timer| call_timer.look(now));
            earliest = earliest.min(end.unwrap_or(u64::MAX));
            call_timer.is_some()
        });
        Duration::from_nanos(earliest.saturating_sub(now)).min(SHORTEST)
    }
}
