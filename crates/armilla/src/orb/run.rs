//! The life of an ORB: running and shutting down.

use super::{Orb, lock};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::poa::Ending;
use armilla_ipc::Termination;
use armilla_ipc::signals::{Cause, Waker};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How far an ORB has come.
#[derive(Default)]
pub(super) struct Life {
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

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Stage {
    #[default]
    Running,
    Ending,
    Ended,
}

impl Orb {
    /// Serves until [`shutdown`](Self::shutdown) is called or the process is asked to end (SIGINT,
    /// which Ctrl-C sends, or SIGTERM); then shuts down in order. A second signal ends the process
    /// at once.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when signals cannot be awaited.
    pub fn run(&self) -> Result<(), SystemException> {
        self.server()?;
        let mut termination = install()?;
        let place = {
            let mut state = lock(&self.0.life.state);
            state.wakers.push(termination.waker());
            state.wakers.len() - 1
        };
        self.main_thread().become_main(Some(termination.waker()));
        loop {
            self.perform_work();
            if !self.is_running() {
                break;
            }
            let cause = termination.wait();
            if cause != Cause::Woken || !self.is_running() {
                tracing::info!(?cause, "shutting down");
                break;
            }
            // Woken for work. What has woken once does not wait again.
            let next = install()?;
            lock(&self.0.life.state).wakers[place] = next.waker();
            self.main_thread().become_main(Some(next.waker()));
            termination = next;
        }
        self.shutdown();
        Ok(())
    }

    fn is_running(&self) -> bool {
        lock(&self.0.life.state).stage == Stage::Running
    }

    /// Fails when the ORB was shut down (CORBA 3.4 Part 1, 8.2.3.4).
    #[inline]
    pub(crate) fn check_running(&self) -> Result<(), SystemException> {
        match self.0.life.over.load(Ordering::Acquire) {
            true => Err(over()),
            false => Ok(()),
        }
    }

    /// Shuts down: stops accepting, lets requests under way end (up to the setting `drain_timeout`),
    /// tells every client that the connection closes, and closes the connections to servers that no
    /// call uses. Returns when that is done; calling it again waits for the first call.
    ///
    /// Its POAs are destroyed and their objects etherealized. Afterwards calls, also to objects of this
    /// process, and activations fail with `BAD_INV_ORDER`. While servants end what is under way they
    /// may still call.
    ///
    /// Called by a servant, the connection of that very request keeps it waiting until
    /// `drain_timeout`; use another thread.
    pub fn shutdown(&self) {
        let life = &self.0.life;
        let mut state = lock(&life.state);
        if state.stage != Stage::Running {
            while state.stage != Stage::Ended {
                state = life.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            return;
        }
        state.stage = Stage::Ending;
        drop(state);
        if let Some(Ok(server)) = self.0.server.get() {
            server.close(self);
        }
        life.over.store(true, Ordering::Release);
        self.root().destroy(self, Ending::Cleanup, false);
        self.main_thread().clear();
        self.0.client.close();
        if let Some(interceptors) = self.interceptors() {
            interceptors.destroy();
        }
        let mut state = lock(&life.state);
        state.stage = Stage::Ended;
        state.wakers.iter().for_each(Waker::wake);
        life.ended.notify_all();
    }
}

fn install() -> Result<Termination, SystemException> {
    Termination::install().map_err(|error| {
        SystemException::new(ExceptionKind::NoResources, Minor::default(), Completion::No)
            .because(format!("signals cannot be awaited: {error}"))
    })
}

#[cold]
fn over() -> SystemException {
    SystemException::new(ExceptionKind::BadInvOrder, Minor::SHUT_DOWN, Completion::No)
}
