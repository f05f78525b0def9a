//! When transactions want to hear of the time, and the threads that tell them.

use super::entry::{Entry, Host, lock};
use crate::model::{Key, Time};
use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is looked at when its time has come.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    Transaction(Key),
    /// One that does not answer.
    Host(Host),
}

/// The times at which transactions want to be woken, and silent hosts are asked.
pub(super) struct Timer {
    began: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    due: BTreeSet<(Time, Due)>,
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
        let due = Due::Transaction(entry.key);
        if let Some(before) = known.take() {
            state.due.remove(&(before, due.clone()));
        }
        if let Some(at) = at {
            *known = Some(at);
            self.add(&mut state, at, due);
        }
    }

    /// Looks at a silent host at a time.
    pub(super) fn look_at(&self, host: &Host, at: Time) {
        self.add(&mut lock(&self.state), at, Due::Host(host.clone()));
    }

    fn add(&self, state: &mut State, at: Time, due: Due) {
        let is_first = state.due.first().is_none_or(|(first, _)| at < *first);
        state.due.insert((at, due));
        if is_first {
            self.changed.notify_one();
        }
    }

    /// Notes that the transaction was woken.
    pub(super) fn woken(entry: &Entry) {
        *lock(&entry.wake) = None;
    }

    /// What comes next, once its time has come; `None` at the end.
    pub(super) fn next(&self) -> Option<Due> {
        let mut state = lock(&self.state);
        loop {
            if state.ended {
                return None;
            }
            let now = self.now();
            let wait = match state.due.first() {
                Some((at, _)) if *at <= now => {
                    let next = state.due.pop_first();
                    // Another thread may take the next one.
                    self.changed.notify_one();
                    return next.map(|(_, due)| due);
                }
                Some((at, _)) => *at - now,
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
