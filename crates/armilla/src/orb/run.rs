//! Running an ORB and shutting it down.

use super::ids;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::runtime::Orb;
use crate::server::poa::{Ending, ManagerState};
use armilla_ipc::Termination;
use armilla_ipc::signals::Cause;
use std::thread;
use std::time::{Duration, Instant};

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
        let place = self.life().add_waker(termination.waker());
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
            self.life().replace_waker(place, next.waker());
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
        if !self.life().begin_end() {
            return;
        }
        let limit = Instant::now().checked_add(self.settings().drain_timeout);
        // What waits is answered; what is under way may still call objects that are served.
        self.deactivate_managers(|state| state != ManagerState::Active);
        if let Some(server) = self.open_server() {
            server.close(self);
        }
        self.life().refuse_calls();
        self.deactivate_managers(|_| true);
        self.root().destroy(self, Ending::Cleanup, false);
        self.root().await_all_ended(limit);
        self.main_thread().clear();
        self.client().close();
        if let Some(interceptors) = self.interceptors() {
            interceptors.destroy();
        }
        if let Some(interceptors) = self.server_interceptors() {
            interceptors.destroy();
        }
        self.life().end(|| ids::forget(self));
    }
}

fn install() -> Result<Termination, SystemException> {
    Termination::install().map_err(|error| {
        SystemException::new(ExceptionKind::NoResources, Minor::default(), Completion::No)
            .with_reason(format!("signals cannot be awaited: {error}"))
    })
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
