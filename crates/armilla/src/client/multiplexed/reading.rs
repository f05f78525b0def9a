//! Who reads, and who follows. See [the module](super) for why no wake-up is lost.

use super::{MultiplexedConnection, Slot, State};
use crate::client::asynchronous::{AsyncCall, MAY_BLOCK, proceed_all};
use crate::client::deadline::Deadline;
use crate::client::loss::{CLOSED_BY_SERVER, Lost, late};
use crate::exception::{Completion, SystemException};
use crate::sync::lock;
use armilla_cdr::Decoder;
use armilla_giop::engine::ConnectionLoss;
use armilla_giop::{Framer, Message, ReplyHeader, decode_reply};
use armilla_ipc::coarse_now;
use armilla_ipc::reactor::Interest;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a reader waits before it looks at the clock. Always the same, so that it costs no system
/// call, but for the end of its time.
pub(super) const SLICE: Duration = Duration::from_secs(1);

/// How long the last words of a server may take that takes no more requests.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// What the reply that a thread waits for is handed to.
pub(in crate::client) type Accept<'a, T> =
    &'a mut dyn FnMut(ReplyHeader<'_>, Decoder<'_>) -> Result<T, SystemException>;

impl MultiplexedConnection {
    /// Waits for the reply to request `id`, whose waiter is `slot`, and hands it to `accept`.
    pub(in crate::client) fn receive<T>(
        &self,
        id: u32,
        slot: &Arc<Slot>,
        deadline: &Deadline,
        accept: Accept<'_, T>,
    ) -> Result<T, SystemException> {
        loop {
            if slot.is_done() {
                return slot.take(deadline, |reply| accept_kept(reply, accept));
            }
            let Some(left) = deadline.remaining() else {
                if self.give_up(id) {
                    return Err(late(self.peer(), deadline));
                }
                // Another thread has it in worker, and wakes this one when it is there.
                thread::park();
                continue;
            };
            let mut state = lock(&self.state);
            match state.framer.take() {
                Some(framer) => {
                    drop(state);
                    if let Some(taken) = self.lead(framer, slot, deadline, accept) {
                        return taken;
                    }
                }
                None if slot.is_done() => {}
                None => self.follow(state, left),
            }
        }
    }

    /// Reads once, or waits for `left` at most for another thread that does, as long as asynchronous
    /// call `id` is pending. What becomes of the call wakes the thread.
    pub(in crate::client) fn help(&self, id: u32, left: Duration) {
        let mut state = lock(&self.state);
        let is_pending = state.initiator.is_pending(id);
        match state.framer.take_if(|_| is_pending) {
            Some(framer) => {
                drop(state);
                self.read_once(framer, left);
            }
            None if is_pending => self.follow(state, Some(left)),
            None => {
                // Another thread has its reply in worker.
                drop(state);
                thread::park_timeout(left);
            }
        }
    }

    /// Sleeps until it is woken, as one that reads when nobody else does.
    pub(super) fn follow(
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
        let me = thread::current().id();
        if let Some(place) = state.followers.iter().position(|other| other.id() == me) {
            state.followers.swap_remove(place);
        }
        // Perhaps it was to read, and has its reply: then it is for another.
        self.pass_on(&state);
    }

    /// Reads for all until the own reply or something else comes up that is for this thread to do.
    fn lead<T>(
        &self,
        mut framer: Framer,
        slot: &Arc<Slot>,
        deadline: &Deadline,
        accept: Accept<'_, T>,
    ) -> Option<Result<T, SystemException>> {
        let (mut own, mut ready) = (None, Vec::new());
        loop {
            let mut take_own = |header: ReplyHeader<'_>, body: Decoder<'_>| {
                own = Some(accept(header, body));
            };
            if !self.dispatch_all(&mut framer, Some(slot), &mut take_own, &mut ready) {
                proceed_all(ready);
                return own;
            }
            if own.is_some() || !ready.is_empty() || slot.is_done() {
                self.step_down(framer);
                proceed_all(ready);
                return own;
            }
            let left = match deadline.remaining() {
                Some(left) => left.map_or(SLICE, |left| left.min(SLICE)),
                None => {
                    self.step_down(framer);
                    return None;
                }
            };
            if !self.read(&mut framer, left) {
                return None;
            }
        }
    }

    /// Reads once for all.
    fn read_once(&self, mut framer: Framer, left: Duration) {
        if self.read(&mut framer, left) {
            self.hand_out(framer);
        }
    }

    /// Hands out what has arrived, and gives the framer back.
    fn hand_out(&self, mut framer: Framer) {
        let mut ready = Vec::new();
        if self.dispatch_all(&mut framer, None, &mut |_, _| {}, &mut ready) {
            self.step_down(framer);
        }
        proceed_all(ready);
    }

    /// Reads what has arrived, if nobody else does; does not wait.
    pub(super) fn read_what_is_there(&self) {
        let Some(mut framer) = lock(&self.state).framer.take() else { return };
        match self.stream.try_recv(framer.space()) {
            Ok(0) => self.fail(ConnectionLoss::Broken, CLOSED_BY_SERVER),
            Ok(count) => {
                framer.received(count);
                self.hand_out(framer);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.step_down(framer),
            Err(error) => self.fail(ConnectionLoss::Broken, &error.to_string()),
        }
    }

    /// Ends the connection, which the server has left, so that nothing can be sent. What it has said before
    /// is read first: that it closes, and so has not begun what it has not answered.
    #[cold]
    pub(super) fn cannot_send(&self, error: &io::Error) {
        if self.is_half_closed(error) {
            return;
        }
        // A server that takes nothing more may be about to say so, where both ends are on one host.
        let waits = self.carrier.is_none() && MAY_BLOCK.get();
        let wait_limit = Instant::now() + if waits { LAST_WORDS } else { Duration::ZERO };
        loop {
            self.read_what_is_there();
            if lock(&self.state).lost.is_some() {
                return;
            }
            if Instant::now() >= wait_limit {
                return self.fail(ConnectionLoss::Broken, &error.to_string());
            }
            thread::sleep(Duration::from_micros(100));
        }
    }

    /// Lets the calls under way have their replies where there are others than the one that could not be
    /// sent: a server that is about to close takes no more requests, and answers those that it has. Then it
    /// says that it closes, or ends the connection, which whoever reads comes to.
    fn is_half_closed(&self, error: &io::Error) -> bool {
        let mut state = lock(&self.state);
        let is_awaited = state.initiator.in_flight() > 1 && state.lost.is_none();
        if error.kind() != io::ErrorKind::BrokenPipe || self.carrier.is_some() || !is_awaited {
            return false;
        }
        state.initiator.close();
        drop(state);
        let (peer, why) = (self.peer().clone(), error.to_string());
        lock(&self.outgoing).end(&Arc::new(Lost { peer, loss: ConnectionLoss::Broken, why }));
        self.room.notify_all();
        true
    }

    /// What the reader thread does; `false` when there is nothing to do for it any more.
    pub(super) fn read_for_others(&self) -> bool {
        let mut state = lock(&self.state);
        if self.reader_ends(&state) {
            return false;
        }
        match state.framer.take() {
            Some(framer) => {
                drop(state);
                self.read_once(framer, SLICE);
            }
            None => self.follow(state, Some(SLICE)),
        }
        true
    }

    /// Waits for octets. `false` when the connection has ended; a timeout is no end.
    fn read(&self, framer: &mut Framer, timeout: Duration) -> bool {
        let received = self
            .stream
            .set_recv_timeout(Some(timeout))
            .and_then(|()| self.stream.recv(framer.space()));
        match received {
            Ok(0) => self.fail(ConnectionLoss::Broken, CLOSED_BY_SERVER),
            Ok(count) => {
                framer.received(count);
                return true;
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return true,
            Err(error) => self.fail(ConnectionLoss::Broken, &error.to_string()),
        }
        false
    }

    /// Hands out every message that has arrived whole. `false` when the connection has ended.
    #[inline]
    fn dispatch_all(
        &self,
        framer: &mut Framer,
        own: Option<&Arc<Slot>>,
        take_own: &mut dyn FnMut(ReplyHeader<'_>, Decoder<'_>),
        ready: &mut Vec<Arc<AsyncCall>>,
    ) -> bool {
        loop {
            match framer.next() {
                Ok(Some(message)) => match self.dispatch(&message, own, ready) {
                    Ok(Some((header, body))) => take_own(header, body),
                    Ok(None) => {}
                    Err(loss) => {
                        self.fail(loss, "");
                        return false;
                    }
                },
                Ok(None) => return true,
                Err(error) => {
                    self.fail(ConnectionLoss::Unreadable, &error.to_string());
                    return false;
                }
            }
        }
    }

    /// Stops reading.
    fn step_down(&self, framer: Framer) {
        let mut state = lock(&self.state);
        if state.lost.is_some() {
            return;
        }
        state.framer = Some(framer);
        state.last_used = coarse_now();
        self.pass_on(&state);
        let closes = !state.initiator.is_open() && state.initiator.is_idle();
        drop(state);
        if closes {
            self.close_when_idle();
        }
    }

    /// Sees to it that somebody reads, if nobody does and anybody waits.
    pub(super) fn pass_on(&self, state: &State) {
        if state.framer.is_none() {
            return;
        }
        match state.followers.last() {
            // The last to come waits longest for its reply.
            Some(follower) => follower.unpark(),
            None if state.asynchronous > 0 => self.wait_for(Interest::READ),
            None => {}
        }
    }
}

fn accept_kept<T>(reply: &Message<'_>, accept: Accept<'_, T>) -> Result<T, SystemException> {
    match decode_reply(reply) {
        Ok((header, body)) => accept(header, body),
        // It was decoded before it was handed over.
        Err(error) => Err(SystemException::decoding(&error, Completion::Yes)),
    }
}
