//! Running an ORB and shutting it down.
//!
//! The stages of its life, and the queue of work for the main thread, are in `runtime`.

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
    /// Serves until [`shutdown`](Self::shutdown) is called or the process receives SIGINT (Ctrl-C)
    /// or SIGTERM; then shuts down in order. A second signal ends the process at once. After a
    /// shutdown it returns as soon as the shutdown is complete.
    ///
    /// The calling thread becomes the main thread; see [`perform_work`](Self::perform_work).
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
    pub fn run(&self) -> Result<(), SystemException> {
        if self.is_running() {
            self.server()?;
            self.started();
        }
        let mut termination = install_termination()?;
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
            // A `Termination` wakes its thread once only, so the next wait needs a new one.
            let next = install_termination()?;
            self.life().replace_waker(place, next.waker());
            self.main_thread().become_main(Some(next.waker()));
            // The old one alone has a signal that came before the new one was there.
            if let Some(cause) = termination.pending() {
                tracing::info!(?cause, "shutting down");
                break;
            }
            termination = next;
        }
        self.shutdown();
        Ok(())
    }

    /// Serves for the time `limit`, and returns whether the ORB is still running. A shutdown ends
    /// the wait early. It is for programs that have other periodic work; such a program handles
    /// signals itself. The calling thread becomes the main thread; see
    /// [`perform_work`](Self::perform_work).
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
            self.started();
        }
        // A limit beyond the range of the clock is no limit.
        let end = Instant::now().checked_add(limit);
        loop {
            self.do_work();
            if !self.main_thread().await_work(end) {
                // Returns when the shutdown of the other thread is complete.
                self.shutdown();
                return Ok(false);
            }
            if end.is_some_and(|end| end <= Instant::now()) {
                self.do_work();
                return Ok(true);
            }
        }
    }

    /// Whether [`perform_work`](Self::perform_work) has work to do: `work_pending` (CORBA 3.4 Part
    /// 1, 8.5.1.6).
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (minor code 4) after a shutdown, so that the loop of the program ends.
    pub fn work_pending(&self) -> Result<bool, SystemException> {
        self.check_running()?;
        self.started();
        Ok(self.has_work())
    }

    /// Performs the queued work of the main thread and returns: `perform_work`. The work is calls
    /// of objects whose POA has the policy [`Threading::MainThread`](crate::Threading::MainThread).
    /// The calling thread becomes the main thread.
    ///
    /// It is for programs whose main thread has an event loop of its own. Other programs call
    /// [`run`](Self::run) or [`run_for`](Self::run_for), which do the same work.
    ///
    /// ```
    /// let orb = armilla::Orb::new()?;
    /// // In each round of the event loop of the program:
    /// if orb.work_pending()? {
    ///     orb.perform_work()?;
    /// }
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// As [`work_pending`](Self::work_pending).
    pub fn perform_work(&self) -> Result<(), SystemException> {
        self.check_running()?;
        self.started();
        self.do_work();
        Ok(())
    }

    /// Shuts the ORB down and returns when the shutdown is complete. A second call waits for the
    /// first. Called by a servant of this ORB, or in anything else of the program that the ORB calls,
    /// it returns at once, because that must end first.
    ///
    /// The order is:
    ///
    /// 1. The [implementation repository](crate::Settings::imr), if there is one, is told.
    /// 2. Requests that wait because the server [is starting](crate::PoaManager::is_starting) end
    ///    with `TRANSIENT`. POA managers that hold or discard requests become inactive.
    /// 3. The server stops accepting connections, waits for the requests in progress (up to
    ///    [`Settings::drain_timeout`](crate::Settings::drain_timeout)) and sends `CloseConnection`
    ///    to every client. Until then servants may still make calls.
    /// 4. Calls, including those to objects of this process, and activations fail with
    ///    `BAD_INV_ORDER`.
    /// 5. The other POA managers become inactive, and the POAs are destroyed. The ORB waits for the
    ///    etherealization of their objects within the same time limit.
    /// 6. The client closes its connections that no call uses.
    #[doc(alias = "destroy")]
    pub fn shutdown(&self) {
        match self.is_entered() || self.life().is_ending_here() {
            true => self.end_in_new_thread(),
            false => self.end(),
        }
    }

    /// Shuts the ORB down as [`shutdown`](Self::shutdown) does. With `wait_for_completion` it
    /// returns when the shutdown is complete; otherwise it returns at once and the shutdown
    /// continues in another thread (CORBA 3.4 Part 1, 8.2.3.4).
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (minor code 3) with `wait_for_completion` in a servant of this ORB, and in
    /// anything else of the program that the ORB calls: interceptors, servant managers, adapter
    /// activators, locators, and the `Drop` of servants. They would wait for themselves; the ORB
    /// keeps running, or goes on to shut down.
    pub fn try_shutdown(&self, wait_for_completion: bool) -> Result<(), SystemException> {
        match (wait_for_completion, self.is_entered() || self.life().is_ending_here()) {
            (true, true) => return Err(would_wait_for_itself()),
            (true, false) => self.end(),
            (false, _) => self.end_in_new_thread(),
        }
        Ok(())
    }

    /// Shuts down in another thread, unless one does so already; in the calling one if the system
    /// has no thread.
    fn end_in_new_thread(&self) {
        if !self.is_running() {
            return;
        }
        let orb = self.clone();
        let builder = thread::Builder::new().name("armilla-shutdown".to_owned());
        if let Err(error) = builder.spawn(move || orb.end()) {
            report!(warn, "the ORB shuts down in the thread of a servant", error = error);
            self.end();
        }
    }

    /// The program runs the ORB: everything that it serves is there.
    fn started(&self) {
        self.end_startup();
        self.begin_registration();
    }

    fn end(&self) {
        if !self.life().begin_end() {
            return;
        }
        self.end_registration();
        let limit = Instant::now().checked_add(self.settings().drain_timeout);
        self.abandon_startup();
        // Requests that a manager holds or discards are answered. Requests in progress may still
        // call objects whose managers are active.
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
            interceptors.destroy(self);
        }
        if let Some(interceptors) = self.server_interceptors() {
            interceptors.destroy(self);
        }
        self.life().end(|| ids::forget(self));
    }
}

fn install_termination() -> Result<Termination, SystemException> {
    Termination::install().map_err(|error| {
        SystemException::new(ExceptionKind::NoResources, Minor::default(), Completion::No)
            .with_reason(format!("the ORB cannot handle signals: {error}"))
    })
}

/// The error of a servant or callback that would wait for its own end (minor code 3).
fn would_wait_for_itself() -> SystemException {
    SystemException::new(
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_WOULD_DEADLOCK,
        Completion::No,
    )
    .with_reason("a servant, or other code that the ORB calls, cannot wait for the ORB to end")
}
