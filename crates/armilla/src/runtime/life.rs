//! How far an ORB has come, from being made to having been shut down.

use super::Orb;
use crate::exception::SystemException;
use crate::sync::lock;
use armilla_ipc::signals::Waker;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How far an ORB has come.
#[derive(Default)]
pub(crate) struct Life {
    state: Mutex<State>,
    ended: Condvar,
    /// Whether the stage is `Ended`, for the path of a call.
    over: AtomicBool,
}

#[derive(Default)]
struct State {
    stage: Stage,
    /// Threads that wait in `run`.
    wakers: Vec<Waker>,
}

#[derive(Default, PartialEq, Eq, PartialOrd, Clone, Copy)]
enum Stage {
    /// Initializers have not returned yet.
    #[default]
    Beginning,
    Running,
    Ending,
    Ended,
}

impl Life {
    /// Initializers have returned.
    pub(crate) fn begin(&self) {
        let mut state = lock(&self.state);
        if state.stage == Stage::Beginning {
            state.stage = Stage::Running;
        }
    }

    /// Has `waker` woken when the ORB has ended; gives its place.
    pub(crate) fn add_waker(&self, waker: Waker) -> usize {
        let mut state = lock(&self.state);
        state.wakers.push(waker);
        state.wakers.len() - 1
    }

    /// Puts another in the place of a waker.
    pub(crate) fn replace_waker(&self, place: usize, waker: Waker) {
        lock(&self.state).wakers[place] = waker;
    }

    /// Begins to end. `false` where another thread has begun, and then the end has come.
    pub(crate) fn begin_end(&self) -> bool {
        let mut state = lock(&self.state);
        if state.stage >= Stage::Ending {
            while state.stage != Stage::Ended {
                state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            return false;
        }
        state.stage = Stage::Ending;
        true
    }

    /// From now on [`Orb::check_running`] fails.
    pub(crate) fn refuse_calls(&self) {
        self.over.store(true, Ordering::Release);
    }

    /// The end has come: wakes all who wait for it. `release` gives back what is free from then on.
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

    /// Whether nobody has begun to shut it down.
    pub(crate) fn is_running(&self) -> bool {
        lock(&self.0.life.state).stage < Stage::Ending
    }

    /// Whether its initializers have not returned yet.
    pub(crate) fn is_being_made(&self) -> bool {
        lock(&self.0.life.state).stage == Stage::Beginning
    }

    /// Fails when the ORB was shut down (CORBA 3.4 Part 1, 8.2.3.4).
    #[inline]
    pub(crate) fn check_running(&self) -> Result<(), SystemException> {
        match self.0.life.over.load(Ordering::Acquire) {
            true => Err(over()),
            false => Ok(()),
        }
    }
}

#[cold]
fn over() -> SystemException {
    SystemException::shut_down()
}
