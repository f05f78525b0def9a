//! An asynchronous call, as connections and endpoints see it.

use super::call::{AsyncCall, Event, Listener};
use crate::client::connection::{MultiplexedConnection, PendingReply, defers};
use crate::client::endpoint::WaitingCall;
use crate::client::request::{Bound, Deadline};
use crate::exception::SystemException;
use crate::sync::lock;
use armilla_cdr::CodeSets;
use armilla_giop::Message;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

impl PendingReply for AsyncCall {
    fn deadline(&self) -> &Deadline {
        &self.target().deadline
    }

    fn is_done(&self) -> bool {
        lock(&self.state).outcome.is_some()
    }

    fn set_connection(&self, link: Option<Arc<MultiplexedConnection>>, id: u32) {
        let mut state = lock(&self.state);
        let before = std::mem::replace(&mut state.link, link.map(|link| (link, id)));
        if let Listener::Thread(thread) = &state.listener {
            // The waiting thread can read replies from this connection.
            thread.unpark();
        }
        drop(state);
        drop(before);
    }

    fn set_room(&self, room: Weak<MultiplexedConnection>) {
        lock(&self.state).room = room;
    }

    fn store_reply(&self, reply: &Message<'_>, code_sets: CodeSets) {
        let mut state = lock(&self.state);
        state.reply.copy_from(reply);
        state.code_sets = Some(code_sets);
        state.event = Some(Event::Reply);
    }

    fn store_failure(&self, exception: SystemException) {
        lock(&self.state).event = Some(Event::Failure(exception));
    }

    /// Ends the call or starts the next attempt. The caller must hold no lock and must not be the
    /// reader of a connection.
    fn resume(self: Arc<Self>) {
        let deferred = defers() && self.meets_foreign_code() && self.defer();
        if !deferred {
            self.resume_here();
        }
    }

    fn continue_over(self: Arc<Self>, link: Result<Arc<MultiplexedConnection>, SystemException>) {
        if let Err(exception) = link.and_then(|link| self.send(&link)) {
            self.resume_with(exception);
        }
    }

    fn continue_with_room(self: Arc<Self>, link: &MultiplexedConnection) {
        if let Err(exception) = self.send_now(link) {
            self.resume_with(exception);
        }
    }
}

impl WaitingCall for AsyncCall {
    fn connecting(&self, usual: Duration) -> Option<(Duration, Bound)> {
        self.target()
            .deadline
            .with_addresses(self.addresses.load(Ordering::Relaxed))
            .connecting(usual)
    }

    fn end_unsent(self: Arc<Self>) {
        let state = lock(&self.state);
        if state.outcome.is_some() || state.cancelled {
            return;
        }
        let attempt_target = state.attempt_target.clone();
        drop(state);
        let address = attempt_target.map_or_else(String::new, |attempt_target| {
            format!(" to {}", attempt_target.target().access.endpoint.address)
        });
        // An interceptor may still forward the call, although little time can be left.
        let what = format!("no connection{address} was made");
        self.resume_with(self.target().deadline.unsent(&what));
    }
}
