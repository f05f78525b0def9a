//! The monitor thread: finds worker threads that are blocked in a servant, and sweeps the registry
//! for connections that have timed out.
//!
//! The monitor polls, so that a request pays for it with the load of one flag only. While nothing
//! happens it sleeps until the next connection can have waited too long, or for ever. A request, a
//! new connection and the beginning of a message wake it. That the end of a request does not wake it
//! makes such a connection close later by a part of its time.

use super::worker_status::{Observation, WorkerPool, WorkerStatus};
use crate::callbacks::guarded;
use crate::exception::Completion;
use crate::sync::lock;
use crate::threads::Sleeper;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// The interval between looks. A thread found in the same servant twice counts as blocked.
const TICK: Duration = Duration::from_millis(5);

/// After this many looks without a change the monitor sleeps until something happens.
const SLEEP_AFTER: u32 = 40;

/// For this many looks a oneway request in a servant holds back the requests behind it, to keep
/// their order. After that a deadlock is more likely than a slow servant.
const ONEWAY_TICKS: u32 = 200;

/// Runs in the monitor thread, the `monitor`. It ends with the last reference to the workers, and
/// sweeps the registry every `period` while something happens.
pub(in crate::server) fn watch(
    workers: &Weak<impl WorkerPool>,
    monitor: &Sleeper,
    period: Duration,
) {
    // Nothing has happened yet.
    let mut inspector = Inspector { unchanged: SLEEP_AFTER, ..Inspector::default() };
    let mut swept = Instant::now();
    loop {
        let rested = inspector.may_sleep();
        let is_told = rested && monitor.announce();
        let Some(pool) = workers.upgrade() else { return };
        // A panic is reported; the next look is as good.
        guarded("a look at the server", Completion::Maybe, || inspector.inspect(&pool)).ok();
        let sleeps = rested && inspector.may_sleep();
        let now = Instant::now();
        let mut limit = Some(period);
        if sleeps || now - swept >= period {
            let look = || pool.sweep();
            let due = guarded("a look at the connections", Completion::Maybe, look);
            swept = now;
            if is_told && !inspector.retries {
                limit = due.unwrap_or(limit);
            }
        }
        drop(pool);
        if !sleeps {
            monitor.stay_awake();
            thread::sleep(TICK.min(period.saturating_sub(now - swept)));
        } else if monitor.sleep(limit)
            && let Some(pool) = workers.upgrade()
        {
            pool.note_quiet();
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
    /// Whether a oneway request in a servant holds back those behind it.
    holds_back: bool,
    /// Whether the lead of a connection could not be handed over, so that it is tried again.
    retries: bool,
}

impl Inspector {
    /// Whether the next look can wait until something happens.
    const fn may_sleep(&self) -> bool {
        self.unchanged >= SLEEP_AFTER && !self.holds_back
    }

    fn inspect(&mut self, workers: &Arc<impl WorkerPool>) {
        self.unchanged = self.unchanged.saturating_add(1);
        for status in lock(workers.statuses()).iter() {
            match status.look() {
                Observation::Changed => self.unchanged = 0,
                Observation::Idle => {}
                Observation::Same(ticks) => self.same.push((status.clone(), ticks)),
            }
        }
        (self.holds_back, self.retries) = (false, false);
        // This may start threads and log, and so run code of the program: the lock is released.
        for (status, ticks) in self.same.drain(..) {
            status.mark_blocked(workers);
            match status.is_oneway() && ticks < ONEWAY_TICKS {
                true => self.holds_back = true,
                false => self.retries |= !status.hand_over_lead(),
            }
        }
    }
}
