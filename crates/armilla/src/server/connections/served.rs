//! A connection as the threads of the server serve it.

use super::connection::Connection;
use crate::server::reply::close_reason::CloseReason;
use crate::server::threads::leadership::LeadToken;
use crate::server::threads::served::{AfterServing, ServedConnection};
use crate::server::threads::served_by::ServedBy;
use crate::server::threads::worker::Worker;
use armilla_giop::engine::{Activity, TimeoutKind};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl ServedConnection for Connection {
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.stream.descriptor().or_else(|| self.stream.doorbell())
    }

    fn lead(self: Arc<Self>, token: LeadToken, worker: &mut Worker) {
        self.lead_guarded(worker, |worker| self.drive(token, worker));
    }

    fn take_event(self: Arc<Self>, worker: &mut Worker) {
        self.lead_guarded(worker, |worker| self.ready(worker));
    }

    fn serve_arrived(self: Arc<Self>, token: LeadToken, worker: &mut Worker) {
        self.lead_guarded(worker, |worker| self.proceed(token, worker, AfterServing::Return));
    }

    fn conclude(&self, end: &CloseReason) {
        Self::conclude(self, end);
    }

    fn abandon(&self) {
        Self::abandon(self);
    }

    fn wake(&self, timeout: TimeoutKind) {
        Self::wake(self, timeout);
    }

    fn close_if_stuck(&self) {
        Self::close_if_stuck(self);
    }

    fn hand_over_slow(self: Arc<Self>, seen: LeadToken) -> bool {
        self.slowness.note_slow();
        self.hand_over_lead(seen)
    }

    fn activity(&self) -> Activity {
        self.leadership.activity()
    }

    fn is_large(&self) -> bool {
        self.large.load(Ordering::Relaxed)
    }

    fn is_multiplexed(&self) -> bool {
        Self::is_multiplexed(self)
    }

    fn is_bidirectional(&self) -> bool {
        Self::is_bidirectional(self)
    }

    fn may_call(&self) -> bool {
        Self::may_call(self)
    }

    fn has_pending_replies(&self) -> bool {
        Self::has_pending_replies(self)
    }
}

impl Connection {
    /// Begins to serve the connection, which is in the registry.
    ///
    /// # Errors
    /// If the reactor cannot watch it.
    pub(in crate::server) fn begin_serving(self: &Arc<Self>) -> io::Result<()> {
        // It can be idle for too long from now on.
        self.workers.monitor.wake_if_asleep();
        match &self.served_by {
            ServedBy::Thread(_) => {
                self.workers.assign_thread(self.clone(), self.leadership.token());
            }
            ServedBy::Reactor(reactor_connection) => {
                reactor_connection.register(self.clone())?;
                // What came with the handshake of the transport, if it has one.
                match self.stream.has_buffered() {
                    true => {
                        let token = self.leadership.token();
                        self.workers.continue_leading(self.clone(), token);
                    }
                    false => self.wait_for_more(reactor_connection),
                }
            }
        }
        Ok(())
    }
}
