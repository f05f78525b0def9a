//! The queue of octets to send. A thread that finds no other thread sending sends the queue,
//! including what other threads add meanwhile. Reading is in [`reading`](super::reading).

use super::room::RoomQueue;
use crate::client::connection::loss::LostConnection;
use crate::client::connection::multiplexed::{MultiplexedConnection, Sending, Waiter};
use crate::client::connection::reactor_threads::contain_io;
use crate::client::request::Deadline;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::sync::lock;
use crate::wire;
use armilla_cdr::Encoder;
use armilla_giop::{CompletionStatus, Version};
use armilla_ipc::reactor::{Interest, Reactor, Timer};
use armilla_ipc::{CoarseInstant, SendError, coarse_now};
use std::io::{self, IoSlice};
use std::sync::{Arc, MutexGuard, PoisonError};

/// The send queue of a connection.
#[derive(Default)]
pub(super) struct Outgoing {
    octets: Vec<u8>,
    /// The number of those octets that were already sent.
    left: usize,
    /// An empty buffer with the memory of the last batch.
    spare: Vec<u8>,
    /// The total number of octets that were queued, and of those that were sent.
    queued: u64,
    sent: u64,
    /// Whether a thread is sending. It checks the queue again before it stops.
    sending: bool,
    /// Whether the server accepts no more; the reactor waits until it does.
    blocked: bool,
    /// The number of buffered oneway calls.
    delayed: usize,
    /// Whether a timer is set to send them.
    timed: bool,
    pub(super) lost: Option<Arc<LostConnection>>,
    /// The asynchronous calls that wait for room.
    pub(super) room_queue: RoomQueue,
}

/// A message of this size or more is sent in place: a copy into the queue would cost more than a
/// system call of its own.
const IN_PLACE: usize = 32 * 1024;

/// Larger buffers are not reused.
const RETAINED: usize = 256 * 1024;

impl Outgoing {
    pub(super) fn is_empty(&self) -> bool {
        self.octets.is_empty() && !self.sending
    }

    /// Discards the queue; nothing more is sent.
    pub(super) fn end(&mut self, lost: &Arc<LostConnection>) {
        (self.octets, self.left) = (Vec::new(), 0);
        self.lost = Some(lost.clone());
    }

    /// The number of octets to send.
    pub(super) fn waiting(&self) -> usize {
        self.octets.len() - self.left
    }

    fn push(&mut self, parts: &[IoSlice<'_>]) {
        for part in parts {
            self.octets.extend_from_slice(part);
        }
    }

    /// Puts an unsent batch back to the front of the queue. The first `left` octets of `rest` were
    /// sent. They are removed only once they are more than half of the batch, to save copying.
    fn put_back(&mut self, mut rest: Vec<u8>, mut left: usize) {
        if left > rest.len() / 2 {
            rest.drain(..left);
            left = 0;
        }
        rest.extend_from_slice(&self.octets);
        (self.octets, self.left) = (rest, left);
    }

    fn keep_spare(&mut self, mut sent: Vec<u8>) {
        sent.clear();
        sent.shrink_to(RETAINED);
        self.spare = sent;
    }
}

impl MultiplexedConnection {
    /// Assigns a request id to an encoded request, queues the request and sends the queue. Buffered
    /// oneway calls stay in the queue.
    pub(super) fn queue(
        &self,
        out: &mut Encoder<'_>,
        id_at: usize,
        waiter: Option<Waiter>,
        version: Version,
        sending: Sending<'_>,
    ) -> Result<u32, SystemException> {
        let (mut outgoing, in_place) = self.await_room(out.len(), sending)?;
        let mut state = lock(&self.state);
        let arrived = self.arrived();
        if !state.initiator.is_open() || state.silence.is_found(arrived) {
            return Err(self.refuse(&state, armilla_giop::engine::BeginError::Closed));
        }
        state.version = version;
        let answered = waiter.is_some();
        let id = match waiter {
            None => state.initiator.next_id(),
            Some(waiter) => {
                let (call, deadline) = match &waiter {
                    Waiter::Thread(_) => (None, None),
                    Waiter::Call(call) => (Some(call.clone()), call.deadline().expires()),
                };
                let now = state.last_used;
                state.silence.ask(arrived, now);
                let begun = state.initiator.begin(waiter, deadline);
                let id = begun.map_err(|refused| self.refuse(&state, refused))?;
                if let Some(call) = call {
                    call.set_connection(self.weak_self.upgrade(), id);
                    state.asynchronous += 1;
                    self.await_asynchronous(&mut state);
                }
                id
            }
        };
        out.patch_u32(id_at, id);
        let fragment_size = self.settings.fragment_size.unwrap_or(usize::MAX);
        wire::parts(out, fragment_size, |parts| {
            let octets = parts.iter().map(|part| part.len()).sum();
            match answered {
                true => state.initiator.queue(id, octets),
                false => state.initiator.queue_other(octets),
            }
            drop(state);
            outgoing.queued += octets as u64;
            let end = outgoing.queued;
            match (in_place, sending) {
                (Some(by), _) => self.send_in_place(outgoing, parts, octets, by),
                (None, Sending::Buffered(_)) => self.delay(outgoing, parts, octets),
                _ => self.send_parts(outgoing, parts, octets, sending.may_wait()),
            }
            match sending {
                Sending::UntilSent(deadline) => self.await_sent(end, deadline),
                _ => Ok(()),
            }
        })?;
        self.use_room();
        Ok(id)
    }

    /// Queues a message without a reply. Errors are not reported.
    pub(super) fn queue_octets(&self, message: &[u8]) {
        let mut outgoing = lock(&self.outgoing);
        if outgoing.lost.is_none() {
            lock(&self.state).initiator.queue_other(message.len());
            outgoing.queued += message.len() as u64;
            self.send_parts(outgoing, &[IoSlice::new(message)], message.len(), false);
            self.use_room();
        }
    }

    /// Sends the queue, as far as the server accepts it, unless another thread is sending.
    pub(in crate::client) fn flush(&self) {
        self.flush_from(lock(&self.outgoing), false);
        self.use_room();
    }

    /// Buffers a oneway call, to send it with others.
    fn delay<'l>(
        &'l self,
        mut outgoing: MutexGuard<'l, Outgoing>,
        parts: &[IoSlice<'_>],
        octets: usize,
    ) {
        if self.completes_batch(&outgoing, octets) {
            return self.send_parts(outgoing, parts, octets, true);
        }
        outgoing.push(parts);
        outgoing.delayed += 1;
        if !std::mem::replace(&mut outgoing.timed, true) {
            drop(outgoing);
            let delay = self.settings.oneway_buffer.delay;
            let link = self.weak_self.clone();
            let send = move |_: &Reactor, _: Timer| {
                if let Some(link) = link.upgrade() {
                    lock(&link.outgoing).timed = false;
                    link.flush();
                }
                None
            };
            match self.threads.reactor() {
                Some(reactor) => drop(reactor.arm(delay, Arc::new(send))),
                None => self.flush(),
            }
        }
    }

    /// The deadline for sending a message in place; `None` if it must be queued. A message is sent
    /// in place if it is large or if it completes a batch of buffered calls. On a bidirectional
    /// connection the server side sends.
    fn in_place_deadline<'d>(
        &self,
        outgoing: &Outgoing,
        octets: usize,
        sending: Sending<'d>,
    ) -> Option<&'d Deadline> {
        let (leaves, by) = match sending {
            Sending::UntilSent(by) => (octets >= IN_PLACE, by),
            Sending::Buffered(Some(by)) => {
                (octets >= IN_PLACE || self.completes_batch(outgoing, octets), by)
            }
            _ => return None,
        };
        // Shared memory waits for its reader as a socket does.
        let waits = || self.stream.descriptor().is_some() || self.stream.doorbell().is_some();
        (leaves && self.carrier.is_none() && waits()).then_some(by)
    }

    /// Whether the buffered oneway calls must be sent when one more of this size is added.
    fn completes_batch(&self, outgoing: &Outgoing, octets: usize) -> bool {
        let limits = self.settings.oneway_buffer;
        let most = limits.octets.min(self.settings.queued_requests);
        outgoing.delayed + 1 >= limits.count || outgoing.waiting() + octets >= most
    }

    /// Sends a message in place, together with the queue before it, and blocks until the server has
    /// accepted it. Queues what the server does not accept in time.
    fn send_in_place(
        &self,
        mut outgoing: MutexGuard<'_, Outgoing>,
        parts: &[IoSlice<'_>],
        octets: usize,
        deadline: &Deadline,
    ) {
        let spare = std::mem::take(&mut outgoing.spare);
        let batch = std::mem::replace(&mut outgoing.octets, spare);
        let before = &batch[std::mem::take(&mut outgoing.left)..];
        let total = before.len() + octets;
        outgoing.delayed = 0;
        outgoing.sending = true;
        let (arrived, began) = (self.arrived(), self.count_as_sent(total));
        drop(outgoing);
        let before = Some(IoSlice::new(before)).filter(|before| !before.is_empty());
        let all: Vec<_> = before.into_iter().chain(parts.iter().copied()).collect();
        let sent = contain_io(|| {
            self.stream.set_send_timeout(deadline.sending())?;
            let sent = self.stream.send_all_vectored(&all);
            if self.stream.descriptor().is_none() {
                // What sends the queue may wait as long as the reader takes.
                self.stream.set_send_timeout(None)?;
            }
            Ok(sent)
        });
        let (sent, failure) = match sent.unwrap_or_else(|source| Err(SendError { sent: 0, source }))
        {
            Ok(()) => (total, None),
            Err(SendError { sent, source }) => {
                (sent, Some(source).filter(|source| source.kind() != io::ErrorKind::TimedOut))
            }
        };
        let mut outgoing = lock(&self.outgoing);
        outgoing.sending = false;
        match (self.record_sent(&mut outgoing, Ok(sent), total), failure) {
            (Err(error), _) | (_, Some(error)) => {
                drop(outgoing);
                self.cannot_send(&error);
            }
            (Ok(0), None) => {
                outgoing.keep_spare(batch);
                self.flush_from(outgoing, true);
            }
            (Ok(left), None) => {
                // The peer was to take the octets all the time.
                lock(&self.state).silence.ask(arrived, began);
                outgoing.put_back(last_of(&all, left), 0);
                self.mark_blocked(outgoing);
            }
        }
    }

    /// Sends a message after the queue before it.
    #[inline]
    fn send_parts<'l>(
        &'l self,
        mut outgoing: MutexGuard<'l, Outgoing>,
        parts: &[IoSlice<'_>],
        octets: usize,
        waits: bool,
    ) {
        if !outgoing.is_empty() || outgoing.blocked {
            outgoing.push(parts);
            return self.flush_from(outgoing, waits);
        }
        outgoing.sending = true;
        self.count_as_sent(octets);
        drop(outgoing);
        let sent = self.put(parts, waits);
        let mut outgoing = lock(&self.outgoing);
        outgoing.sending = false;
        match self.record_sent(&mut outgoing, sent, octets) {
            Ok(0) if outgoing.octets.is_empty() => {}
            Ok(0) => self.flush_from(outgoing, waits),
            Ok(left) => {
                outgoing.put_back(last_of(parts, left), 0);
                match self.has_waited(waits) {
                    false => self.mark_blocked(outgoing),
                    true => self.flush_from(outgoing, waits),
                }
            }
            Err(error) => {
                drop(outgoing);
                self.cannot_send(&error);
            }
        }
    }

    /// Passes octets to the stream. Does not block if the stream has a descriptor: the reactor can
    /// wait for it instead. Without one it blocks if the thread `waits`.
    #[inline]
    fn put(&self, parts: &[IoSlice<'_>], waits: bool) -> io::Result<usize> {
        contain_io(|| match self.has_waited(waits) {
            false => self.stream.try_send_vectored(parts),
            true => self.stream.send_vectored(parts),
        })
    }

    /// Whether [`put`](Self::put) blocks.
    #[inline]
    fn has_waited(&self, waits: bool) -> bool {
        waits && self.stream.descriptor().is_none()
    }

    /// Sends the queue, as far as the server accepts it; see [`put`](Self::put).
    fn flush_from<'l>(&'l self, mut outgoing: MutexGuard<'l, Outgoing>, waits: bool) {
        while !(outgoing.octets.is_empty() || outgoing.sending || outgoing.blocked) {
            let spare = std::mem::take(&mut outgoing.spare);
            let batch = std::mem::replace(&mut outgoing.octets, spare);
            let first = std::mem::take(&mut outgoing.left);
            let octets = batch.len() - first;
            outgoing.delayed = 0;
            outgoing.sending = true;
            self.count_as_sent(octets);
            drop(outgoing);
            let sent = self.put(&[IoSlice::new(&batch[first..])], waits);
            outgoing = lock(&self.outgoing);
            outgoing.sending = false;
            match self.record_sent(&mut outgoing, sent, octets) {
                Ok(0) => outgoing.keep_spare(batch),
                Ok(left) => {
                    let first = batch.len() - left;
                    outgoing.put_back(batch, first);
                    if !self.has_waited(waits) {
                        return self.mark_blocked(outgoing);
                    }
                }
                Err(error) => {
                    drop(outgoing);
                    return self.cannot_send(&error);
                }
            }
        }
    }

    /// Counts octets as sent before the system call that sends them. The server may receive them
    /// and end the connection before the call returns.
    /// Returns when the connection was used last.
    fn count_as_sent(&self, octets: usize) -> CoarseInstant {
        let mut state = lock(&self.state);
        state.initiator.sent(octets);
        state.last_used
    }

    /// Records how many of `octets` the stream has accepted. Returns the number left.
    fn record_sent(
        &self,
        outgoing: &mut Outgoing,
        sent: io::Result<usize>,
        octets: usize,
    ) -> io::Result<usize> {
        let sent = match sent {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            sent => sent,
        };
        let left = octets - sent.as_ref().unwrap_or(&0);
        if left > 0 {
            lock(&self.state).initiator.unsent(left);
        }
        let sent = sent?;
        outgoing.sent += sent as u64;
        if outgoing.lost.is_some() {
            return Ok(0);
        }
        self.room.notify_all();
        Ok(left)
    }

    /// Makes the reactor send the rest when the server accepts more; a thread if the reactor cannot
    /// watch the stream.
    #[cold]
    fn mark_blocked(&self, mut outgoing: MutexGuard<'_, Outgoing>) {
        if outgoing.lost.is_none() {
            outgoing.blocked = true;
            drop(outgoing);
            match &self.carrier {
                None if self.stream.descriptor().is_none() => self.start_sender(),
                None => self.wait_for(Interest::WRITE),
                // The carrier reports when there is room again. Room that appeared before `blocked`
                // was set is seen here.
                Some(carrier) if carrier.has_room() => self.unblock(),
                Some(_) => {}
            }
        }
    }

    /// Continues to send: the server accepts more.
    pub(crate) fn unblock(&self) {
        let mut outgoing = lock(&self.outgoing);
        outgoing.blocked = false;
        self.flush_from(outgoing, true);
        self.room.notify_all();
        self.use_room();
    }

    /// Blocks until there is room for one more message, if the thread may block: in the queue, or
    /// on the connection for a message that is sent in place. Returns the deadline for sending in
    /// place.
    fn await_room<'d>(
        &self,
        octets: usize,
        sending: Sending<'d>,
    ) -> Result<(MutexGuard<'_, Outgoing>, Option<&'d Deadline>), SystemException> {
        let mut outgoing = lock(&self.outgoing);
        let sent_before = outgoing.sent;
        loop {
            let in_place = self.in_place_deadline(&outgoing, octets, sending);
            let full = match in_place {
                Some(_) => (outgoing.sending || outgoing.blocked) && outgoing.lost.is_none(),
                None => outgoing.waiting() >= self.settings.queued_requests,
            };
            let (Sending::Blocking(by) | Sending::UntilSent(by) | Sending::Buffered(Some(by))) =
                sending
            else {
                return Ok((outgoing, in_place));
            };
            if !full {
                return Ok((outgoing, in_place));
            }
            if !self.takes_calls() {
                return Err(self.closed());
            }
            outgoing = self.await_progress(outgoing, sent_before, by, Completion::No)?;
        }
    }

    /// Blocks until the octets that were queued up to `end` were sent.
    fn await_sent(&self, end: u64, deadline: &Deadline) -> Result<(), SystemException> {
        let mut outgoing = lock(&self.outgoing);
        let sent_before = outgoing.sent;
        while outgoing.sent < end && outgoing.lost.is_none() {
            // After a timeout the octets stay in the queue.
            outgoing = self.await_progress(outgoing, sent_before, deadline, Completion::Maybe)?;
        }
        // What another thread is sending at this moment is not counted yet.
        let unsent = outgoing.sent < end && !outgoing.sending;
        let executed = if unsent { CompletionStatus::No } else { CompletionStatus::Maybe };
        match &outgoing.lost {
            Some(lost) => Err(lost.exception(executed, deadline)),
            None => Ok(()),
        }
    }

    /// Blocks until some octets of the queue were sent, or the connection has ended. `completed` is
    /// the completion status of a call that expires meanwhile, and `sent_before` how much was sent
    /// when it began to wait.
    fn await_progress<'l>(
        &self,
        outgoing: MutexGuard<'l, Outgoing>,
        sent_before: u64,
        deadline: &Deadline,
        completed: Completion,
    ) -> Result<MutexGuard<'l, Outgoing>, SystemException> {
        let Some(left) = deadline.send_time_left() else {
            let what = format!(
                "{} does not take the requests that are queued for it ({} octets)",
                self.peer(),
                outgoing.waiting()
            );
            let stuck = outgoing.sent == sent_before;
            drop(outgoing);
            if stuck {
                self.note_expired(deadline.started);
            }
            let minor = Minor::SEND_TIMED_OUT;
            return Err(
                SystemException::new(ExceptionKind::Timeout, minor, completed).with_reason(what)
            );
        };
        // The peer is to take the octets: that it does not is a kind of silence too.
        lock(&self.state).silence.ask(self.arrived(), coarse_now());
        let left = left.unwrap_or(super::reading::SLICE);
        let woken = self.room.wait_timeout(outgoing, left).unwrap_or_else(PoisonError::into_inner);
        Ok(woken.0)
    }
}

/// A copy of the last `left` octets of `parts`.
fn last_of(parts: &[IoSlice<'_>], left: usize) -> Vec<u8> {
    let mut skipped = parts.iter().map(|part| part.len()).sum::<usize>() - left;
    let mut rest = Vec::with_capacity(left);
    for part in parts {
        let here = skipped.min(part.len());
        rest.extend_from_slice(&part[here..]);
        skipped -= here;
    }
    rest
}
