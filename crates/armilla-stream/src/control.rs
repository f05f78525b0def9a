//! Watching and controlling a flow from another thread.

use crate::carrier::Carrier;
use std::fmt;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;
#[cfg(feature = "futures-io")]
use std::task::{Context, Poll};
use std::time::Duration;

/// Tells how far a flow is, holds it back and cancels it. Clones stand for the same flow; any thread
/// may use them.
///
/// It can be made before the flow begins, and outlives it.
#[derive(Clone, Default)]
pub struct FlowControl(Arc<Shared>);

#[derive(Default)]
struct Shared {
    transferred: AtomicU64,
    ended: AtomicBool,
    cancelled: AtomicBool,
    /// Whether the octets are held back; read without the lock by those who move octets.
    stopped: AtomicBool,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    carrier: Weak<Carrier>,
    tasks: Vec<Waker>,
}

impl FlowControl {
    /// The control of a flow that is still to come.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many octets this side has sent or received in this flow.
    pub fn transferred(&self) -> u64 {
        self.0.transferred.load(Ordering::Relaxed)
    }

    /// Whether the flow has ended, well or not.
    pub fn ended(&self) -> bool {
        self.0.ended.load(Ordering::Acquire)
    }

    /// Whether the flow was cancelled by [`cancel`](Self::cancel).
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Holds back the octets of this side. The other side goes on waiting within its limits.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Release);
    }

    /// Lets the octets flow again.
    pub fn start(&self) {
        let mut waiting = self.waiting();
        self.0.stopped.store(false, Ordering::Release);
        waiting.tasks.drain(..).for_each(Waker::wake);
        self.0.changed.notify_all();
    }

    /// Ends the flow: both ends fail, this one at once with
    /// [`Cancelled`](crate::StreamError::Cancelled).
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        self.start();
        // Under the lock, so that the connection is not the next flow's meanwhile.
        let waiting = self.waiting();
        if let Some(carrier) = waiting.carrier.upgrade() {
            // A stream whose peer has gone needs no end.
            carrier.stream().shutdown(Shutdown::Both).ok();
        }
    }

    /// The flow runs over this carrier.
    pub(crate) fn attach(&self, carrier: &Arc<Carrier>) {
        self.waiting().carrier = Arc::downgrade(carrier);
        if self.is_cancelled() {
            self.cancel();
        }
    }

    /// The flow has left its carrier; false if it was cancelled before.
    pub(crate) fn detach(&self) -> bool {
        self.waiting().carrier = Weak::new();
        !self.is_cancelled()
    }

    pub(crate) fn moved(&self, octets: u64) {
        // One side moves the octets of a flow, in one thread at a time.
        self.0.transferred.fetch_add(octets, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.0.ended.store(true, Ordering::Release);
    }

    /// Waits while the flow is stopped; false if it takes longer than `limit`.
    pub(crate) fn wait_to_go(&self, limit: Duration) -> bool {
        if !self.0.stopped.load(Ordering::Acquire) {
            return true;
        }
        let stopped = |_: &mut Waiting| self.0.stopped.load(Ordering::Acquire);
        let waited = self.0.changed.wait_timeout_while(self.waiting(), limit, stopped);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// The same for a task.
    #[cfg(feature = "futures-io")]
    pub(crate) fn poll_to_go(&self, cx: &Context<'_>) -> Poll<()> {
        if !self.0.stopped.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        let mut waiting = self.waiting();
        if !self.0.stopped.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        if !waiting.tasks.iter().any(|task| task.will_wake(cx.waker())) {
            waiting.tasks.push(cx.waker().clone());
        }
        Poll::Pending
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for FlowControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlowControl")
            .field("transferred", &self.transferred())
            .field("ended", &self.ended())
            .finish_non_exhaustive()
    }
}
