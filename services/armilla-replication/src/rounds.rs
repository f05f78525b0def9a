//! Requests of several clients share the calls to backups: whoever is the last of those that wait for the
//! member tells the backups of all.

use crate::model::Pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// After how long one that waits looks itself: whoever was to tell the backups may have failed.
const LOOK: Duration = Duration::from_millis(20);

/// The requests that wait, and how far the backups were told.
#[derive(Default)]
pub(crate) struct Rounds {
    /// How many requests wait for the member. Each of them tells the backups if it is the last.
    coming: AtomicUsize,
    told: Mutex<Told>,
    changed: Condvar,
}

/// How many requests all backups know, in a reign of the member, and up to which one telling them has failed.
#[derive(Default)]
struct Told {
    reign: u64,
    known: u64,
    failed: u64,
    why: String,
}

impl Rounds {
    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the member by `wait`, as one of those that come.
    pub(crate) fn come<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.coming.fetch_add(1, Ordering::SeqCst);
        let came = wait();
        self.coming.fetch_sub(1, Ordering::SeqCst);
        came
    }

    /// Whether somebody comes who will tell the backups.
    pub(crate) fn is_shared(&self) -> bool {
        self.coming.load(Ordering::SeqCst) > 0
    }

    /// The backups were told of the requests up to this place, or could not be, for this reason.
    pub(crate) fn tell(&self, (reign, number): (u64, u64), outcome: &Result<(), String>) {
        let mut told = self.lock();
        if told.reign != reign {
            *told = Told { reign, ..Told::default() };
        }
        match outcome {
            Ok(()) => told.known = told.known.max(number),
            Err(why) => (told.failed, told.why) = (number, why.clone()),
        }
        drop(told);
        self.changed.notify_all();
    }

    /// Waits until the backups were told of a request. `None` if nobody has said anything for a while.
    pub(crate) fn wait(&self, pending: &Pending) -> Option<Result<(), String>> {
        let (reign, number) = pending.place();
        let mut told = self.lock();
        loop {
            match told.reign == reign {
                true if told.known >= number => return Some(Ok(())),
                true if told.failed >= number => return Some(Err(told.why.clone())),
                _ => {}
            }
            let waited = self.changed.wait_timeout(told, LOOK);
            let (next, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            if timeout.timed_out() {
                return None;
            }
            told = next;
        }
    }
}
