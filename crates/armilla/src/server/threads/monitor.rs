//! The monitor thread: finds worker threads that are blocked in a servant, and sweeps the registry
//! for connections that have timed out.
//!
//! The monitor polls, so that a request pays for it with the load of one flag only.

use super::worker_status::{Observation, WorkerPool, WorkerStatus};
use crate::callbacks::guarded;
use crate::exception::Completion;
use crate::sync::lock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// The interval between looks. A thread found in the same servant twice counts as blocked.
const TICK: Duration = Duration::from_millis(5);

/// After this many looks without a change the monitor sleeps until a request arrives.
const SLEEP_AFTER: u32 = 300;

/// For this many looks a oneway request in a servant holds back the requests behind it, to keep
/// their order. After that a deadlock is more likely than a slow servant.
const ONEWAY_TICKS: u32 = 200;

/// Wakes the monitor thread when it sleeps.
#[derive(Default)]
pub(in crate::server) struct Monitor {
    asleep: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Monitor {
    /// Wakes the monitor if it sleeps. Called for each request.
    #[inline]
    pub(in crate::server) fn wake_if_asleep(&self) {
        if self.asleep.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        let _guard = lock(&self.lock);
        self.asleep.store(false, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Sleeps until a request arrives, for at most `limit`.
    fn sleep(&self, limit: Duration) {
        let guard = lock(&self.lock);
        self.asleep.store(true, Ordering::Relaxed);
        let asleep = |(): &mut ()| self.asleep.load(Ordering::Relaxed);
        let woken = self.changed.wait_timeout_while(guard, limit, asleep);
        drop(woken.unwrap_or_else(PoisonError::into_inner));
        self.asleep.store(false, Ordering::Relaxed);
    }
}

/// Runs in the monitor thread. It ends with the last reference to the workers, and sweeps the
/// registry every `sweep`.
pub(in crate::server) fn watch(
    workers: &Weak<impl WorkerPool>,
    monitor: &Monitor,
    sweep: Duration,
) {
    let mut inspector = Inspector::default();
    let mut swept = Instant::now();
    loop {
        let Some(workers) = workers.upgrade() else { return };
        // A panic is reported; the next look is as good.
        guarded("a look at the server", Completion::Maybe, || inspector.inspect(&workers)).ok();
        let now = Instant::now();
        if now - swept >= sweep {
            let look = || workers.sweep();
            guarded("a look at the connections", Completion::Maybe, look).ok();
            swept = now;
        }
        drop(workers);
        let left = sweep.saturating_sub(now - swept);
        match inspector.unchanged < SLEEP_AFTER {
            true => thread::sleep(TICK.min(left)),
            false => monitor.sleep(left),
        }
    }
}

/// Looks at the statuses of all workers.
#[derive(Default)]
struct Inspector {
    /// How many looks in a row have found no change.
    unchanged: u32,
    /// The statuses of the threads that are in the same servant as before, with the number of looks.
    same: Vec<(Arc<WorkerStatus>, u32)>,
}

impl Inspector {
    fn inspect(&mut self, workers: &Arc<impl WorkerPool>) {
        self.unchanged = self.unchanged.saturating_add(1);
        for status in lock(workers.statuses()).iter() {
            match status.look() {
                Observation::Changed => self.unchanged = 0,
                Observation::Idle => {}
                Observation::Same(ticks) => self.same.push((status.clone(), ticks)),
            }
        }
        // This may start threads and log, and so run code of the program: the lock is released.
        for (status, ticks) in self.same.drain(..) {
            status.mark_blocked(workers);
            if !status.is_oneway() || ticks >= ONEWAY_TICKS {
                status.hand_over_lead();
            }
        }
    }
}
