//! The server's end of a connection (CORBA 3.4 Part 2, 9.4 and 9.5): which requests are in progress,
//! which of their replies are still wanted, and when the connection may close.
//!
//! What is not here: octets ([`Framer`](crate::Framer)), time ([`IdleMonitor`](super::IdleMonitor)), and calling
//! objects.

use super::active_requests::ActiveRequests;
use crate::{
    HEADER_LEN, LocateRequest, Message, MessageKind, Version, close_connection,
    decode_cancel_request, decode_locate_request, message_error,
};
use armilla_cdr::{CdrError, CodeSets};

/// The server's end of one connection.
///
/// Each message that came is given to it, in order: a request to [`begin`](Self::begin), any other to
/// [`receive`](Self::receive). Each request that is to be served is ended by
/// [`finish`](Self::finish), in any order. Once [`close`](Self::close) was called nothing is begun any
/// more, and [`poll_closing_message`](Self::poll_closing_message) gives the last message when nothing is in progress
/// any more.
///
/// ```
/// use armilla_giop::engine::{RequestAction, ClosingMessage, Responder};
///
/// let mut responder = Responder::new(100);
/// assert_eq!(responder.begin(7, || false), RequestAction::Serve);
/// responder.close(ClosingMessage::CloseConnection);
/// assert!(responder.poll_closing_message().is_none(), "the call under way is waited for");
/// assert!(responder.finish(7), "its reply is to be sent");
/// assert!(responder.poll_closing_message().is_some());
/// ```
///
/// Replies are not a server's to receive. A connection that carries requests both ways looks at the
/// kind of a message first and gives those to the other state machine.
#[derive(Debug)]
pub struct Responder {
    active: ActiveRequests,
    /// How many requests may be in progress.
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

/// How a client is told that the connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosingMessage {
    /// In order: nothing that was not answered was begun (CloseConnection).
    CloseConnection,
    /// Because it sent something that could not be read (MessageError).
    MessageError,
    /// Not at all: it has gone, or has announced its end itself.
    None,
}

/// What is to be done about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum RequestAction {
    /// To serve it. It is in progress until [`Responder::finish`].
    Serve,
    /// To refuse it, because too many are in progress. This one is not.
    Refuse,
    /// Nothing: it was given up, or the connection closes.
    Ignore,
}

/// What a message other than a request asks for.
#[derive(Debug)]
pub enum ServerEvent<'m> {
    /// To say where an object is. It is in progress until [`Responder::finish`].
    Locate(LocateRequest<'m>),
    /// Nothing.
    Nothing,
}

/// Why a message ends the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiveError {
    /// A message that could not be read.
    Malformed(MessageKind, CdrError),
    /// A message that only a server sends.
    Unexpected(MessageKind),
    /// The client could not read a message of ours.
    MessageError,
    /// The client closes the connection.
    Closed,
}

impl core::fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Malformed(kind, error) => write!(f, "a malformed {kind:?} message: {error}"),
            Self::Unexpected(kind) => write!(f, "a {kind:?} message, which is a server's"),
            Self::MessageError => f.write_str("the client could not read a message"),
            Self::Closed => f.write_str("the client closes the connection"),
        }
    }
}

impl core::error::Error for ReceiveError {}

impl Responder {
    /// A new connection, with at most `limit` requests in progress.
    pub const fn new(limit: usize) -> Self {
        let code_sets = CodeSets::UNAGREED;
        Self { active: ActiveRequests::new(), limit, code_sets, stage: Stage::Open }
    }

    /// Takes the number of a request that came. `is_cancelled` says whether the client has given it up
    /// already (see [`Framer::has_cancel_for`](crate::Framer::has_cancel_for)).
    #[inline]
    pub fn begin(&mut self, request_id: u32, is_cancelled: impl FnOnce() -> bool) -> RequestAction {
        if self.stage != Stage::Open || is_cancelled() {
            return RequestAction::Ignore;
        }
        // Mostly there is none, and not more to look at.
        if (self.limit == 0 || !self.active.is_empty()) && self.active.len() >= self.limit {
            return RequestAction::Refuse;
        }
        self.active.insert(request_id);
        RequestAction::Serve
    }

    /// Takes any other message that came; a request is decoded and [begun](Self::begin). After
    /// [`close`](Self::close) every message asks for nothing.
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
                // One that ends early, or that comes too late, cancels nothing and harms nobody.
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

    /// Ends a request that was in progress: its reply is sent next, if that is still wanted.
    #[inline]
    pub fn finish(&mut self, request_id: u32) -> bool {
        self.active.remove(request_id)
    }

    /// Whether the client has given up a request that is in progress.
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

    /// The code sets of the client's characters and ours.
    #[inline]
    pub const fn code_sets(&self) -> CodeSets {
        self.code_sets
    }

    /// Takes note of the code sets that the client has chosen.
    pub const fn set_code_sets(&mut self, code_sets: CodeSets) {
        self.code_sets = code_sets;
    }

    /// Begins no more requests. The message of the first call is the one that is sent.
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

    /// The end of the connection, once, when it closes and no request is in progress any more: the
    /// last message that goes to the client, if it gets one.
    pub fn poll_closing_message(&mut self) -> Option<Option<[u8; HEADER_LEN]>> {
        let Stage::Closing(closing_message) = self.stage else { return None };
        if !self.active.is_empty() {
            return None;
        }
        self.stage = Stage::Closed;
        // Every client understands 1.0, also one of which not even the version could be read.
        Some(match closing_message {
            ClosingMessage::CloseConnection => Some(close_connection(Version::V1_0)),
            ClosingMessage::MessageError => Some(message_error(Version::V1_0)),
            ClosingMessage::None => None,
        })
    }
}
