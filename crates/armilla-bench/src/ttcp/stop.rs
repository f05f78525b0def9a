//! Ending a test before its time.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Ends a test before its time; what has gone until then is told as at any other end. All clones are one,
/// and any thread may ask.
#[derive(Clone, Default)]
pub struct Stop(Arc<Shared>);

#[derive(Default)]
struct Shared {
    asked: AtomicBool,
    /// What wakes the side that waits.
    wake: Mutex<Option<Box<dyn Fn() + Send>>>,
    changed: Condvar,
}

impl Stop {
    /// Asks the side that has this to end. A receiver ends at once; a transmitter sends no more pieces, and
    /// ends when the one under way has left and the receiver has answered.
    pub fn request(&self) {
        let wake = self.wake();
        self.0.asked.store(true, Ordering::Release);
        self.0.changed.notify_all();
        if let Some(wake) = &*wake {
            wake();
        }
    }

    /// Whether it was asked.
    pub fn is_requested(&self) -> bool {
        self.0.asked.load(Ordering::Acquire)
    }

    /// Has `wake` called when it is asked, in place of what was to be called before; now, if it was asked
    /// already.
    pub(super) fn wakes(&self, wake: impl Fn() + Send + 'static) {
        let mut present = self.wake();
        if self.is_requested() {
            wake();
        }
        *present = Some(Box::new(wake));
    }

    /// Sleeps for `time`, unless it is asked.
    pub(super) fn sleep(&self, time: Duration) {
        let rested = self.0.changed.wait_timeout_while(self.wake(), time, |_| !self.is_requested());
        drop(rested);
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

/// What a receiver returns that is stopped while it waits for a transmitter.
pub(super) fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "stopped before anybody transmitted")
}
