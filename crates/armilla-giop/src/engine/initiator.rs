//! The client's end of a connection (CORBA 3.4 Part 2, 9.4 and 9.5): the requests that wait for a
//! reply, how much of them was sent, and what became of each when the connection ends.
//!
//! Framing octets is the task of [`Framer`](crate::Framer); waiting for replies and reading their
//! bodies is the caller's.

use super::connection_loss::ConnectionLoss;
use super::pending::Pending;
use crate::reply::decode_reply_fast;
use crate::{
    CompletionStatus, LocateReplyHeader, Message, MessageKind, ReplyHeader, decode_locate_reply,
    decode_reply,
};
use alloc::vec::Vec;
use armilla_cdr::Decoder;

/// The client's end of one connection. `T` is the caller's handle of a call.
///
/// [`begin`](Self::begin) gives a request its id. A request that has to wait for the socket is then
/// [queued](Self::queue), and [`sent`](Self::sent) reports how many of the queued octets have left;
/// a request that is not queued counts as sent unless the caller [forgets](Self::forget) it.
/// [`receive`](Self::receive) takes each message that arrives and returns the call that it answers.
/// A call ends in exactly one way: it is answered, [cancelled](Self::cancel),
/// [expires](Self::expire), or is lost when the connection [ends](Self::end).
///
/// ```
/// use armilla_giop::engine::{Initiator, ConnectionLoss};
/// use armilla_giop::CompletionStatus;
///
/// let mut initiator = Initiator::new(100);
/// let first = initiator.begin("first", None).expect("there is room");
/// let second = initiator.begin("second", None).expect("there is room");
/// initiator.queue(first, 60);
/// initiator.queue(second, 60);
/// initiator.sent(80);
/// let mut lost: Vec<_> = initiator.end(&ConnectionLoss::Broken).collect();
/// lost.sort_by_key(|(call, _)| *call);
/// // The first was sent, so it may have been executed; the second was not sent whole.
/// assert_eq!(lost, [("first", CompletionStatus::Maybe), ("second", CompletionStatus::No)]);
/// ```
///
/// Ids are given out in sequence; on a [bidirectional](Self::bidirectional) connection each end has
/// ids of its own. A cancelled call leaves nothing behind, because its reply may never come. A late
/// reply is [stale](ClientEvent::Stale), and is never taken for that of another call: once the
/// sequence has come round to a cancelled call, no further call begins.
#[derive(Debug)]
pub struct Initiator<T> {
    pending: Pending<Entry<T>>,
    /// The most requests without a reply.
    limit: usize,
    next_id: u32,
    /// The id of the first call that was cancelled, whose reply may still come; [`NO_ID`] without
    /// one.
    first_cancelled: u64,
    /// The distance from one id to the next.
    stride: u32,
    /// How many octets were queued, and how many of those were sent.
    queued: u64,
    sent: u64,
    /// A lower bound of all deadlines.
    earliest: u64,
    open: bool,
    /// The number of messages that wait for no reply: oneway requests and CancelRequests.
    others: u32,
    /// The offset of the first of these messages in everything that was queued, or of the last
    /// octet of a cancelled request if that comes first; [`NEVER`] without one.
    first_other: u64,
}

#[derive(Debug)]
struct Entry<T> {
    call: T,
    /// The offset at which the request ends in everything that was queued; 0 if it was not queued.
    end: u64,
    /// When the call expires.
    deadline: u64,
    /// The count of other messages when the call began.
    others: u32,
}

/// The deadline of a call that never expires, and the offset of a message that was not sent.
const NEVER: u64 = u64::MAX;

/// No request id: those have 32 bits.
const NO_ID: u64 = u64::MAX;

/// Which end of a connection this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The end that made the connection.
    Originator,
    /// The end that accepted the connection.
    Acceptor,
}

/// Why a call cannot begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeginError {
    /// The limit of requests without a reply is reached.
    Full,
    /// The connection is closing or has ended.
    Closed,
}

/// What a message means to the client.
#[derive(Debug)]
pub enum ClientEvent<'m, T> {
    /// The reply to a request, its header, and a decoder for its body.
    Reply(T, ReplyHeader<'m>, Decoder<'m>),
    /// The reply to a LocateRequest.
    LocateReply(T, LocateReplyHeader, Decoder<'m>),
    /// A reply that no call waits for: its call was cancelled, or it came twice.
    Stale,
}

impl<T> Initiator<T> {
    /// A new connection on which at most `limit` requests may be without a reply.
    pub const fn new(limit: usize) -> Self {
        Self {
            pending: Pending::new(),
            limit,
            next_id: 0,
            first_cancelled: NO_ID,
            stride: 1,
            queued: 0,
            sent: 0,
            earliest: NEVER,
            open: true,
            others: 0,
            first_other: NEVER,
        }
    }

    /// One end of a bidirectional connection: the originator uses even ids, the acceptor odd ones
    /// (CORBA 3.4 Part 2, 9.8).
    pub fn bidirectional(limit: usize, role: Role) -> Self {
        let next_id = match role {
            Role::Originator => 0,
            Role::Acceptor => 1,
        };
        // This end also sends replies, which nobody reports here: they count from the beginning.
        Self { next_id, stride: 2, first_other: 0, ..Self::new(limit) }
    }

    /// Begins a call and returns the id for its request. `deadline` is when the call
    /// [expires](Self::expire), on the caller's clock and in its unit.
    ///
    /// # Errors
    /// When the limit of requests without a reply is reached, or the connection is closed.
    /// It closes by itself when there is no id left that no reply may still come for.
    #[inline(always)]
    pub fn begin(&mut self, call: T, deadline: Option<u64>) -> Result<u32, BeginError> {
        if !self.open {
            return Err(BeginError::Closed);
        }
        // Most calls find no other pending: that costs one comparison.
        if (self.limit == 0 || !self.pending.is_empty()) && self.pending.len() >= self.limit {
            return Err(BeginError::Full);
        }
        let id = self.take_id();
        if !self.open {
            return Err(BeginError::Closed);
        }
        let deadline = deadline.unwrap_or(NEVER);
        self.earliest = self.earliest.min(deadline);
        self.pending.insert(id, Entry { call, end: 0, deadline, others: self.others });
        Ok(id)
    }

    /// The id for a message to which no reply comes, or for which no call waits.
    #[inline]
    pub fn next_id(&mut self) -> u32 {
        self.count_other();
        self.take_id()
    }

    /// The id that was given out last; before the first one, that before it.
    pub const fn last_id(&self) -> u32 {
        self.next_id.wrapping_sub(self.stride)
    }

    #[inline]
    const fn count_other(&mut self) {
        self.others = self.others.wrapping_add(1);
        if self.first_other > self.queued {
            self.first_other = self.queued;
        }
    }

    #[inline(always)]
    fn take_id(&mut self) -> u32 {
        let mut id = self.next_id;
        // A call may still be pending after the ids have wrapped around.
        while !self.pending.is_empty() && self.pending.contains(id) {
            id = id.wrapping_add(self.stride);
        }
        self.next_id = id.wrapping_add(self.stride);
        // The id itself is fit for a message without a reply.
        if u64::from(id) == self.first_cancelled {
            self.open = false;
        }
        id
    }

    /// Records that the request, `octets` long, was queued behind everything else.
    pub fn queue(&mut self, id: u32, octets: usize) {
        self.queued = self.queued.saturating_add(octets as u64);
        let end = self.queued;
        if let Some(entry) = self.pending.get_mut(id) {
            entry.end = end;
        }
    }

    /// Records that octets of no call were queued behind everything else.
    pub const fn queue_other(&mut self, octets: usize) {
        self.count_other();
        self.queued = self.queued.saturating_add(octets as u64);
    }

    /// Records that `octets` more of the queued octets were sent.
    pub fn sent(&mut self, octets: usize) {
        self.sent = self.sent.saturating_add(octets as u64).min(self.queued);
    }

    /// Takes back a report of [`sent`](Self::sent). Octets count as sent before the system call
    /// that sends them, since the connection may end meanwhile; this corrects the count afterwards.
    pub const fn unsent(&mut self, octets: usize) {
        self.sent = self.sent.saturating_sub(octets as u64);
    }

    /// The fast path of [`receive`](Self::receive): takes a reply of GIOP 1.2 that is contiguous
    /// and has no service contexts, if a call waits for it. `None` leaves the message to `receive`.
    #[inline(always)]
    pub fn receive_reply_fast<'m>(
        &mut self,
        message: &Message<'m>,
    ) -> Option<(T, ReplyHeader<'m>, Decoder<'m>)> {
        let (header, body) = decode_reply_fast(message)?;
        Some((self.answered(header.request_id)?, header, body))
    }

    /// Takes a message that arrived.
    ///
    /// # Errors
    /// When the message ends the connection; the caller passes the loss to [`end`](Self::end).
    #[inline]
    pub fn receive<'m>(
        &mut self,
        message: &Message<'m>,
    ) -> Result<ClientEvent<'m, T>, ConnectionLoss> {
        if message.header.kind == MessageKind::Reply {
            let (header, body) = decode_reply(message)
                .map_err(|e| ConnectionLoss::Malformed(MessageKind::Reply, e))?;
            return Ok(match self.answered(header.request_id) {
                Some(call) => ClientEvent::Reply(call, header, body),
                None => ClientEvent::Stale,
            });
        }
        self.receive_other(message)
    }

    #[cold]
    fn receive_other<'m>(
        &mut self,
        message: &Message<'m>,
    ) -> Result<ClientEvent<'m, T>, ConnectionLoss> {
        match message.header.kind {
            kind @ MessageKind::LocateReply => {
                let decoded = decode_locate_reply(message);
                let (header, body) =
                    decoded.map_err(|error| ConnectionLoss::Malformed(kind, error))?;
                Ok(match self.answered(header.request_id) {
                    Some(call) => ClientEvent::LocateReply(call, header, body),
                    None => ClientEvent::Stale,
                })
            }
            MessageKind::CloseConnection => Err(ConnectionLoss::Closed),
            MessageKind::MessageError => Err(ConnectionLoss::MessageError),
            kind => Err(ConnectionLoss::Unexpected(kind)),
        }
    }

    #[inline(always)]
    fn answered(&mut self, id: u32) -> Option<T> {
        self.pending.remove(id).map(|entry| entry.call)
    }

    /// Removes a call and returns it, if no reply to it will be [received](Self::receive): its
    /// request was not queued and will not be sent, or its reply is passed over.
    pub fn forget(&mut self, id: u32) -> Option<T> {
        self.answered(id)
    }

    /// Cancels a call and returns it; its reply will be [stale](ClientEvent::Stale). `None` if the
    /// call is not pending any more. To tell the server is up to the caller, by a
    /// [`cancel_request`](crate::cancel_request).
    pub fn cancel(&mut self, id: u32) -> Option<T> {
        let entry = self.pending.remove(id)?;
        if self.first_cancelled == NO_ID {
            self.first_cancelled = id.into();
        }
        // If the request was sent whole, it is a message that the server may never answer.
        self.first_other = self.first_other.min(entry.end.saturating_sub(1));
        Some(entry.call)
    }

    /// Cancels the calls whose deadline has passed, and passes each to `expired`.
    pub fn expire(&mut self, now: u64, mut expired: impl FnMut(u32, T)) {
        if self.earliest > now {
            return;
        }
        self.earliest = NEVER;
        let mut due = Vec::new();
        for (id, entry) in self.pending.iter_mut() {
            match entry.deadline > now {
                true => self.earliest = self.earliest.min(entry.deadline),
                false => due.push(id),
            }
        }
        for id in due {
            if let Some(call) = self.cancel(id) {
                expired(id, call);
            }
        }
    }

    /// The time before which no call [expires](Self::expire); `None` if no call has a deadline. The
    /// call with that deadline may have ended since.
    pub const fn poll_timeout(&self) -> Option<u64> {
        match self.earliest {
            NEVER => None,
            earliest => Some(earliest),
        }
    }

    /// Refuses new calls from now on. Pending calls go on.
    pub const fn close(&mut self) {
        self.open = false;
    }

    /// Whether calls can begin.
    #[inline]
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// Whether no call waits for a reply.
    #[inline]
    pub const fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether a call waits for the reply to this request.
    pub fn is_pending(&self, id: u32) -> bool {
        self.pending.contains(id)
    }

    /// How many calls wait for a reply.
    pub const fn in_flight(&self) -> usize {
        self.pending.len()
    }

    /// Ends the connection and returns every unanswered call with its completion status.
    ///
    /// A request that was not sent whole was not executed. Nor was the last request when the server
    /// sends CloseConnection (CORBA 3.4 Part 2, 9.4.7): such a server has begun no request that it
    /// has not answered. The client relies on that for a request if every message behind it waits
    /// for a reply. MessageError (9.4.8) does not say which message the server could not read, and
    /// some servers read on: only a request that was sent alone, without any other message that is
    /// unanswered, was not executed. Any other request may have been executed.
    pub fn end(
        &mut self,
        loss: &ConnectionLoss,
    ) -> impl Iterator<Item = (T, CompletionStatus)> + use<'_, T> {
        self.open = false;
        self.earliest = NEVER;
        let (closed, others) = (*loss == ConnectionLoss::Closed, self.others);
        let refused = closed || (*loss == ConnectionLoss::MessageError && self.is_one_unanswered());
        let (sent, last_id) = (self.sent, self.last_id());
        self.pending.drain().map(move |(id, entry)| {
            let unsent = entry.end > sent;
            let is_last = match entry.end {
                0 => id == last_id,
                end => end == sent,
            };
            let in_order = closed && entry.others == others;
            let executed = match unsent || (refused && is_last) || in_order {
                true => CompletionStatus::No,
                false => CompletionStatus::Maybe,
            };
            (entry.call, executed)
        })
    }

    /// Whether the server has not answered exactly one of the messages that were sent whole. A
    /// message that waits for no reply is never answered.
    fn is_one_unanswered(&mut self) -> bool {
        let (sent, queues) = (self.sent, self.queued > 0);
        let other_sent = match queues {
            true => self.first_other < sent,
            false => self.first_other != NEVER,
        };
        let unanswered = self.pending.iter_mut().filter(|(_, entry)| entry.end <= sent).count();
        unanswered == 1 && !other_sent
    }
}

#[cfg(test)]
mod tests;
