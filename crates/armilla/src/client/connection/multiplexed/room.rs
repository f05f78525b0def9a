//! Asynchronous calls that wait for room in the send queue, because the server does not read. No
//! thread waits for them: their arguments stay in the call until there is room, so that the queue
//! does not grow with the calls.

use crate::client::connection::loss::LostConnection;
use crate::client::connection::multiplexed::MultiplexedConnection;
use crate::client::connection::pending_reply::{PendingReply, is_same};
use crate::exception::SystemException;
use crate::sync::lock;
use armilla_giop::CompletionStatus;
use armilla_giop::engine::BeginError;
use armilla_ipc::reactor::{Reactor, Timer};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The interval at which a call that is about to expire is checked again.
const TICK: Duration = Duration::from_millis(1);

/// The calls that wait for room, in order; kept under the lock of the queue.
#[derive(Default)]
pub(super) struct RoomQueue {
    calls: VecDeque<Arc<dyn PendingReply>>,
    /// Whether a thread is sending them.
    sending: bool,
}

/// Whether calls wait for room. It is set under the lock of the queue: a thread that makes room
/// holds that lock too before it looks here.
#[derive(Default)]
pub(super) struct RoomWanted(AtomicBool);

impl RoomWanted {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl MultiplexedConnection {
    /// Lets `call` wait for room if the queue is full, or if others already wait. `false` if it can
    /// be sent now.
    ///
    /// # Errors
    /// `NO_RESOURCES` when too many calls wait.
    pub(in crate::client) fn waits_for_room(
        &self,
        call: &Arc<dyn PendingReply>,
    ) -> Result<bool, SystemException> {
        let mut outgoing = lock(&self.outgoing);
        let is_full = outgoing.waiting() >= self.settings.queued_requests;
        if !(is_full || self.room_wanted.is_set()) || outgoing.lost.is_some() {
            return Ok(false);
        }
        // Without a reactor the queue takes the request: nobody could make the call expire.
        let Some(reactor) = self.threads.reactor() else { return Ok(false) };
        let state = lock(&self.state);
        let count = outgoing.room_queue.calls.len() + state.initiator.in_flight();
        if count >= self.settings.requests_in_flight {
            return Err(self.refuse(&state, BeginError::Full));
        }
        drop(state);
        call.set_room(self.weak_self.clone());
        outgoing.room_queue.calls.push_back(call.clone());
        self.room_wanted.0.store(true, Ordering::Relaxed);
        drop(outgoing);
        self.expire_without_room(reactor, call);
        Ok(true)
    }

    /// Sets a timer that ends `call` if it expires before there is room.
    fn expire_without_room(&self, reactor: &Arc<Reactor>, call: &Arc<dyn PendingReply>) {
        let Some(left) = call.deadline().send_time_left().unwrap_or(Some(TICK)) else {
            return;
        };
        let (link, call) = (self.weak_self.clone(), Arc::downgrade(call));
        let expire = move |_: &Reactor, _: Timer| {
            let (link, call) = (link.upgrade()?, call.upgrade()?);
            if call.deadline().send_time_left().is_some() {
                // The coarse clock may lag some milliseconds behind that of the timer.
                return (!call.is_done()).then_some(TICK);
            }
            if link.leave_room_queue(&*call) {
                let what = format!("{} did not read, and the call could not be sent", link.peer());
                let unsent = call.deadline().unsent(&what);
                call.continue_over(Err(unsent));
            }
            None
        };
        reactor.arm(left, Arc::new(expire));
    }

    /// Removes a call that waits for room. `false` if it does not wait.
    pub(in crate::client) fn leave_room_queue(&self, call: &dyn PendingReply) -> bool {
        if !self.room_wanted.is_set() {
            return false;
        }
        let mut outgoing = lock(&self.outgoing);
        let calls = &mut outgoing.room_queue.calls;
        let at = calls.iter().position(|known| is_same(&**known, call));
        let left = at.and_then(|at| calls.remove(at)).is_some();
        if calls.is_empty() {
            self.room_wanted.0.store(false, Ordering::Relaxed);
        }
        left
    }

    /// Sends the calls that wait for room, as far as there is room now. The caller holds no lock.
    #[inline]
    pub(super) fn use_room(&self) {
        if self.room_wanted.is_set() {
            self.send_waiting_calls();
        }
    }

    #[cold]
    fn send_waiting_calls(&self) {
        let Some(link) = self.weak_self.upgrade() else { return };
        let mut outgoing = lock(&self.outgoing);
        if std::mem::replace(&mut outgoing.room_queue.sending, true) {
            // That thread looks for room again behind each call.
            return;
        }
        while outgoing.waiting() < self.settings.queued_requests && outgoing.lost.is_none() {
            let Some(call) = outgoing.room_queue.calls.pop_front() else {
                self.room_wanted.0.store(false, Ordering::Relaxed);
                break;
            };
            drop(outgoing);
            call.continue_with_room(&link);
            outgoing = lock(&self.outgoing);
        }
        outgoing.room_queue.sending = false;
    }

    /// Lets the calls that wait go to another connection: this one is no longer used.
    pub(super) fn leave_room(&self) {
        if !self.room_wanted.0.swap(false, Ordering::Relaxed) {
            return;
        }
        let calls = std::mem::take(&mut lock(&self.outgoing).room_queue.calls);
        for call in calls {
            call.continue_over(Err(self.closed()));
        }
    }

    /// Ends the wait of all calls: the connection has ended with `lost`, and has not carried them.
    pub(super) fn end_room_queue(&self, lost: &LostConnection) {
        if !self.room_wanted.0.swap(false, Ordering::Relaxed) {
            return;
        }
        let calls = std::mem::take(&mut lock(&self.outgoing).room_queue.calls);
        for call in calls {
            let exception = lost.exception(CompletionStatus::No, call.deadline());
            call.continue_over(Err(exception));
        }
    }
}
