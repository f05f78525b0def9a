//! Group commit: threads that wait for the disk share one wait.
//!
//! A thread that finds nobody writing leads: it writes all that is appended until then and waits for
//! the disk; the others wait for it. Before it writes it waits a moment for the threads that were
//! served just now, because most append their next record at once. After a failure nobody leads any
//! more.

use super::sync::{Condvar, Mutex, MutexGuard};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// The longest time that a leader waits for others.
const MAX_GATHERING: Duration = Duration::from_millis(5);

#[derive(Debug)]
struct State<E> {
    /// What is before this position is on the disk.
    durable: u64,
    leading: bool,
    gathering: bool,
    /// How many threads wait for the disk now.
    waiting: usize,
    /// How many were waiting when the last group was written.
    expected: usize,
    /// How long that took.
    took: Duration,
    failed: Option<E>,
}

/// Lets threads share the wait for the disk. Any thread may use it.
#[derive(Debug)]
pub(crate) struct Group<E> {
    state: Mutex<State<E>>,
    changed: Condvar,
    gathered: Condvar,
    /// The error of those whose leader has panicked.
    panicked: fn() -> E,
}

impl<E: Clone> Group<E> {
    /// Begins with everything before a position on the disk.
    pub(crate) fn new(durable: u64, panicked: fn() -> E) -> Self {
        let state = State {
            durable,
            leading: false,
            gathering: false,
            waiting: 0,
            expected: 0,
            took: Duration::ZERO,
            failed: None,
        };
        let (changed, gathered) = (Condvar::new(), Condvar::new());
        Self { state: Mutex::new(state), changed, gathered, panicked }
    }

    fn lock(&self) -> MutexGuard<'_, State<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Up to where everything is on the disk.
    pub(crate) fn durable(&self) -> u64 {
        self.lock().durable
    }

    /// Up to where everything is on the disk.
    ///
    /// # Errors
    /// Writing has failed.
    pub(crate) fn check(&self) -> Result<u64, E> {
        let state = self.lock();
        match &state.failed {
            Some(error) => Err(error.clone()),
            None => Ok(state.durable),
        }
    }

    /// Waits until everything before `end` is on the disk. A thread that leads calls `write`, which
    /// returns up to where everything is on the disk then, `end` included. Returns whether this
    /// thread led.
    ///
    /// # Errors
    /// Writing has failed, now or before.
    pub(crate) fn commit(
        &self,
        end: u64,
        mut write: impl FnMut() -> Result<u64, E>,
    ) -> Result<bool, E> {
        let (mut state, mut led) = (self.lock(), false);
        if state.durable >= end {
            return Ok(false);
        }
        state.waiting += 1;
        if state.gathering && state.waiting >= state.expected {
            self.gathered.notify_one();
        }
        let outcome = loop {
            if state.durable >= end {
                break Ok(led);
            }
            if let Some(error) = &state.failed {
                break Err(error.clone());
            }
            if state.leading {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            (led, state.leading) = (true, true);
            drop(self.gather(state));
            state = self.lead(&mut write);
        };
        state.waiting -= 1;
        outcome
    }

    /// Waits until nobody writes, and does something while nobody else does. It returns up to where
    /// everything is on the disk then.
    ///
    /// # Errors
    /// Writing has failed, now or before.
    pub(crate) fn exclusively<T>(
        &self,
        work: impl FnOnce() -> Result<(u64, T), E>,
    ) -> Result<T, E> {
        let mut state = self.lock();
        while state.leading {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(error) = &state.failed {
            return Err(error.clone());
        }
        state.leading = true;
        drop(state);
        let mut done = None;
        let mut work = Some(work);
        let state = self.lead(&mut || {
            // It is called once.
            let (durable, result) =
                work.take().map_or_else(|| Err((self.panicked)()), |work| work())?;
            done = Some(result);
            Ok(durable)
        });
        match (done, &state.failed) {
            (Some(result), _) => Ok(result),
            (None, failed) => Err(failed.clone().unwrap_or_else(self.panicked)),
        }
    }

    /// Waits until everything before `end` is on the disk, writing has failed, or the time is over.
    /// Returns whether it is on the disk.
    pub(crate) fn wait(&self, end: u64, time: Duration) -> bool {
        let is_late = |state: &mut State<E>| state.durable < end && state.failed.is_none();
        let waited = self.changed.wait_timeout_while(self.lock(), time, is_late);
        waited.unwrap_or_else(PoisonError::into_inner).0.durable >= end
    }

    /// Waits for the threads that were served just now: for at most half the time that the disk
    /// takes, and not at all for a thread alone.
    fn gather<'g>(&self, mut state: MutexGuard<'g, State<E>>) -> MutexGuard<'g, State<E>> {
        if state.waiting >= state.expected {
            return state;
        }
        state.gathering = true;
        let time = (state.took / 2).min(MAX_GATHERING);
        let are_few = |state: &mut State<E>| state.waiting < state.expected;
        let gathered = self.gathered.wait_timeout_while(state, time, are_few);
        let mut state = gathered.unwrap_or_else(PoisonError::into_inner).0;
        state.gathering = false;
        state
    }

    /// Writes, and tells the others.
    fn lead(&self, write: &mut impl FnMut() -> Result<u64, E>) -> MutexGuard<'_, State<E>> {
        let begun = Instant::now();
        let leader = Leader(self);
        let written = write();
        std::mem::forget(leader);
        let mut state = self.lock();
        match written {
            Ok(durable) => state.durable = state.durable.max(durable),
            Err(error) => {
                state.failed.get_or_insert(error);
            }
        }
        state.leading = false;
        (state.expected, state.took) = (state.waiting, begun.elapsed());
        self.changed.notify_all();
        state
    }
}

/// A thread that leads: whoever waits for it must not wait for ever when it panics.
struct Leader<'g, E: Clone>(&'g Group<E>);

impl<E: Clone> Drop for Leader<'_, E> {
    fn drop(&mut self) {
        let error = (self.0.panicked)();
        let mut state = self.0.lock();
        state.leading = false;
        state.failed.get_or_insert(error);
        self.0.changed.notify_all();
    }
}
