//! The served_by back to a client: replies leave whole, one after the other, from whichever thread.

use super::connection::{Connection, ServedBy};
use super::reactor_connection::ReactorConnection;
use crate::wire;
use armilla_cdr::Encoder;
use armilla_giop::engine::Responder;
use armilla_ipc::SendError;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;

/// What the threads that reply on a connection share.
pub(super) struct Output {
    pub(super) responder: Responder,
    /// How many of the requests in progress no thread serves any more.
    pub(super) deferred: usize,
    /// Whether the client is not there any more.
    pub(super) gone: bool,
    /// Whether nobody leads the connection; only the reactor lets that be.
    pub(super) leaderless: bool,
    /// What the client has yet to take, and how much of that it has taken.
    queue: Vec<u8>,
    taken: usize,
    /// Whether the connection closes when the queue is empty.
    closes: bool,
}

/// What is pending for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PendingReply {
    /// It is not in progress.
    Nothing,
    /// The thread that serves it ends it.
    Now,
    /// It ends some time later.
    Later,
}

impl Output {
    pub(super) const fn new(limit: usize) -> Self {
        let responder = Responder::new(limit);
        let queue = Vec::new();
        Self {
            responder,
            deferred: 0,
            gone: false,
            leaderless: false,
            queue,
            taken: 0,
            closes: false,
        }
    }

    /// How many requests are in a servant.
    pub(super) fn serving(&self) -> usize {
        self.responder.in_progress().saturating_sub(self.deferred)
    }

    /// Whether the client has yet to take something.
    pub(super) fn is_stuck(&self) -> bool {
        self.taken < self.queue.len()
    }

    /// Whether the connection closes now that nothing is queued any more.
    pub(super) fn closes(&self) -> bool {
        self.closes
    }

    /// Forgets what is queued: the client is gone.
    pub(super) fn give_up(&mut self) {
        self.gone = true;
        (self.queue, self.taken) = (Vec::new(), 0);
    }

    /// Queues what of `parts` stands behind the first `sent` octets.
    fn enqueue(&mut self, parts: &[IoSlice<'_>], mut sent: usize, limit: usize) -> io::Result<()> {
        for part in parts {
            let skipped = sent.min(part.len());
            sent -= skipped;
            let rest = &part[skipped..];
            if self.queue.len() - self.taken + rest.len() > limit {
                let what =
                    format!("the client takes no replies, {limit} octets wait (queued_replies)");
                return Err(io::Error::other(what));
            }
            self.queue.extend_from_slice(rest);
        }
        Ok(())
    }
}

impl Connection {
    /// Pays what is pending for a request, with `reply` if the client still wants it.
    #[inline]
    pub(super) fn settle(
        self: &Arc<Self>,
        request_id: u32,
        pending: PendingReply,
        reply: Option<&Encoder<'_>>,
    ) -> Result<(), SendError> {
        let mut output = self.output.lock();
        output.deferred -= usize::from(pending == PendingReply::Later);
        let wanted = pending == PendingReply::Nothing || output.responder.finish(request_id);
        let sent = match reply {
            Some(reply) if wanted => self.put(&mut output, reply),
            _ => Ok(()),
        };
        if output.responder.is_closing() {
            self.send_closing_message(&mut output);
        }
        sent
    }

    /// Sends a message that answers no request in progress.
    pub(super) fn send(self: &Arc<Self>, message: &Encoder<'_>) -> Result<(), SendError> {
        self.put(&mut self.output.lock(), message)
    }

    /// Puts a message onto the wire; in the reactor without waiting for a client that does not
    /// take it.
    #[inline]
    fn put(self: &Arc<Self>, output: &mut Output, message: &Encoder<'_>) -> Result<(), SendError> {
        let sent = match &self.served_by {
            ServedBy::Thread(_) | ServedBy::Collocated => {
                wire::send(&*self.stream, message, self.fragment_size)
            }
            ServedBy::Reactor(reactor_connection) => {
                let put =
                    |parts: &[IoSlice<'_>]| self.put_or_queue(reactor_connection, output, parts);
                let put = wire::parts(message, self.fragment_size, put);
                put.map_err(|source| SendError { sent: 0, source })
            }
        };
        if sent.is_err() {
            // Whoever leads finds out.
            output.gone = true;
            self.stream.shutdown(Shutdown::Both).ok();
        }
        sent
    }

    fn put_or_queue(
        &self,
        reactor_connection: &ReactorConnection,
        output: &mut Output,
        parts: &[IoSlice<'_>],
    ) -> io::Result<()> {
        let was_stuck = output.is_stuck();
        let sent = match was_stuck {
            true => 0,
            false => unless_full(self.stream.try_send_vectored(parts))?,
        };
        if sent < parts.iter().map(|part| part.len()).sum() {
            output.enqueue(parts, sent, self.orb.settings().queued_replies)?;
            if !was_stuck {
                reactor_connection.wait_for_room(self, output);
            }
        }
        Ok(())
    }

    /// Sends requests of this end between the replies: all of `parts`, or nothing while the peer has
    /// yet to take something.
    ///
    /// # Errors
    /// `WouldBlock` for nothing; anything else when no more can be sent.
    pub(super) fn carry(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut output = self.output.lock();
        let reactor_connection = match &self.served_by {
            ServedBy::Reactor(reactor_connection)
                if !output.gone && !output.responder.is_closing() =>
            {
                reactor_connection
            }
            _ => return Err(io::ErrorKind::BrokenPipe.into()),
        };
        if output.is_stuck() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.put_or_queue(reactor_connection, &mut output, parts).inspect_err(|_| {
            output.gone = true;
            self.stream.shutdown(Shutdown::Both).ok();
        })?;
        Ok(parts.iter().map(|part| part.len()).sum())
    }

    /// Sends what is queued, as much as the client takes; whether that was everything.
    pub(super) fn flush(&self, output: &mut Output) -> io::Result<bool> {
        while output.is_stuck() {
            let rest = [IoSlice::new(&output.queue[output.taken..])];
            match unless_full(self.stream.try_send_vectored(&rest))? {
                0 => return Ok(false),
                sent => output.taken += sent,
            }
        }
        (output.queue, output.taken) = (Vec::new(), 0);
        Ok(true)
    }

    /// Sends the last message, which may be empty, without waiting; `true` when the connection is
    /// to be closed now, `false` when that is for later.
    pub(super) fn put_last(&self, output: &mut Output, message: &[u8]) -> bool {
        if !output.gone && output.is_stuck() {
            output.queue.extend_from_slice(message);
            output.closes = true;
            return false;
        }
        if !message.is_empty() {
            // A client that is gone, or that does not read, needs no closing message.
            self.stream.try_send_vectored(&[IoSlice::new(message)]).ok();
        }
        true
    }
}

/// A count of zero where there is no room.
fn unless_full(sent: io::Result<usize>) -> io::Result<usize> {
    match sent {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
        sent => sent,
    }
}
