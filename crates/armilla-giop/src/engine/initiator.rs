//! The client's end of a connection (CORBA 3.4 Part 2, 9.4 and 9.5): which requests wait for a reply,
//! how much of them has left, and what became of each when the connection ends.
//!
//! What is not here: octets ([`Framer`](crate::Framer)), waiting, and what a reply says.

use super::connection_loss::ConnectionLoss;
use super::pending::Pending;
use crate::reply::decode_reply_fast;
use crate::{
    CompletionStatus, LocateReplyHeader, Message, MessageKind, ReplyHeader, decode_locate_reply,
    decode_reply,
};
use armilla_cdr::Decoder;

/// The client's end of one connection. `T` is what the caller knows a call by.
///
/// A request is [begun](Self::begin) when it gets its number. Where it waits to be sent it is
/// [queued](Self::queue) then, and [`sent`](Self::sent) tells how much of all that is queued has left;
/// a request that is not queued counts as sent, or else is [forgotten](Self::forget). Each message
/// that came is [received](Self::receive), and gives back the call that it answers. A call ends in
/// exactly one of these ways: it is answered, [given up](Self::cancel), [expires](Self::expire), or is
/// lost when the connection [ends](Self::end).
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
/// // Nobody knows what became of the first; the second did not get through.
/// assert_eq!(lost, [("first", CompletionStatus::Maybe), ("second", CompletionStatus::No)]);
/// ```
///
/// Numbers are given out in turn; where both ends of a connection call, each end has
/// [numbers of its own](Self::bidirectional). A call that was given up keeps its number until its reply came, so
/// that this is never taken for that of another call.
#[derive(Debug)]
pub struct Initiator<T> {
    pending: Pending<Entry<T>>,
    /// How many requests may be without a reply.
    limit: usize,
    /// How many of those are given up.
    cancelled: usize,
    next_id: u32,
    /// From one number to the next.
    stride: u32,
    /// How many octets were queued, and how many of them have left.
    queued: u64,
    sent: u64,
    /// No call expires before.
    earliest: u64,
    open: bool,
}

#[derive(Debug)]
struct Entry<T> {
    /// `None` when it was given up.
    call: Option<T>,
    /// Where in all that was queued the request ends; 0 where the caller sends it himself.
    end: u64,
    /// When it expires.
    deadline: u64,
}

/// What has no end.
const NEVER: u64 = u64::MAX;

/// Which end of a connection one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Who made it.
    Originator,
    /// Who accepted it.
    Acceptor,
}

/// Why a call cannot be begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeginError {
    /// As many requests as the limit allows are without a reply.
    Full,
    /// The connection closes or has ended.
    Closed,
}

/// What a message was.
#[derive(Debug)]
pub enum ClientEvent<'m, T> {
    /// The reply to a call.
    Reply(T, ReplyHeader<'m>, Decoder<'m>),
    /// The reply to the question where an object is.
    LocateReply(T, LocateReplyHeader, Decoder<'m>),
    /// The reply to a call that was given up, or one that came twice: nothing.
    Stale,
}

impl<T> Initiator<T> {
    /// A new connection, with at most `limit` requests without a reply.
    pub const fn new(limit: usize) -> Self {
        Self {
            pending: Pending::new(),
            limit,
            cancelled: 0,
            next_id: 0,
            stride: 1,
            queued: 0,
            sent: 0,
            earliest: NEVER,
            open: true,
        }
    }

    /// An end of a connection that carries requests both ways: the end that made the connection
    /// numbers its own evenly, the other oddly (CORBA 3.4 Part 2, 9.8).
    pub fn bidirectional(limit: usize, role: Role) -> Self {
        let next_id = match role {
            Role::Originator => 0,
            Role::Acceptor => 1,
        };
        Self { next_id, stride: 2, ..Self::new(limit) }
    }

    /// Gives a request that expects a reply its number. `deadline` is when it
    /// [expires](Self::expire), on whatever clock the caller has.
    ///
    /// # Errors
    /// When the connection takes no more calls, at the moment or at all.
    #[inline(always)]
    pub fn begin(&mut self, call: T, deadline: Option<u64>) -> Result<u32, BeginError> {
        if !self.open {
            return Err(BeginError::Closed);
        }
        // Mostly there is none, and not more to look at.
        if (self.limit == 0 || !self.pending.is_empty()) && self.pending.len() >= self.limit {
            return Err(BeginError::Full);
        }
        let id = self.next_id();
        let deadline = deadline.unwrap_or(NEVER);
        self.earliest = self.earliest.min(deadline);
        self.pending.insert(id, Entry { call: Some(call), end: 0, deadline });
        Ok(id)
    }

    /// The number for a message to which no reply comes, or that is not waited for.
    #[inline]
    pub fn next_id(&mut self) -> u32 {
        let mut id = self.next_id;
        // A call may have waited while all other numbers were used.
        while !self.pending.is_empty() && self.pending.contains(id) {
            id = id.wrapping_add(self.stride);
        }
        self.next_id = id.wrapping_add(self.stride);
        id
    }

    /// Notes that the request, `octets` long, is behind everything else that is to be sent.
    pub fn queue(&mut self, id: u32, octets: usize) {
        self.queue_other(octets);
        let end = self.queued;
        if let Some(entry) = self.pending.get_mut(id) {
            entry.end = end;
        }
    }

    /// Notes that octets to which no call belongs are behind everything else that is to be sent.
    pub const fn queue_other(&mut self, octets: usize) {
        self.queued = self.queued.saturating_add(octets as u64);
    }

    /// Notes that so many more octets have left.
    pub fn sent(&mut self, octets: usize) {
        self.sent = self.sent.saturating_add(octets as u64).min(self.queued);
    }

    /// Notes that so many of the octets that were said to have left have not. What is being sent while
    /// the connection may end counts as sent first, and is taken back where it was not.
    pub const fn unsent(&mut self, octets: usize) {
        self.sent = self.sent.saturating_sub(octets as u64);
    }

    /// Takes a message that came, if it is as most replies are: of 1.2, in one piece, without service
    /// contexts, and the reply to a call. Everything else is left to [`receive`](Self::receive), which
    /// would take this too and costs more.
    #[inline(always)]
    pub fn receive_reply_fast<'m>(
        &mut self,
        message: &Message<'m>,
    ) -> Option<(T, ReplyHeader<'m>, Decoder<'m>)> {
        let (header, body) = decode_reply_fast(message)?;
        Some((self.answered(header.request_id)?, header, body))
    }

    /// Takes a message that came.
    ///
    /// # Errors
    /// When the message ends the connection; the caller tells [`end`](Self::end) so.
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
        let entry = self.pending.remove(id)?;
        self.cancelled -= usize::from(entry.call.is_none());
        entry.call
    }

    /// Forgets a call whose request was never queued and will not be sent.
    pub fn forget(&mut self, id: u32) {
        self.answered(id);
    }

    /// Gives a call up: its reply will be stale. `None` if it is not pending any more. The server is
    /// told by a [`cancel_request`](crate::cancel_request).
    pub fn cancel(&mut self, id: u32) -> Option<T> {
        let call = self.pending.get_mut(id)?.call.take()?;
        self.cancelled += 1;
        Some(call)
    }

    /// Gives up the calls whose deadline has passed.
    pub fn expire(&mut self, now: u64, mut expired: impl FnMut(u32, T)) {
        if self.earliest > now {
            return;
        }
        self.earliest = NEVER;
        for (id, entry) in self.pending.iter_mut() {
            if entry.deadline > now {
                self.earliest = self.earliest.min(entry.deadline);
            } else if let Some(call) = entry.call.take() {
                self.cancelled += 1;
                expired(id, call);
            }
        }
    }

    /// No call [expires](Self::expire) before this; `None` if none does at all. The call that it
    /// was for may have ended meanwhile.
    pub const fn poll_timeout(&self) -> Option<u64> {
        match self.earliest {
            NEVER => None,
            earliest => Some(earliest),
        }
    }

    /// Begins no more calls. Those under way go on.
    pub const fn close(&mut self) {
        self.open = false;
    }

    /// Whether calls can be begun.
    #[inline]
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// Whether anybody waits for a reply.
    #[inline]
    pub const fn is_idle(&self) -> bool {
        self.pending.len() == self.cancelled
    }

    /// Whether somebody waits for the reply to this request.
    pub fn is_pending(&self, id: u32) -> bool {
        self.pending.get(id).is_some_and(|entry| entry.call.is_some())
    }

    /// How many requests are without a reply, those included that were given up.
    pub const fn in_flight(&self) -> usize {
        self.pending.len()
    }

    /// Ends the connection: gives every call that was not answered, and whether it was executed.
    ///
    /// A request that did not leave whole was not. Of the others, the server says so when it closes
    /// the connection in order, and when it cannot read the only one there is.
    pub fn end(
        &mut self,
        loss: &ConnectionLoss,
    ) -> impl Iterator<Item = (T, CompletionStatus)> + use<'_, T> {
        self.open = false;
        self.cancelled = 0;
        self.earliest = NEVER;
        let refused = match loss {
            ConnectionLoss::Closed => true,
            ConnectionLoss::MessageError => self.pending.len() == 1,
            _ => false,
        };
        let sent = self.sent;
        self.pending.drain().filter_map(move |(_, entry)| {
            let unsent = entry.end > sent;
            let executed = match refused || unsent {
                true => CompletionStatus::No,
                false => CompletionStatus::Maybe,
            };
            Some((entry.call?, executed))
        })
    }
}

#[cfg(test)]
mod tests;
