//! The client's end of a connection (CORBA 3.4 Part 2, 9.4 and 9.5): which requests wait for a reply,
//! how much of them has left, and what became of each when the connection ends.
//!
//! What is not here: octets ([`Framer`](crate::Framer)), waiting, and what a reply says.

use super::pending::Pending;
use crate::reply::decode_reply_fast;
use crate::{
    CompletionStatus, LocateReplyHeader, Message, MessageKind, ReplyHeader, decode_locate_reply,
    decode_reply,
};
use armilla_cdr::{CdrError, Decoder};
use core::fmt;

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

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionLoss {
    /// The server closes it in order: what it has not answered it has not begun.
    Closed,
    /// The server could not read a message.
    MessageError,
    /// A message that could not be read.
    Malformed(MessageKind, CdrError),
    /// A message that only a client sends.
    Unexpected(MessageKind),
    /// The octets that came are no messages.
    Unreadable,
    /// No more octets come or go.
    Broken,
}

impl fmt::Display for ConnectionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the server closes the connection"),
            Self::MessageError => f.write_str("the server could not read a message"),
            Self::Malformed(kind, error) => write!(f, "a malformed {kind:?} message: {error}"),
            Self::Unexpected(kind) => write!(f, "a {kind:?} message, which is a client's"),
            Self::Unreadable => f.write_str("the octets that came are no messages"),
            Self::Broken => f.write_str("the connection broke"),
        }
    }
}

impl core::error::Error for ConnectionLoss {}

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
mod tests {
    use super::*;
    use crate::testing::{message, written};
    use crate::{
        LocateStatus, ReplyStatus, Version, begin_locate_reply, begin_reply, close_connection,
        message_error,
    };
    use alloc::vec::Vec;
    use armilla_cdr::ByteOrder;

    fn reply(id: u32) -> Vec<u8> {
        written(ByteOrder::Big, |out| {
            begin_reply(out, Version::V1_2, id, ReplyStatus::NoException, &[]).unwrap();
        })
    }

    /// A connection on which these calls wait for their replies.
    fn with<const N: usize>(calls: [&'static str; N]) -> (Initiator<&'static str>, [u32; N]) {
        let mut initiator = Initiator::new(8);
        let ids = calls.map(|call| {
            let id = initiator.begin(call, None).unwrap();
            initiator.queue(id, 100);
            initiator.sent(100);
            id
        });
        (initiator, ids)
    }

    fn answered(initiator: &mut Initiator<&'static str>, id: u32) -> Option<&'static str> {
        let octets = reply(id);
        match initiator.receive(&message(&octets)).unwrap() {
            ClientEvent::Reply(call, header, _) => {
                assert_eq!(header.request_id, id);
                Some(call)
            }
            _ => None,
        }
    }

    fn lost(
        initiator: &mut Initiator<&'static str>,
        loss: &ConnectionLoss,
    ) -> Vec<(&'static str, CompletionStatus)> {
        let mut lost: Vec<_> = initiator.end(loss).collect();
        lost.sort_by_key(|(call, _)| *call);
        assert_eq!(initiator.begin("late", None), Err(BeginError::Closed));
        lost
    }

    #[test]
    fn replies_find_their_calls_in_any_order_and_once() {
        let (mut initiator, [a, b, c]) = with(["a", "b", "c"]);
        for (id, call) in [(b, "b"), (c, "c"), (a, "a")] {
            assert_eq!(answered(&mut initiator, id), Some(call));
            assert_eq!(answered(&mut initiator, id), None, "a reply that comes twice");
        }
        assert!(initiator.is_idle());
        assert_eq!(answered(&mut initiator, 4711), None, "a reply to nothing");
    }

    #[test]
    fn an_answer_to_where_is_not_one_to_what() {
        let (mut initiator, [a]) = with(["a"]);
        let octets = written(ByteOrder::Little, |out| {
            begin_locate_reply(out, Version::V1_2, a, LocateStatus::ObjectHere);
        });
        let arrived = initiator.receive(&message(&octets)).unwrap();
        assert!(matches!(arrived, ClientEvent::LocateReply("a", header, _)
            if header.status == LocateStatus::ObjectHere));
    }

    #[test]
    fn what_was_given_up_keeps_its_number_until_its_reply_came() {
        let (mut initiator, [a, b]) = with(["a", "b"]);
        assert_eq!(initiator.cancel(a), Some("a"));
        assert_eq!(initiator.cancel(a), None);
        initiator.next_id = a;
        assert!(![a, b].contains(&initiator.begin("c", None).unwrap()));
        assert!(!initiator.is_idle());
        assert_eq!(answered(&mut initiator, a), None, "nobody waits for it any more");
        assert_eq!(initiator.in_flight(), 2);
        assert_eq!(initiator.cancel(b), Some("b"));
        initiator.queue(initiator.next_id - 1, 7);
        assert_eq!(lost(&mut initiator, &ConnectionLoss::Broken), [("c", CompletionStatus::No)]);
    }

    #[test]
    fn both_ends_of_a_connection_have_numbers_of_their_own() {
        for (role, first) in [(Role::Originator, 0), (Role::Acceptor, 1)] {
            let mut initiator = Initiator::bidirectional(3, role);
            let numbers = ["a", "b", "c"].map(|call| initiator.begin(call, None).unwrap());
            assert_eq!(numbers, [first, first + 2, first + 4]);
            initiator.next_id = u32::MAX - 1 + first;
            assert_eq!(initiator.next_id(), u32::MAX - 1 + first);
            assert_eq!(initiator.next_id(), first + 6, "those in use are passed over");
        }
    }

    #[test]
    fn numbers_go_round() {
        let mut initiator = Initiator::new(2);
        initiator.next_id = u32::MAX;
        let [last, first] = ["last", "first"].map(|call| initiator.begin(call, None).unwrap());
        assert_eq!((last, first), (u32::MAX, 0));
        assert_eq!(initiator.begin("third", None), Err(BeginError::Full));
        assert_eq!(initiator.next_id(), 1, "oneway calls need no room");
        initiator.forget(first);
        assert_eq!(initiator.begin("third", None), Ok(2));
    }

    #[test]
    fn a_server_that_closes_in_order_has_begun_nothing_that_it_did_not_answer() {
        let (mut initiator, [a, ..]) = with(["a", "b", "c"]);
        answered(&mut initiator, a);
        let octets = close_connection(Version::V1_2);
        let loss = initiator.receive(&message(&octets)).unwrap_err();
        assert_eq!(loss, ConnectionLoss::Closed);
        let expected = [("b", CompletionStatus::No), ("c", CompletionStatus::No)];
        assert_eq!(lost(&mut initiator, &loss), expected);
    }

    #[test]
    fn a_server_that_cannot_read_a_message_does_not_say_which() {
        let octets = message_error(Version::V1_2);
        let (mut one, _) = with(["a"]);
        let loss = one.receive(&message(&octets)).unwrap_err();
        assert_eq!(lost(&mut one, &loss), [("a", CompletionStatus::No)]);
        let (mut two, _) = with(["a", "b"]);
        let expected = [("a", CompletionStatus::Maybe), ("b", CompletionStatus::Maybe)];
        assert_eq!(lost(&mut two, &loss), expected);
    }

    #[test]
    fn what_did_not_leave_whole_was_not_executed() {
        let (mut initiator, _) = with(["a"]);
        let b = initiator.begin("b", None).unwrap();
        initiator.queue(b, 50);
        initiator.queue_other(20);
        let c = initiator.begin("c", None).unwrap();
        initiator.queue(c, 50);
        initiator.sent(50 + 20 + 49);
        let expected = [
            ("a", CompletionStatus::Maybe),
            ("b", CompletionStatus::Maybe),
            ("c", CompletionStatus::No),
        ];
        assert_eq!(lost(&mut initiator, &ConnectionLoss::Broken), expected);
    }

    #[test]
    fn messages_that_no_server_sends_end_the_connection() {
        let (mut initiator, _) = with(["a"]);
        let octets = crate::cancel_request(Version::V1_2, 0);
        let loss = initiator.receive(&message(&octets)).unwrap_err();
        assert_eq!(loss, ConnectionLoss::Unexpected(MessageKind::CancelRequest));
        let mut octets = reply(0);
        octets.truncate(14);
        octets[8..12].copy_from_slice(&2_u32.to_be_bytes());
        let loss = initiator.receive(&message(&octets)).unwrap_err();
        assert!(matches!(loss, ConnectionLoss::Malformed(MessageKind::Reply, _)));
        assert_eq!(lost(&mut initiator, &loss), [("a", CompletionStatus::Maybe)]);
    }

    #[test]
    fn calls_expire_at_their_time() {
        let mut initiator = Initiator::new(8);
        for (call, deadline) in [("a", Some(30)), ("b", None), ("c", Some(10)), ("d", Some(20))] {
            initiator.begin(call, deadline).unwrap();
        }
        let mut expired = |now| {
            let mut calls = Vec::new();
            initiator.expire(now, |_, call| calls.push(call));
            calls.sort_unstable();
            (calls, initiator.poll_timeout())
        };
        assert_eq!(expired(9), (alloc::vec![], Some(10)));
        assert_eq!(expired(25), (alloc::vec!["c", "d"], Some(30)));
        assert_eq!(expired(30), (alloc::vec!["a"], None));
        assert!(!initiator.is_idle(), "b has no limit");
    }
}
