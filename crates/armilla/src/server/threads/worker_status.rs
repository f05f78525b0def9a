//! The status of a worker thread, for the monitor to look at, and the hooks with which the thread
//! reports that it is about to block.

use super::leadership::LeadToken;
use super::served::SharedConnection;
use super::worker_threads::WorkerThreads;
use crate::sync::lock;
use crate::threads::{BlockingHooks, set_blocking_hooks};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The status of one worker thread. Only that thread writes it, except that the monitor may set
/// `blocked`; `seen` and `ticks` are the monitor's alone.
#[derive(Default)]
pub(in crate::server) struct WorkerStatus {
    /// Counts each entry into a servant and each return from one: odd while the thread is in a
    /// servant.
    serial: AtomicU64,
    /// The lead token with which the thread entered the servant.
    token: AtomicU64,
    /// Whether the request being served is oneway.
    oneway: AtomicBool,
    /// Whether the thread counts as one of the pool's blocked threads.
    blocked: AtomicBool,
    /// Whether the thread belongs to the reactor's pool.
    pooled: bool,
    connection: Mutex<Option<SharedConnection>>,
    /// The monitor's: the serial at the last look, and how many looks in a row have found it
    /// unchanged.
    seen: AtomicU64,
    ticks: AtomicU32,
}

/// The threads of which a worker is one.
pub(in crate::server) trait WorkerPool: Send + Sync {
    /// How they are made.
    fn threads(&self) -> &WorkerThreads;

    /// The statuses of all of them.
    fn statuses(&self) -> &Mutex<Vec<Arc<WorkerStatus>>>;

    /// Wakes connections that have waited too long. Returns the time until one may have, if nothing
    /// happens of which the monitor is told; `None` if none can.
    fn sweep(&self) -> Option<Duration>;

    /// Notes that nothing has happened until now of which the monitor was told.
    fn note_quiet(&self);

    /// Counts a thread of the reactor's pool as blocked in something other than waiting for
    /// requests.
    fn blocked(self: Arc<Self>);

    /// Counts a blocked thread as running again.
    fn unblocked(&self);
}

/// What a look at a status shows.
pub(in crate::server) enum Observation {
    /// The thread has entered or left a servant since the last look.
    Changed,
    /// The thread is in no servant, as at the last look.
    Idle,
    /// The thread has been in the same servant for this many looks.
    Same(u32),
}

/// A worker: the threads of which it is one, and its status.
type Current = (Arc<dyn WorkerPool>, Arc<WorkerStatus>);

thread_local! {
    /// The status of the calling thread, if it is a worker.
    static CURRENT: RefCell<Option<Current>> =
        const { RefCell::new(None) };
}

impl WorkerStatus {
    /// Creates the status of the calling thread, and installs its blocking hooks.
    pub(in crate::server) fn new(workers: Arc<dyn WorkerPool>, pooled: bool) -> Arc<Self> {
        let status = Arc::new(Self { pooled, ..Self::default() });
        CURRENT.set(Some((workers, status.clone())));
        set_blocking_hooks(&BlockingHooks { begin: begin_blocking, end: end_blocking });
        status
    }

    /// Sets the connection that the thread serves.
    pub(in crate::server) fn set_connection(&self, connection: SharedConnection) {
        *lock(&self.connection) = Some(connection);
    }

    pub(in crate::server) fn clear_connection(&self) {
        // Dropped without the lock: this may be the last reference to the connection.
        let left = lock(&self.connection).take();
        drop(left);
    }

    /// Notes that the thread enters a servant.
    #[inline]
    pub(in crate::server) fn enter_servant(&self, token: LeadToken, oneway: bool) {
        self.token.store(token.to_bits(), Ordering::Relaxed);
        self.oneway.store(oneway, Ordering::Relaxed);
        self.count();
    }

    /// Notes that the servant has returned.
    #[inline]
    pub(in crate::server) fn leave_servant(&self, workers: &(impl WorkerPool + ?Sized)) {
        self.count();
        self.unblock(workers);
    }

    /// Notes that the thread serves nothing after a panic.
    pub(in crate::server) fn recover(&self, workers: &(impl WorkerPool + ?Sized)) {
        if self.is_serving() {
            self.leave_servant(workers);
        }
        self.clear_connection();
    }

    /// Counts the thread as running again, if it counted as blocked.
    #[inline]
    pub(in crate::server) fn unblock(&self, workers: &(impl WorkerPool + ?Sized)) {
        if self.blocked.load(Ordering::Relaxed) && self.blocked.swap(false, Ordering::AcqRel) {
            workers.unblocked();
        }
    }

    #[inline]
    fn count(&self) {
        let serial = self.serial.load(Ordering::Relaxed);
        self.serial.store(serial.wrapping_add(1), Ordering::Release);
    }

    /// Looks at the status for the monitor, and remembers what it saw.
    pub(in crate::server) fn look(&self) -> Observation {
        let serial = self.serial.load(Ordering::Acquire);
        if self.seen.swap(serial, Ordering::Relaxed) != serial {
            self.ticks.store(0, Ordering::Relaxed);
            return Observation::Changed;
        }
        match serial % 2 {
            0 => Observation::Idle,
            _ => Observation::Same(self.ticks.fetch_add(1, Ordering::Relaxed).saturating_add(1)),
        }
    }

    /// The connection whose request the calling thread is serving; `None` outside a servant and in
    /// threads that are not workers.
    pub(in crate::server) fn current_connection() -> Option<SharedConnection> {
        let served = CURRENT.try_with(|mine| {
            let mine = mine.borrow();
            let (_, status) = mine.as_ref().filter(|(_, status)| status.is_serving())?;
            lock(&status.connection).clone()
        });
        served.ok().flatten()
    }

    fn is_serving(&self) -> bool {
        self.serial.load(Ordering::Relaxed) % 2 == 1
    }

    /// Whether the request being served, or else the last one, is oneway.
    pub(in crate::server) fn is_oneway(&self) -> bool {
        self.oneway.load(Ordering::Relaxed)
    }

    /// Counts the thread as blocked. The pool then starts another one in its place.
    pub(in crate::server) fn mark_blocked(&self, workers: &Arc<impl WorkerPool + ?Sized>) {
        if self.pooled && !self.blocked.swap(true, Ordering::AcqRel) {
            workers.clone().blocked();
        }
    }

    /// Lets another thread lead the connection that this thread serves: its request is slow. `false`
    /// if that is not possible yet.
    pub(in crate::server) fn hand_over_lead(&self) -> bool {
        let connection = lock(&self.connection).clone();
        let seen = LeadToken::from_bits(self.token.load(Ordering::Relaxed));
        connection.is_none_or(|connection| connection.hand_over_slow(seen))
    }
}

/// Hands the duties of the calling thread over to other threads. Returns `false` when it is in no
/// servant.
#[cold]
#[inline(never)]
fn begin_blocking() -> bool {
    CURRENT.with_borrow(|mine| {
        // Outside a servant no request waits for this thread.
        let Some((workers, status)) = mine.as_ref().filter(|(_, status)| status.is_serving())
        else {
            return false;
        };
        let (shared, bidirectional) = lock(&status.connection)
            .as_ref()
            .map_or((false, false), |c| (c.is_multiplexed(), c.is_bidirectional()));
        // On a bidirectional connection the thread may be about to wait for a reply that arrives
        // there.
        if bidirectional || (status.pooled || shared) && !status.is_oneway() {
            status.hand_over_lead();
        }
        status.mark_blocked(workers);
        true
    })
}

#[cold]
#[inline(never)]
fn end_blocking() {
    CURRENT.with_borrow(|mine| {
        if let Some((workers, status)) = mine {
            status.unblock(&**workers);
        }
    });
}
