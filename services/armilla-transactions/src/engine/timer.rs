//! When transactions want to hear of the time, and the threads that tell them.

use super::entry::{Entry, lock};
use crate::model::{Key, Time};
use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The times at which transactions want to be woken.
pub(super) struct Timer {
    began: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    due: BTreeSet<(Time, Key)>,
    ended: bool,
}

impl Default for Timer {
    fn default() -> Self {
        Self { began: Instant::now(), state: Mutex::default(), changed: Condvar::new() }
    }
}

impl Timer {
    pub(super) fn now(&self) -> Time {
        self.began.elapsed()
    }

    /// Wakes a transaction at a time, or not at all any more.
    pub(super) fn set(&self, entry: &Entry, at: Option<Time>) {
        let mut known = lock(&entry.wake);
        if *known == at {
            return;
        }
        let mut state = lock(&self.state);
        if let Some(before) = known.take() {
            state.due.remove(&(before, entry.key));
        }
        if let Some(at) = at {
            let is_first = state.due.first().is_none_or(|(first, _)| at < *first);
            state.due.insert((at, entry.key));
            *known = Some(at);
            if is_first {
                self.changed.notify_one();
            }
        }
    }

    /// Notes that the transaction was woken.
    pub(super) fn woken(entry: &Entry) {
        *lock(&entry.wake) = None;
    }

    /// The next transaction whose time has come; `None` at the end.
    pub(super) fn next(&self) -> Option<Key> {
        let mut state = lock(&self.state);
        loop {
            if state.ended {
                return None;
            }
            let now = self.now();
            let wait = match state.due.first().copied() {
                Some((at, key)) if at <= now => {
                    state.due.pop_first();
                    // Another thread may take the next one.
                    self.changed.notify_one();
                    return Some(key);
                }
                Some((at, _)) => at - now,
                None => Duration::from_secs(3600),
            };
            let waited = self.changed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn end(&self) {
        lock(&self.state).ended = true;
        self.changed.notify_all();
    }
}
