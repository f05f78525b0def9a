//! Time limits of calls: one number per connection, and one thread that checks them all.
//!
//! A kernel timer for each read would cost more than everything else that a call adds to the socket
//! operations. The limit of a long call is therefore a number in memory. The housekeeping
//! thread checks the numbers. It shuts the connection down for
//! reading when a call has expired, which wakes the caller. The thread sleeps until the earliest
//! limit, and at most for [`SHORTEST`], so that it is never late for a call that began meanwhile.
//! Shorter limits are left to the socket's own timeout.
//!
//! Nor does the thread look while nobody calls. When it finds a connection unused, the timer rests,
//! and the next call on that connection wakes the thread. Only if all timers rest does it sleep for
//! longer.

use crate::sync::lock;
use crate::threads::Sleeper;
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

/// No call is under way, and the next one [says so](CallTimer::end_rest).
const RESTING: u64 = 2;

/// The timer of one connection: the time at which the call under way expires, in nanoseconds of the
/// coarse clock.
pub(crate) struct CallTimer {
    stream: Arc<dyn Stream>,
    end: AtomicU64,
    housekeeper: Arc<Sleeper>,
}

impl CallTimer {
    /// Lets the timer rest between two calls.
    pub(in crate::client) fn rest(&self) {
        self.end.compare_exchange(FREE, RESTING, Ordering::AcqRel, Ordering::Relaxed).ok();
    }

    /// Tells the housekeeping thread of the first call after the [rest](Self::rest), whose time has
    /// [begun](Self::begin) if it is watched here.
    #[cold]
    pub(in crate::client) fn end_rest(&self) {
        self.end.compare_exchange(RESTING, FREE, Ordering::AcqRel, Ordering::Relaxed).ok();
        self.housekeeper.wake_if_asleep();
    }

    /// Starts the timer for a call that expires at `end`. The value differs from [`FREE`],
    /// [`EXPIRED`] and [`RESTING`], because `end` is at least [`SHORTEST`] after the start of the clock.
    #[inline]
    pub(in crate::client) fn begin(&self, end: CoarseInstant) {
        self.end.store(end.as_nanos(), Ordering::Release);
    }

    /// Stops the timer. `false` when the call had expired; the connection is then unusable.
    #[inline]
    pub(in crate::client) fn end(&self) -> bool {
        self.end.swap(FREE, Ordering::AcqRel) != EXPIRED
    }

    /// Expires the call under way if it is due. Returns the time at which to look again; `None` if
    /// the timer rests.
    fn expire_due(&self, now: u64) -> Option<u64> {
        let end = self.end.load(Ordering::Acquire);
        if end > now {
            return Some(end);
        }
        // If the exchange fails, the call has just ended.
        if end > RESTING
            && self.end.compare_exchange(end, EXPIRED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        {
            // A failure means that the connection has already ended, which wakes the reader too.
            self.stream.shutdown(Shutdown::Read).ok();
        }
        (end != RESTING).then_some(u64::MAX)
    }
}

/// The timers of all connections of an ORB.
pub(in crate::client) struct CallTimers {
    all: Mutex<Vec<Weak<CallTimer>>>,
    /// The thread that looks at them.
    housekeeper: Arc<Sleeper>,
}

impl CallTimers {
    /// No timers, at which `housekeeper` looks.
    pub(in crate::client) fn new(housekeeper: &Arc<Sleeper>) -> Arc<Self> {
        Arc::new(Self { all: Mutex::default(), housekeeper: housekeeper.clone() })
    }

    /// Adds a timer for a new connection.
    pub(in crate::client) fn add(&self, stream: &Arc<dyn Stream>) -> Arc<CallTimer> {
        let (stream, housekeeper) = (stream.clone(), self.housekeeper.clone());
        let call_timer = Arc::new(CallTimer { stream, end: AtomicU64::new(FREE), housekeeper });
        lock(&self.all).push(Arc::downgrade(&call_timer));
        self.housekeeper.wake_if_asleep();
        call_timer
    }

    /// Expires the calls that are due. Returns the time until the next check; `None` if all timers
    /// rest.
    pub(in crate::client) fn expire_due(&self) -> Option<Duration> {
        let now = coarse_now().as_nanos();
        let mut earliest = None::<u64>;
        lock(&self.all).retain(|call_timer| {
            let Some(call_timer) = call_timer.upgrade() else { return false };
            earliest = earliest.into_iter().chain(call_timer.expire_due(now)).min();
            true
        });
        let left = |end: u64| Duration::from_nanos(end.saturating_sub(now)).min(SHORTEST);
        earliest.map(left)
    }
}
