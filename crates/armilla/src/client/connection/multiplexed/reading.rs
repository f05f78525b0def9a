//! Reading: one thread reads for all, and the others wait as its followers. [The module
//! above](super) shows that no wake-up is lost.

use super::buffers::ThreadBuffers;
use super::{BorrowedBuffers, Slot};
use crate::client::connection::loss::{CLOSED_BY_SERVER, LostConnection, reply_timed_out};
use crate::client::connection::multiplexed::{MultiplexedConnection, State, Waiter};
use crate::client::connection::pending_reply::{PendingReply, resume_all};
use crate::client::connection::reactor_threads::{contain_io, may_block};
use crate::client::request::Deadline;
use crate::exception::SystemException;
use crate::sync::lock;
use armilla_giop::engine::ConnectionLoss;
use armilla_giop::{Framer, RefusedReply};
use armilla_ipc::coarse_now;
use armilla_ipc::reactor::Interest;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The receive timeout of a reader, after which it checks the clock. It is the same for all reads
/// but the last of a call, so that setting it rarely costs a system call.
pub(super) const SLICE: Duration = Duration::from_secs(1);

/// The reason when a reply gets no memory and cannot be passed over.
const NO_MEMORY: &str = "there is no memory for a reply (message_memory)";

/// The time that a closing server has to send its last replies and CloseConnection.
const LAST_WORDS: Duration = Duration::from_millis(50);

impl MultiplexedConnection {
    /// Waits for the reply to request `id`, for which `buffers` were used, and puts it there.
    pub(in crate::client) fn receive(
        &self,
        id: u32,
        buffers: &mut BorrowedBuffers,
        deadline: &Deadline,
    ) -> Result<(), SystemException> {
        let ThreadBuffers { slot, reply, .. } = &mut **buffers;
        loop {
            if slot.is_done() {
                return slot.take(reply, deadline);
            }
            let Some(left) = deadline.remaining() else {
                if self.give_up(id) {
                    self.note_expired(deadline.started);
                    return Err(reply_timed_out(self.peer(), deadline));
                }
                // Another thread is storing the reply, and wakes this thread afterwards.
                thread::park();
                continue;
            };
            let mut state = lock(&self.state);
            match state.framer.take() {
                Some(framer) => {
                    drop(state);
                    self.read_for_all(framer, slot, deadline);
                }
                None if slot.is_done() => {}
                None => self.wait_as_follower(state, left),
            }
        }
    }

    /// Reads once, or waits up to `left` for another thread that reads, while asynchronous call
    /// `id` is pending. The end of the call wakes the thread.
    pub(in crate::client) fn read_or_wait(&self, id: u32, left: Duration) {
        let mut state = lock(&self.state);
        let is_pending = state.initiator.is_pending(id);
        match state.framer.take_if(|_| is_pending) {
            Some(framer) => {
                drop(state);
                self.read_once(framer, left);
            }
            None if is_pending => self.wait_as_follower(state, Some(left)),
            None => {
                // Another thread is processing the reply.
                drop(state);
                thread::park_timeout(left);
            }
        }
    }

    /// Parks as a follower, up to `left`. A woken follower takes over reading if its reply has not
    /// come.
    pub(super) fn wait_as_follower(
        &self,
        mut state: std::sync::MutexGuard<'_, State>,
        left: Option<Duration>,
    ) {
        state.followers.push(thread::current());
        drop(state);
        match left {
            Some(left) => thread::park_timeout(left),
            None => thread::park(),
        }
        let mut state = lock(&self.state);
        let own = thread::current().id();
        if let Some(index) = state.followers.iter().position(|other| other.id() == own) {
            state.followers.swap_remove(index);
        }
        // The thread may have been woken to read. If it has its reply, another follower must read.
        self.wake_reader(&state);
    }

    /// Reads for all until the own reply has come, an asynchronous call can be resumed, or the time
    /// is over.
    fn read_for_all(&self, mut framer: Framer, slot: &Arc<Slot>, deadline: &Deadline) {
        let mut ready = Vec::new();
        loop {
            if !self.dispatch_all(&mut framer, Some(slot), &mut ready) {
                return resume_all(ready);
            }
            let left = match deadline.remaining() {
                Some(left) if !slot.is_done() && ready.is_empty() => left,
                _ => {
                    self.release_framer(framer);
                    return resume_all(ready);
                }
            };
            if !self.read(&mut framer, left.map_or(SLICE, |left| left.min(SLICE))) {
                return;
            }
        }
    }

    /// Reads once for all.
    fn read_once(&self, mut framer: Framer, left: Duration) {
        if self.read(&mut framer, left) {
            self.dispatch_received(framer);
        }
    }

    /// Dispatches the received messages, and returns the framer.
    fn dispatch_received(&self, mut framer: Framer) {
        let mut ready = Vec::new();
        if self.dispatch_all(&mut framer, None, &mut ready) {
            self.release_framer(framer);
        }
        resume_all(ready);
    }

    /// Reads what has arrived, without blocking, unless another thread is reading.
    pub(super) fn read_available(&self) {
        let Some(mut framer) = lock(&self.state).framer.take() else { return };
        match contain_io(|| self.stream.try_recv(framer.space())) {
            Ok(0) => self.fail(ConnectionLoss::Broken, CLOSED_BY_SERVER),
            Ok(count) => {
                framer.received(count);
                self.note_arrival();
                self.dispatch_received(framer);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.release_framer(framer),
            Err(error) => self.fail(ConnectionLoss::Broken, &error.to_string()),
        }
    }

    /// Ends the connection after a failed send. First reads what the server has sent: after
    /// CloseConnection the unanswered calls were not begun and can be sent again.
    #[cold]
    pub(super) fn cannot_send(&self, error: &io::Error) {
        if self.is_half_closed(error) {
            return;
        }
        // On one host, the failed send may overtake the server's last messages: wait for them
        // briefly.
        let waits = self.carrier.is_none() && may_block();
        let wait_limit = Instant::now() + if waits { LAST_WORDS } else { Duration::ZERO };
        loop {
            self.read_available();
            if lock(&self.state).lost.is_some() {
                return;
            }
            if Instant::now() >= wait_limit {
                return self.fail(ConnectionLoss::Broken, &error.to_string());
            }
            thread::sleep(Duration::from_micros(100));
        }
    }

    /// After a failed send, lets the other calls under way have their replies. `false` without such
    /// calls. A server that is about to close accepts no more requests but answers those that it
    /// has. It then sends CloseConnection or ends the connection, which the reader sees.
    fn is_half_closed(&self, error: &io::Error) -> bool {
        let mut state = lock(&self.state);
        let is_awaited = state.initiator.in_flight() > 1 && state.lost.is_none();
        if error.kind() != io::ErrorKind::BrokenPipe || self.carrier.is_some() || !is_awaited {
            return false;
        }
        state.initiator.close();
        drop(state);
        let (peer, why) = (self.peer().clone(), error.to_string());
        let lost = Arc::new(LostConnection { peer, loss: ConnectionLoss::Broken, why });
        lock(&self.outgoing).end(&lost);
        self.room.notify_all();
        self.end_room_queue(&lost);
        true
    }

    /// One step of the reader thread. `false` when the thread must end.
    pub(super) fn run_reader_once(&self) -> bool {
        let mut state = lock(&self.state);
        if self.reader_ends(&state) {
            return false;
        }
        match state.framer.take() {
            Some(framer) => {
                drop(state);
                let arrived = self.arrived();
                self.read_once(framer, SLICE);
                self.arrived() != arrived || !self.rest_at_doorbell()
            }
            None => {
                self.wait_as_follower(state, None);
                true
            }
        }
    }

    /// Reads from the stream. `false` when the connection has ended; `true` also after a timeout.
    fn read(&self, framer: &mut Framer, timeout: Duration) -> bool {
        let received = contain_io(|| {
            self.stream.set_recv_timeout(Some(timeout))?;
            self.stream.recv(framer.space())
        });
        match received {
            Ok(0) => self.fail(ConnectionLoss::Broken, CLOSED_BY_SERVER),
            Ok(count) => {
                framer.received(count);
                self.note_arrival();
                return true;
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return true,
            Err(error) => self.fail(ConnectionLoss::Broken, &error.to_string()),
        }
        false
    }

    /// Dispatches every complete message; `own` is the slot of the calling thread. `false` when the
    /// connection has ended.
    #[inline]
    fn dispatch_all(
        &self,
        framer: &mut Framer,
        own: Option<&Arc<Slot>>,
        ready: &mut Vec<Arc<dyn PendingReply>>,
    ) -> bool {
        loop {
            match framer.next() {
                Ok(Some(message)) => match self.dispatch(&message, own, ready) {
                    Ok(false) => {}
                    Ok(true) => own.into_iter().for_each(|own| own.store_own(framer)),
                    Err(loss) => {
                        self.fail(loss, "");
                        return false;
                    }
                },
                Ok(None) => {
                    if self.reserve_memory(framer) {
                        return true;
                    }
                    let Some(refused) = framer.refuse_reply() else {
                        self.fail(ConnectionLoss::Broken, NO_MEMORY);
                        return false;
                    };
                    self.end_refused(refused, ready);
                }
                Err(error) => {
                    self.fail(ConnectionLoss::Unreadable(error), "");
                    return false;
                }
            }
        }
    }

    /// Reserves memory for the replies that are incomplete; `false` if there is not enough.
    #[inline]
    fn reserve_memory(&self, framer: &Framer) -> bool {
        match &self.memory {
            Some(memory) if framer.is_partial() => lock(memory).resize(framer.expected_memory()),
            _ => true,
        }
    }

    /// Ends the call whose reply was refused because there is no memory for it.
    #[cold]
    fn end_refused(&self, refused: RefusedReply, ready: &mut Vec<Arc<dyn PendingReply>>) {
        let RefusedReply { request_id, status } = refused;
        let mut state = lock(&self.state);
        let Some(waiter) = state.initiator.forget(request_id) else { return };
        state.asynchronous -= usize::from(matches!(waiter, Waiter::Call(_)));
        drop(state);
        let Some(memory) = &self.memory else { return };
        let exception = lock(memory).refused(self.peer(), Some(status));
        match waiter {
            Waiter::Thread(slot) => slot.refuse(exception),
            Waiter::Call(call) => {
                call.store_failure(exception);
                ready.push(call);
            }
        }
    }

    /// Returns the framer to `state`, so that another thread can read.
    fn release_framer(&self, framer: Framer) {
        let mut state = lock(&self.state);
        if state.lost.is_some() {
            return;
        }
        state.framer = Some(framer);
        state.last_used = coarse_now();
        self.wake_reader(&state);
        let closes = !state.initiator.is_open() && state.initiator.is_idle();
        drop(state);
        if closes {
            self.close_when_idle();
        }
    }

    /// Makes another thread or the reactor read, if calls wait and no thread reads.
    pub(super) fn wake_reader(&self, state: &State) {
        if state.framer.is_none() {
            return;
        }
        match state.followers.last() {
            // The last follower to come has the longest wait ahead.
            Some(follower) => follower.unpark(),
            None if state.asynchronous > 0 => self.wait_for(Interest::READ),
            None => {}
        }
    }
}
