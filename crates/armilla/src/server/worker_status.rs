//! Where a thread that serves requests can be seen at work, and says when it is about to wait.

use super::connection::Connection;
use super::leadership::LeadToken;
use super::workers::Workers;
use crate::sync::lock;
use crate::threads::{BlockingHooks, set_blocking_hooks};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What one thread shows of itself. Only that thread writes, but for `blocked`.
#[derive(Default)]
pub(super) struct WorkerStatus {
    /// Counts up whenever a servant is entered and left: odd while the thread is in one.
    serial: AtomicU64,
    /// The token in which it serves.
    token: AtomicU64,
    /// Whether what it serves expects no reply.
    oneway: AtomicBool,
    /// Whether it counts among those of the reactor_pool that wait for something.
    blocked: AtomicBool,
    /// Whether it is one of the reactor_pool.
    pooled: bool,
    connection: Mutex<Option<Arc<Connection>>>,
    /// The monitor's: what it saw last, and how often in a row.
    seen: AtomicU64,
    ticks: AtomicU32,
}

/// What a look at a status shows.
pub(super) enum Observation {
    /// A servant was entered or left since the last look.
    New,
    /// The thread is in no servant, as before.
    Idle,
    /// It is in the same servant as this many looks ago.
    Same(u32),
}

thread_local! {
    /// The status of this thread, if it serves requests.
    static CURRENT: RefCell<Option<(Arc<Workers>, Arc<WorkerStatus>)>> = const { RefCell::new(None) };
}

impl WorkerStatus {
    /// The status of the calling thread.
    pub(super) fn new(workers: &Arc<Workers>, pooled: bool) -> Arc<Self> {
        let status = Arc::new(Self { pooled, ..Self::default() });
        CURRENT.set(Some((workers.clone(), status.clone())));
        set_blocking_hooks(&BlockingHooks { begin: begin_blocking, end: end_blocking });
        status
    }

    /// From now on it is `connection` that is served.
    pub(super) fn set_connection(&self, connection: &Arc<Connection>) {
        *lock(&self.connection) = Some(connection.clone());
    }

    pub(super) fn clear_connection(&self) {
        // Dropped without the lock: it may be the connection's end.
        let left = lock(&self.connection).take();
        drop(left);
    }

    /// Notes that the thread enters a servant.
    #[inline]
    pub(super) fn enter_servant(&self, token: LeadToken, oneway: bool, workers: &Workers) {
        self.token.store(token.to_bits(), Ordering::Relaxed);
        self.oneway.store(oneway, Ordering::Relaxed);
        self.count();
        workers.monitor.wake_if_asleep();
    }

    /// Notes that it has come back.
    #[inline]
    pub(super) fn leave_servant(&self, workers: &Workers) {
        self.count();
        self.unblock(workers);
    }

    /// Takes the thread off those that wait.
    #[inline]
    pub(super) fn unblock(&self, workers: &Workers) {
        if self.blocked.load(Ordering::Relaxed) && self.blocked.swap(false, Ordering::AcqRel) {
            workers.unblocked();
        }
    }

    #[inline]
    fn count(&self) {
        let serial = self.serial.load(Ordering::Relaxed);
        self.serial.store(serial.wrapping_add(1), Ordering::Release);
    }

    /// What the monitor finds.
    pub(super) fn look(&self) -> Observation {
        let serial = self.serial.load(Ordering::Acquire);
        if self.seen.swap(serial, Ordering::Relaxed) != serial {
            self.ticks.store(0, Ordering::Relaxed);
            return Observation::New;
        }
        match serial % 2 {
            0 => Observation::Idle,
            _ => Observation::Same(self.ticks.fetch_add(1, Ordering::Relaxed).saturating_add(1)),
        }
    }

    /// The connection whose request the calling thread is serving, if it is one of those that do.
    pub(super) fn connection_served_here() -> Option<Arc<Connection>> {
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

    /// Whether it serves a request without a reply.
    pub(super) fn is_oneway(&self) -> bool {
        self.oneway.load(Ordering::Relaxed)
    }

    /// Counts the thread among those that wait: another does its work.
    pub(super) fn mark_blocked(&self, workers: &Arc<Workers>) {
        if self.pooled && !self.blocked.swap(true, Ordering::AcqRel) {
            workers.blocked();
        }
    }

    /// Has another thread leadership the connection that this one serves.
    pub(super) fn hand_over_lead(&self) {
        let connection = lock(&self.connection).clone();
        if let Some(connection) = connection {
            connection.hand_over_lead(LeadToken::from_bits(self.token.load(Ordering::Relaxed)));
        }
    }
}

/// Lets others do what this thread would; `false` when it is in no servant.
#[cold]
#[inline(never)]
fn begin_blocking() -> bool {
    CURRENT.with_borrow(|mine| {
        // Not within a servant: nobody waits for this thread.
        let Some((workers, status)) = mine.as_ref().filter(|(_, status)| status.is_serving())
        else {
            return false;
        };
        let (shared, bidirectional) = lock(&status.connection)
            .as_ref()
            .map_or((false, false), |c| (c.is_multiplexed(), c.is_bidirectional()));
        // What it waits for may be a reply on the same connection.
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
            status.unblock(workers);
        }
    });
}
