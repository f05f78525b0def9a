//! The life of an ORB: running and shutting down.

use super::{Orb, ids};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::poa::{Ending, ManagerState};
use crate::sync::lock;
use armilla_ipc::Termination;
use armilla_ipc::signals::{Cause, Waker};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

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

#[derive(Default, PartialEq, Eq, PartialOrd, Clone, Copy)]
enum Stage {
    /// Initializers have not returned yet.
    #[default]
    Beginning,
    Running,
    Ending,
    Ended,
}

impl Orb {
    /// Serves until [`shutdown`](Self::shutdown) is called or the process is asked to end (SIGINT,
    /// which Ctrl-C sends, or SIGTERM); then shuts down in order. A second signal ends the process
    /// at once. Of an ORB that was shut down it returns when that is done.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when signals cannot be awaited.
    pub fn run(&self) -> Result<(), SystemException> {
        if self.is_running() {
            self.server()?;
        }
        let mut termination = install()?;
        let place = {
            let mut state = lock(&self.0.life.state);
            state.wakers.push(termination.waker());
            state.wakers.len() - 1
        };
        self.main_thread().become_main(Some(termination.waker()));
        loop {
            self.do_work();
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

    /// Serves for so long, and says whether the ORB goes on: not when it was shut down, which ends the
    /// waiting. For programs that have something else to do now and then; what the process is asked by
    /// signals is theirs to hear. The calling thread is the main thread from then on, and does the work
    /// that the main thread alone may do.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # let orb = armilla::Orb::new()?;
    /// while orb.run_for(Duration::from_secs(1))? {
    ///     // What the program does each second.
    /// }
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen.
    pub fn run_for(&self, limit: Duration) -> Result<bool, SystemException> {
        if self.is_running() {
            self.server()?;
        }
        // A time that no clock reaches is none.
        let end = Instant::now().checked_add(limit);
        loop {
            self.do_work();
            if !self.main_thread().await_work(end) {
                // Waits until all is done.
                self.shutdown();
                return Ok(false);
            }
            if end.is_some_and(|end| end <= Instant::now()) {
                self.do_work();
                return Ok(true);
            }
        }
    }

    fn is_running(&self) -> bool {
        lock(&self.0.life.state).stage < Stage::Ending
    }

    /// Whether its initializers have not returned yet.
    pub(crate) fn is_being_made(&self) -> bool {
        lock(&self.0.life.state).stage == Stage::Beginning
    }

    /// Its initializers have returned.
    pub(super) fn is_made(&self) {
        let mut state = lock(&self.0.life.state);
        if state.stage == Stage::Beginning {
            state.stage = Stage::Running;
        }
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
    /// call uses. Returns when that is done; calling it again waits for the first call. To a servant
    /// of this ORB, whose own request must end first, it returns at once.
    ///
    /// Its POA managers become inactive, those first that hold or discard requests; then its POAs are
    /// destroyed and their objects etherealized, which is waited for within the same time. Afterwards
    /// calls, also to objects of this process, and activations fail with `BAD_INV_ORDER`. While
    /// servants end what is under way they may still call.
    pub fn shutdown(&self) {
        match self.is_serving() {
            true => self.end_beside(),
            false => self.end(),
        }
    }

    /// [`shutdown`](Self::shutdown) with the choice that CORBA gives (CORBA 3.4 Part 1, 8.2.3.4): to
    /// return when all is done, or at once while the ORB ends in a thread of its own.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (reason 3) to a servant of this ORB that would wait for itself; then it is not
    /// shut down.
    pub fn try_shutdown(&self, wait_for_completion: bool) -> Result<(), SystemException> {
        match (wait_for_completion, self.is_serving()) {
            (true, true) => return Err(would_wait_for_itself()),
            (true, false) => self.end(),
            (false, _) => self.end_beside(),
        }
        Ok(())
    }

    /// Shuts down in another thread.
    fn end_beside(&self) {
        let orb = self.clone();
        let beside = thread::Builder::new().name("armilla-shutdown".to_owned());
        if let Err(error) = beside.spawn(move || orb.end()) {
            report!(warn, "the ORB shuts down in the thread of a servant", error = error);
            self.end();
        }
    }

    fn end(&self) {
        let life = &self.0.life;
        let mut state = lock(&life.state);
        if state.stage >= Stage::Ending {
            while state.stage != Stage::Ended {
                state = life.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            return;
        }
        state.stage = Stage::Ending;
        drop(state);
        let limit = Instant::now().checked_add(self.settings().drain_timeout);
        // What waits is answered; what is under way may still call objects that are served.
        self.deactivate_managers(|state| state != ManagerState::Active);
        if let Some(Ok(server)) = self.0.server.get() {
            server.close(self);
        }
        life.over.store(true, Ordering::Release);
        self.deactivate_managers(|_| true);
        self.root().destroy(self, Ending::Cleanup, false);
        self.root().await_all_ended(limit);
        self.main_thread().clear();
        self.0.client.close();
        if let Some(interceptors) = self.interceptors() {
            interceptors.destroy();
        }
        let mut state = lock(&life.state);
        state.stage = Stage::Ended;
        state.wakers.iter().for_each(Waker::wake);
        ids::forget(self);
        life.ended.notify_all();
    }
}

fn install() -> Result<Termination, SystemException> {
    Termination::install().map_err(|error| {
        SystemException::new(ExceptionKind::NoResources, Minor::default(), Completion::No)
            .with_reason(format!("signals cannot be awaited: {error}"))
    })
}

#[cold]
fn over() -> SystemException {
    SystemException::shut_down()
}

/// A servant must not wait for the end of its own request (reason 3 of `BAD_INV_ORDER`).
#[cold]
fn would_wait_for_itself() -> SystemException {
    SystemException::new(
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_WOULD_DEADLOCK,
        Completion::No,
    )
    .with_reason("a servant that serves a request cannot wait for its ORB to end")
}
