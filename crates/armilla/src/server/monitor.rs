//! Looks after the threads that serve requests while any are at work, and after the connections
//! now and then. Nothing that it does costs a request more than a look at a flag.

use super::worker_status::Observation;
use super::workers::Workers;
use crate::sync::lock;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// How often it looks: a thread that is found in the same servant twice is taken to wait.
const TICK: Duration = Duration::from_millis(5);

/// After how many looks without a change it lies down until a request comes.
const SLEEP_AFTER: u32 = 300;

/// For how many looks a request without a reply keeps those behind it waiting, for the sake of their
/// order. After that a deadlock is more likely than a slow servant.
const ONEWAY_TICKS: u32 = 200;

/// What rouses the monitor.
#[derive(Default)]
pub(super) struct Monitor {
    asleep: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Monitor {
    /// Notes that a request is being served.
    #[inline]
    pub(super) fn wake_if_asleep(&self) {
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

    /// Waits for a request, but for no longer than `limit`.
    fn sleep(&self, limit: Duration) {
        let guard = lock(&self.lock);
        self.asleep.store(true, Ordering::Relaxed);
        let asleep = |(): &mut ()| self.asleep.load(Ordering::Relaxed);
        let woken = self.changed.wait_timeout_while(guard, limit, asleep);
        drop(woken.unwrap_or_else(PoisonError::into_inner));
        self.asleep.store(false, Ordering::Relaxed);
    }
}

/// Starts the thread, which ends with the workers.
pub(super) fn start(workers: &Arc<Workers>, sweep: Duration) -> io::Result<()> {
    let (workers, monitor) = (Arc::downgrade(workers), workers.monitor.clone());
    let watch = move || watch(&workers, &monitor, sweep);
    thread::Builder::new().name("armilla-monitor".into()).spawn(watch).map(drop)
}

fn watch(workers: &Weak<Workers>, monitor: &Monitor, sweep: Duration) {
    let mut inspector = Inspector::default();
    let mut swept = Instant::now();
    loop {
        let Some(workers) = workers.upgrade() else { return };
        inspector.inspect(&workers);
        if swept.elapsed() >= sweep {
            workers.registry.sweep();
            swept = Instant::now();
        }
        drop(workers);
        let left = sweep.saturating_sub(swept.elapsed());
        match inspector.unchanged < SLEEP_AFTER {
            true => thread::sleep(TICK.min(left)),
            false => monitor.sleep(left),
        }
    }
}

/// What was seen at the statuses.
#[derive(Default)]
struct Inspector {
    /// How many looks in a row have found nothing new.
    unchanged: u32,
}

impl Inspector {
    fn inspect(&mut self, workers: &Arc<Workers>) {
        self.unchanged = self.unchanged.saturating_add(1);
        for status in lock(&workers.statuses).iter() {
            match status.look() {
                Observation::New => self.unchanged = 0,
                Observation::Idle => {}
                Observation::Same(ticks) => {
                    status.mark_blocked(workers);
                    if !status.is_oneway() || ticks >= ONEWAY_TICKS {
                        status.hand_over_lead();
                    }
                }
            }
        }
    }
}
