//! The server's end of a connection (CORBA 3.4 Part 2, 9.4 and 9.5): the requests in progress,
//! those of them that were cancelled, and when the connection may close.
//!
//! Framing octets is the task of [`Framer`](crate::Framer), timeouts are that of
//! [`IdleMonitor`](super::IdleMonitor), and calling servants is the caller's.

use super::active_requests::ActiveRequests;
use crate::{
    HEADER_LEN, LocateRequest, Message, MessageKind, Version, close_connection,
    decode_cancel_request, decode_locate_request, message_error,
};
use armilla_cdr::{CdrError, CodeSets};

/// The server's end of one connection.
///
/// The caller passes each message in order of arrival: a request to [`begin`](Self::begin), any
/// other message to [`receive`](Self::receive). [`finish`](Self::finish) ends each request that was
/// served, in any order. After [`close`](Self::close) no request begins, and
/// [`poll_closing_message`](Self::poll_closing_message) returns the last message once no request is
/// in progress.
///
/// ```
/// use armilla_giop::engine::{RequestAction, ClosingMessage, Responder};
///
/// let mut responder = Responder::new(100);
/// assert_eq!(responder.begin(7, || false), RequestAction::Serve);
/// responder.close(ClosingMessage::CloseConnection);
/// assert!(responder.poll_closing_message().is_none(), "the request in progress is waited for");
/// assert!(responder.finish(7), "its reply is sent");
/// assert!(responder.poll_closing_message().is_some());
/// ```
///
/// A server does not receive replies. On a bidirectional connection the caller looks at the kind of
/// a message first and passes replies to the [`Initiator`](super::Initiator).
#[derive(Debug)]
pub struct Responder {
    active: ActiveRequests,
    /// The most requests in progress.
    limit: usize,
    code_sets: CodeSets,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    Closing(ClosingMessage),
    Closed,
}

/// The message by which a server announces the end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosingMessage {
    /// CloseConnection: the server has executed no request that it has not answered.
    CloseConnection,
    /// MessageError: the client sent something that could not be read, in this version.
    MessageError(Version),
    /// None: the client has gone, or has announced the end itself.
    None,
}

/// What the caller does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum RequestAction {
    /// Serves it. The request is in progress until [`Responder::finish`].
    Serve,
    /// Refuses it: the limit of requests in progress is reached. This one is not in progress.
    Refuse,
    /// Ignores it: the client has cancelled it, or the connection is closing.
    Ignore,
}

/// What a message other than a request asks of the server.
#[derive(Debug)]
pub enum ServerEvent<'m> {
    /// To locate an object. The LocateRequest is in progress until [`Responder::finish`].
    Locate(LocateRequest<'m>),
    /// Nothing.
    Nothing,
}

/// Why a message ends the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiveError {
    /// A message from the client could not be read.
    Malformed(MessageKind, CdrError),
    /// The client sent a message that only a server sends.
    Unexpected(MessageKind),
    /// The client sent MessageError: it could not read a message.
    MessageError,
    /// The client sent CloseConnection.
    Closed,
}

impl core::fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Malformed(kind, error) => {
                write!(f, "the client sent a malformed {kind:?} message: {error}")
            }
            Self::Unexpected(kind) => {
                write!(f, "the client sent a {kind:?} message, which only a server sends")
            }
            Self::MessageError => f.write_str("the client could not read a message"),
            Self::Closed => f.write_str("the client closes the connection"),
        }
    }
}

impl core::error::Error for ReceiveError {}

impl Responder {
    /// A new connection on which at most `limit` requests may be in progress.
    pub const fn new(limit: usize) -> Self {
        let code_sets = CodeSets::UNAGREED;
        Self { active: ActiveRequests::new(), limit, code_sets, stage: Stage::Open }
    }

    /// Takes the id of a request that arrived. `is_cancelled` says whether its CancelRequest has
    /// arrived too (see [`Framer::has_cancel_for`](crate::Framer::has_cancel_for)).
    #[inline]
    pub fn begin(&mut self, request_id: u32, is_cancelled: impl FnOnce() -> bool) -> RequestAction {
        if self.stage != Stage::Open || is_cancelled() {
            return RequestAction::Ignore;
        }
        // Most requests find no other in progress: that costs one comparison.
        if (self.limit == 0 || !self.active.is_empty()) && self.active.len() >= self.limit {
            return RequestAction::Refuse;
        }
        self.active.insert(request_id);
        RequestAction::Serve
    }

    /// Takes a message other than a request, which goes to [`begin`](Self::begin). After
    /// [`close`](Self::close) every message is ignored.
    ///
    /// # Errors
    /// When the message ends the connection; the caller calls [`close`](Self::close) then.
    #[cold]
    pub fn receive<'m>(&mut self, message: &Message<'m>) -> Result<ServerEvent<'m>, ReceiveError> {
        let kind = message.header.kind;
        if self.stage != Stage::Open {
            return Ok(ServerEvent::Nothing);
        }
        match kind {
            MessageKind::LocateRequest => {
                let request = decode_locate_request(message)
                    .map_err(|error| ReceiveError::Malformed(kind, error))?;
                self.active.insert(request.request_id);
                Ok(ServerEvent::Locate(request))
            }
            MessageKind::CancelRequest => {
                // One that is truncated or comes too late cancels nothing: it is advice.
                if let Ok(id) = decode_cancel_request(message) {
                    self.active.cancel(id);
                }
                Ok(ServerEvent::Nothing)
            }
            MessageKind::CloseConnection => Err(ReceiveError::Closed),
            MessageKind::MessageError => Err(ReceiveError::MessageError),
            kind => Err(ReceiveError::Unexpected(kind)),
        }
    }

    /// Ends a request that was in progress. `true` if the client still waits for the reply.
    #[inline]
    pub fn finish(&mut self, request_id: u32) -> bool {
        self.active.remove(request_id)
    }

    /// Whether the client has cancelled a request that is in progress.
    pub fn is_cancelled(&self, request_id: u32) -> bool {
        self.active.is_cancelled(request_id)
    }

    /// How many requests are in progress.
    #[inline]
    pub fn in_progress(&self) -> usize {
        self.active.len()
    }

    /// Whether more than one request is in progress.
    #[inline]
    pub fn has_several(&self) -> bool {
        self.active.has_several()
    }

    /// The transmission code sets of the connection (CORBA 3.4 Part 2, 7.10).
    #[inline]
    pub const fn code_sets(&self) -> CodeSets {
        self.code_sets
    }

    /// Sets the transmission code sets, which the client has chosen.
    pub const fn set_code_sets(&mut self, code_sets: CodeSets) {
        self.code_sets = code_sets;
    }

    /// Begins no more requests. The message of the first call of this function is the one to send.
    pub fn close(&mut self, closing_message: ClosingMessage) {
        if self.stage == Stage::Open {
            self.stage = Stage::Closing(closing_message);
        }
    }

    /// Whether [`close`](Self::close) was called.
    #[inline]
    pub fn is_closing(&self) -> bool {
        self.stage != Stage::Open
    }

    /// Returns `Some` once: when the connection is closing and no request is in progress any more.
    /// The value is the last message to send, if the client gets one.
    pub fn poll_closing_message(&mut self) -> Option<Option<[u8; HEADER_LEN]>> {
        let Stage::Closing(closing_message) = self.stage else { return None };
        if !self.active.is_empty() {
            return None;
        }
        self.stage = Stage::Closed;
        Some(match closing_message {
            // Every client understands 1.0, whatever it has sent.
            ClosingMessage::CloseConnection => Some(close_connection(Version::V1_0)),
            ClosingMessage::MessageError(version) => Some(message_error(version)),
            ClosingMessage::None => None,
        })
    }
}
