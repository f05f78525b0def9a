//! The sending side of a connection: replies from any thread, each sent whole, one after the other.
//!
//! What a reply contains is in [`crate::server::reply::reply_port`].

use super::connection::Connection;
use crate::message_memory::Reservation;
use crate::runtime::Orb;
use crate::server::reply::sink::{LateSink, PendingReply, ReplySink, RequestSink};
use crate::server::threads::reactor_connection::ReactorConnection;
use crate::server::threads::served_by::ServedBy;
use crate::settings::Settings;
use crate::wire;
use armilla_cdr::Encoder;
use armilla_giop::engine::Responder;
use armilla_ipc::{Address, Credentials, Protection, SendError};
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;

/// The state that all threads replying on a connection share.
pub(in crate::server) struct Output {
    pub(in crate::server) responder: Responder,
    /// How many of the requests in progress have left their thread and are answered later.
    pub(in crate::server) deferred: usize,
    /// Whether the client is known to be disconnected.
    pub(in crate::server) gone: bool,
    /// Whether no thread leads the connection. This happens in the reactor only.
    pub(in crate::server) leaderless: bool,
    /// Octets that wait to be sent, and how many of them were sent.
    queue: Vec<u8>,
    taken: usize,
    /// The memory of what waits beyond `queued_replies`.
    reservation: Option<Reservation>,
    /// Whether the connection closes when the queue is empty.
    closes: bool,
}

impl Output {
    pub(in crate::server) fn new(settings: &Settings) -> Self {
        let mut responder = Responder::new(settings.requests_in_progress);
        responder.set_code_sets(settings.code_sets(None));
        let queue = Vec::new();
        Self {
            responder,
            deferred: 0,
            gone: false,
            leaderless: false,
            queue,
            taken: 0,
            reservation: None,
            closes: false,
        }
    }

    /// How many requests are in a servant.
    pub(in crate::server) fn serving(&self) -> usize {
        self.responder.in_progress().saturating_sub(self.deferred)
    }

    /// Whether octets are queued that the client has not read.
    pub(in crate::server) fn has_queued(&self) -> bool {
        self.taken < self.queue.len()
    }

    /// Whether the connection closes when the queue is empty.
    pub(in crate::server) fn closes_when_sent(&self) -> bool {
        self.closes
    }

    /// Discards the queue: the client is disconnected.
    pub(in crate::server) fn discard_queue(&mut self) {
        self.gone = true;
        self.empty_queue();
    }

    fn empty_queue(&mut self) {
        (self.queue, self.taken, self.reservation) = (Vec::new(), 0, None);
    }

    /// Queues `parts` without their first `sent` octets.
    fn enqueue(&mut self, parts: &[IoSlice<'_>], mut sent: usize) {
        if self.taken > self.queue.len() / 2 {
            self.queue.drain(..std::mem::take(&mut self.taken));
        }
        for part in parts {
            let skipped = sent.min(part.len());
            sent -= skipped;
            self.queue.extend_from_slice(&part[skipped..]);
        }
    }
}

impl ReplySink for Connection {
    fn orb(&self) -> &Orb {
        &self.orb
    }

    fn peer(&self) -> &Address {
        self.stream.peer()
    }

    fn credentials(&self) -> Option<Credentials> {
        self.stream.credentials()
    }

    fn protection(&self) -> Option<Arc<Protection>> {
        self.stream.protection()
    }

    #[inline(always)]
    fn settle(
        &self,
        request_id: u32,
        pending: PendingReply,
        reply: Option<&Encoder<'_>>,
    ) -> Result<(), SendError> {
        let mut output = self.output.lock();
        if pending == PendingReply::Later {
            output.deferred -= 1;
        }
        let wanted = pending == PendingReply::Nothing || output.responder.finish(request_id);
        let sent = match reply {
            Some(reply) if wanted => self.write(&mut output, reply),
            _ => Ok(()),
        };
        if output.responder.is_closing() {
            self.send_closing_message(&mut output);
        }
        sent
    }

    fn send(&self, message: &Encoder<'_>) -> Result<(), SendError> {
        self.write(&mut self.output.lock(), message)
    }

    fn is_abandoned(&self, request_id: u32) -> bool {
        // A thread that holds the lock is sending to the client, which is thus connected.
        let output = self.output.try_lock();
        output.is_some_and(|output| output.gone || output.responder.is_cancelled(request_id))
    }
}

impl RequestSink for Arc<Connection> {
    fn defer(&self) -> LateSink {
        self.output.lock().deferred += 1;
        self.clone()
    }
}

impl Connection {
    /// Sends a message. In the reactor this queues what the client does not read at once, instead
    /// of blocking.
    #[inline(always)]
    fn write(&self, output: &mut Output, message: &Encoder<'_>) -> Result<(), SendError> {
        self.note_size(message.len());
        let sent = match &self.served_by {
            ServedBy::Thread(_) => wire::send(&*self.stream, message, self.fragment_size),
            ServedBy::Reactor(reactor_connection) => {
                let put =
                    |parts: &[IoSlice<'_>]| self.send_or_queue(reactor_connection, output, parts);
                let put = wire::parts(message, self.fragment_size, put);
                put.map_err(|source| SendError { sent: 0, source })
            }
        };
        if sent.is_err() {
            // The leader notices it at its next read.
            output.gone = true;
            self.stream.shutdown(Shutdown::Both).ok();
        }
        sent
    }

    fn send_or_queue(
        &self,
        reactor_connection: &ReactorConnection,
        output: &mut Output,
        parts: &[IoSlice<'_>],
    ) -> io::Result<()> {
        let was_stuck = output.has_queued();
        let sent = match was_stuck {
            true => 0,
            false => zero_if_full(self.stream.try_send_vectored(parts))?,
        };
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if sent < length {
            if reactor_connection.is_stopped() {
                return Err(io::Error::other(
                    "the server has shut down, and the client reads late",
                ));
            }
            self.reserve(output, length - sent)?;
            output.enqueue(parts, sent);
            if !was_stuck {
                self.wait_for_room(reactor_connection, output);
            }
        }
        Ok(())
    }

    /// Reserves the memory for `more` octets in the queue. Beyond `queued_replies` it is part of the
    /// memory for messages, of which other peers keep their share: the client may be about to read
    /// replies that are larger, or that many requests of a shared connection wait for.
    fn reserve(&self, output: &mut Output, more: usize) -> io::Result<()> {
        let limit = self.orb.settings().queued_replies;
        let waiting = output.queue.len() - output.taken + more;
        let Some(beyond) = waiting.checked_sub(limit).filter(|beyond| *beyond > 0) else {
            return Ok(());
        };
        let memory = &self.workers.message_memory;
        let reservation =
            output.reservation.get_or_insert_with(|| Reservation::new(memory, self.stream.peer()));
        if reservation.resize(beyond, usize::MAX) {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "the client takes no replies, {waiting} octets would wait: {limit} may \
             (queued_replies), and the peer's share of message_memory, {} octets for all, has no \
             room for the rest",
            memory.limit()
        )))
    }

    /// Sends requests of this end between the replies: all of `parts`, or nothing while octets are
    /// queued.
    ///
    /// # Errors
    /// `WouldBlock` if nothing was sent; any other error when no more can be sent.
    pub(in crate::server) fn send_requests(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut output = self.output.lock();
        let reactor_connection = match &self.served_by {
            ServedBy::Reactor(reactor_connection)
                if !output.gone && !output.responder.is_closing() =>
            {
                reactor_connection
            }
            _ => return Err(io::ErrorKind::BrokenPipe.into()),
        };
        if output.has_queued() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.send_or_queue(reactor_connection, &mut output, parts).inspect_err(|_| {
            output.gone = true;
            self.stream.shutdown(Shutdown::Both).ok();
        })?;
        Ok(parts.iter().map(|part| part.len()).sum())
    }

    /// Sends what is queued, as far as that does not block. Returns whether the queue is empty now.
    pub(in crate::server) fn flush(&self, output: &mut Output) -> io::Result<bool> {
        while output.has_queued() {
            let rest = [IoSlice::new(&output.queue[output.taken..])];
            match zero_if_full(self.stream.try_send_vectored(&rest))? {
                0 => return Ok(false),
                sent => output.taken += sent,
            }
        }
        output.empty_queue();
        Ok(true)
    }

    /// Sends the last message, which may be empty, without blocking. Returns `true` when the
    /// connection has to be closed now, `false` when that happens later.
    pub(in crate::server) fn send_last(&self, output: &mut Output, message: &[u8]) -> bool {
        if !output.gone && output.has_queued() {
            output.queue.extend_from_slice(message);
            output.closes = true;
            return false;
        }
        if !message.is_empty() {
            // A client that is disconnected or does not read needs no closing message.
            self.stream.try_send_vectored(&[IoSlice::new(message)]).ok();
        }
        true
    }
}

/// Turns `WouldBlock` into a count of zero.
fn zero_if_full(sent: io::Result<usize>) -> io::Result<usize> {
    match sent {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
        sent => sent,
    }
}
