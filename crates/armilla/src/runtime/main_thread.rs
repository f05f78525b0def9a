//! Work that the main thread alone may do: calls of objects whose POA has the policy
//! [`Threading::MainThread`](crate::Threading::MainThread).

use super::Orb;
use crate::exception::SystemException;
use crate::sync::lock;
use armilla_ipc::signals::Waker;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

/// The main thread: the one that made the ORB, until another runs it.
pub(crate) struct MainThread {
    state: Mutex<State>,
    /// There is work, or there will be no more.
    changed: Condvar,
}

struct State {
    thread: ThreadId,
    work: VecDeque<Box<dyn FnOnce() + Send>>,
    /// Ends the waiting of the thread that runs the ORB.
    waker: Option<Waker>,
    /// Nothing is to be done any more.
    over: bool,
}

impl MainThread {
    pub(crate) fn new() -> Self {
        let thread = thread::current().id();
        let state = State { thread, work: VecDeque::new(), waker: None, over: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Makes the calling thread the main one; `waker` ends its waiting.
    pub(crate) fn become_main(&self, waker: Option<Waker>) {
        let mut state = lock(&self.state);
        state.thread = thread::current().id();
        state.waker = waker;
    }

    /// Gives the main thread something to do; it is dropped when the ORB ends.
    pub(crate) fn push(&self, work: Box<dyn FnOnce() + Send>) {
        let mut state = lock(&self.state);
        if state.over {
            return;
        }
        state.work.push_back(work);
        if let Some(waker) = &state.waker {
            waker.wake();
        }
        self.changed.notify_all();
    }

    /// Waits for something to do, no longer than until `end`, and says whether there may be
    /// anything still.
    pub(crate) fn await_work(&self, end: Option<Instant>) -> bool {
        let mut state = lock(&self.state);
        while state.work.is_empty() && !state.over {
            let Some(end) = end else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state =
                self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        !state.over
    }

    fn pop(&self) -> Option<Box<dyn FnOnce() + Send>> {
        lock(&self.state).work.pop_front()
    }

    /// Forgets what was to be done: whoever waits for it learns that it is not.
    pub(crate) fn clear(&self) {
        let work = {
            let mut state = lock(&self.state);
            state.over = true;
            self.changed.notify_all();
            std::mem::take(&mut state.work)
        };
        drop(work);
    }
}

impl Orb {
    /// Whether the calling thread is the main one.
    pub(crate) fn is_main_thread(&self) -> bool {
        lock(&self.main_thread().state).thread == thread::current().id()
    }

    /// Whether [`perform_work`](Self::perform_work) has something to do: `work_pending` (CORBA 3.4
    /// Part 1, 8.5.1.6).
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (reason 4) once the ORB was shut down, which ends the loop of a program.
    pub fn work_pending(&self) -> Result<bool, SystemException> {
        self.check_running()?;
        Ok(!lock(&self.main_thread().state).work.is_empty())
    }

    /// Does what the main thread alone may do, if there is anything, and returns: `perform_work`.
    /// For programs whose main thread has a loop of its own; others [`run`](Self::run), or
    /// [`run_for`](Self::run_for) some time where there is nothing else to wait for. The calling
    /// thread is the main thread from then on.
    ///
    /// # Errors
    /// As [`work_pending`](Self::work_pending).
    pub fn perform_work(&self) -> Result<(), SystemException> {
        self.check_running()?;
        self.do_work();
        Ok(())
    }

    pub(crate) fn do_work(&self) {
        lock(&self.main_thread().state).thread = thread::current().id();
        while let Some(work) = self.main_thread().pop() {
            work();
        }
    }
}
