//! The work queue of the main thread: calls of objects whose POA has the policy
//! [`Threading::MainThread`](crate::Threading::MainThread).

use super::Orb;
use crate::sync::lock;
use armilla_ipc::signals::Waker;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

/// The main thread of an ORB: the thread that created the ORB, until another thread runs it.
pub(crate) struct MainThread {
    state: Mutex<State>,
    /// Signals that the queue has work, or is closed.
    changed: Condvar,
}

struct State {
    thread: ThreadId,
    work: VecDeque<Box<dyn FnOnce() + Send>>,
    /// Wakes the thread that is in `run`.
    waker: Option<Waker>,
    /// The ORB has ended and accepts no more work.
    is_closed: bool,
}

impl MainThread {
    pub(crate) fn new() -> Self {
        let thread = thread::current().id();
        let state = State { thread, work: VecDeque::new(), waker: None, is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Makes the calling thread the main thread. `waker` wakes it while it waits in `run`.
    pub(crate) fn become_main(&self, waker: Option<Waker>) {
        let mut state = lock(&self.state);
        state.thread = thread::current().id();
        state.waker = waker;
    }

    /// Queues work for the main thread. The end of the ORB drops work that has not begun.
    pub(crate) fn push(&self, work: Box<dyn FnOnce() + Send>) {
        let mut state = lock(&self.state);
        if state.is_closed {
            return;
        }
        state.work.push_back(work);
        if let Some(waker) = &state.waker {
            waker.wake();
        }
        self.changed.notify_all();
    }

    /// Waits for work until `end`. Returns `false` when the queue is closed.
    pub(crate) fn await_work(&self, end: Option<Instant>) -> bool {
        let mut state = lock(&self.state);
        while state.work.is_empty() && !state.is_closed {
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
        !state.is_closed
    }

    fn pop(&self) -> Option<Box<dyn FnOnce() + Send>> {
        lock(&self.state).work.pop_front()
    }

    /// Closes the queue and drops the work in it, which fails the requests that wait for the work.
    pub(crate) fn clear(&self) {
        let work = {
            let mut state = lock(&self.state);
            state.is_closed = true;
            self.changed.notify_all();
            std::mem::take(&mut state.work)
        };
        drop(work);
    }
}

impl Orb {
    /// Whether the calling thread is the main thread.
    pub(crate) fn is_main_thread(&self) -> bool {
        lock(&self.main_thread().state).thread == thread::current().id()
    }

    /// Whether the queue has work.
    pub(crate) fn has_work(&self) -> bool {
        !lock(&self.main_thread().state).work.is_empty()
    }

    /// Performs the queued work. The calling thread becomes the main thread.
    pub(crate) fn do_work(&self) {
        lock(&self.main_thread().state).thread = thread::current().id();
        while let Some(work) = self.main_thread().pop() {
            work();
        }
    }
}
