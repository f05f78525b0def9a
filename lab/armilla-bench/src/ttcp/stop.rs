//! Ending a test early.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Ends a test early; the test then reports its results so far. All clones share their state, and
/// any thread may request the stop.
#[derive(Clone, Default)]
pub struct Stop(Arc<Shared>);

#[derive(Default)]
struct Shared {
    requested: AtomicBool,
    /// Wakes the side that waits.
    wake: Mutex<Option<Box<dyn Fn() + Send>>>,
    changed: Condvar,
}

impl Stop {
    /// Requests the stop. A receiver ends at once. A transmitter finishes the current piece, waits
    /// for the receiver's report, and ends.
    pub fn request(&self) {
        let wake = self.wake();
        self.0.requested.store(true, Ordering::Release);
        self.0.changed.notify_all();
        if let Some(wake) = &*wake {
            wake();
        }
    }

    /// Whether the stop was requested.
    pub fn is_requested(&self) -> bool {
        self.0.requested.load(Ordering::Acquire)
    }

    /// Calls `wake` on the request, in place of an earlier function; at once if the stop was
    /// requested already.
    pub(super) fn on_request(&self, wake: impl Fn() + Send + 'static) {
        let mut present = self.wake();
        if self.is_requested() {
            wake();
        }
        *present = Some(Box::new(wake));
    }

    /// Sleeps for `time`, or until the stop is requested.
    pub(super) fn sleep(&self, time: Duration) {
        let waited = self.0.changed.wait_timeout_while(self.wake(), time, |_| !self.is_requested());
        drop(waited);
    }

    fn wake(&self) -> MutexGuard<'_, Option<Box<dyn Fn() + Send>>> {
        self.0.wake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_requested()).finish()
    }
}

/// The error of a receiver that is stopped while it waits for a transmitter.
pub(super) fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "stopped before a transmitter connected")
}
