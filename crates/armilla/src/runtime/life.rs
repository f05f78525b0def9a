//! The life cycle of an ORB: its stages, and waiting for the last one.
//!
//! The steps of a shutdown are in `orb::run`.

use super::Orb;
use crate::exception::SystemException;
use crate::sync::lock;
use armilla_ipc::signals::Waker;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// The life cycle of an ORB.
#[derive(Default)]
pub(crate) struct Life {
    state: Mutex<State>,
    ended: Condvar,
    /// Whether calls fail. An atomic beside the stage, because every call reads it.
    refuses_calls: AtomicBool,
}

#[derive(Default)]
struct State {
    stage: Stage,
    /// The thread that shuts the ORB down, once one does.
    ending: Option<ThreadId>,
    /// Wakers of the threads that are in `run`.
    wakers: Vec<Waker>,
}

#[derive(Default, PartialEq, Eq, PartialOrd, Clone, Copy)]
enum Stage {
    /// The initializers have not returned yet.
    #[default]
    Beginning,
    Running,
    Ending,
    Ended,
}

impl Life {
    /// The initializers have returned: the ORB is running.
    pub(crate) fn begin(&self) {
        let mut state = lock(&self.state);
        if state.stage == Stage::Beginning {
            state.stage = Stage::Running;
        }
    }

    /// Adds a waker to wake when the ORB has ended. Returns its index.
    pub(crate) fn add_waker(&self, waker: Waker) -> usize {
        let mut state = lock(&self.state);
        state.wakers.push(waker);
        state.wakers.len() - 1
    }

    /// Replaces the waker with this index.
    pub(crate) fn replace_waker(&self, index: usize, waker: Waker) {
        lock(&self.state).wakers[index] = waker;
    }

    /// Begins the shutdown and returns `true`. If another thread has begun it, waits until the
    /// shutdown is complete and returns `false`.
    pub(crate) fn begin_end(&self) -> bool {
        let mut state = lock(&self.state);
        if state.stage >= Stage::Ending {
            while state.stage != Stage::Ended {
                state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            return false;
        }
        state.stage = Stage::Ending;
        state.ending = Some(thread::current().id());
        true
    }

    /// Whether the calling thread is shutting the ORB down: it is in something that the program does
    /// on the way.
    pub(crate) fn is_ending_here(&self) -> bool {
        let state = lock(&self.state);
        state.stage == Stage::Ending && state.ending == Some(thread::current().id())
    }

    /// Makes [`Orb::check_running`] fail from now on.
    pub(crate) fn refuse_calls(&self) {
        self.refuses_calls.store(true, Ordering::Release);
    }

    /// The shutdown is complete: calls `release` and wakes all threads that wait for it.
    pub(crate) fn end(&self, release: impl FnOnce()) {
        let mut state = lock(&self.state);
        state.stage = Stage::Ended;
        state.wakers.iter().for_each(Waker::wake);
        release();
        self.ended.notify_all();
    }
}

impl Orb {
    pub(crate) fn life(&self) -> &Life {
        &self.0.life
    }

    /// Whether no thread has begun the shutdown.
    pub(crate) fn is_running(&self) -> bool {
        lock(&self.0.life.state).stage < Stage::Ending
    }

    /// Whether the initializers have not returned yet.
    pub(crate) fn is_being_made(&self) -> bool {
        lock(&self.0.life.state).stage == Stage::Beginning
    }

    /// Checks that the ORB accepts calls (CORBA 3.4 Part 1, 8.2.3.4).
    ///
    /// # Errors
    /// `BAD_INV_ORDER` after a shutdown.
    #[inline]
    pub(crate) fn check_running(&self) -> Result<(), SystemException> {
        match self.0.life.refuses_calls.load(Ordering::Acquire) {
            true => Err(shut_down()),
            false => Ok(()),
        }
    }
}

#[cold]
fn shut_down() -> SystemException {
    SystemException::shut_down()
}
