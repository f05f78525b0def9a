//! Why a connection ends, what the client is told and what the operator hears.

use crate::log::report;
use crate::settings::Settings;
use armilla_cdr::CdrError;
use armilla_giop::engine::{ClosingMessage, ConnectionLoss, ReceiveError};
use armilla_giop::{HeaderError, MessageKind};
use armilla_ipc::{Address, SendError};
use std::io;

/// Why a connection ends.
pub(crate) enum CloseReason {
    /// The client closed it, or said that it would.
    Peer,
    /// The client closed it within a message.
    CutShort,
    /// Nothing came for long, or the server closes: the client is told.
    Ours,
    /// The client left a message unfinished.
    Stalled,
    /// The client sent a message in such small parts that it took too long.
    Trickled,
    /// The octets are no messages.
    Framing(HeaderError),
    /// A message is malformed.
    Malformed(MessageKind, CdrError),
    /// A message that only a server sends, or that the version does not have.
    Unexpected(MessageKind),
    /// The client cannot read us.
    MessageError,
    /// The connection broke.
    Io(io::Error),
}

impl CloseReason {
    /// Tells the operator why, where the client is at fault.
    pub(super) fn report(&self, peer: &Address, settings: &Settings) {
        match self {
            Self::Peer | Self::Ours => {}
            Self::CutShort => {
                report!(warn, "the client closed the connection within a message", peer = peer);
            }
            Self::Stalled => report!(
                warn,
                "closed: a message stopped halfway (header_deadline)",
                peer = peer,
                limit = format_args!("{:?}", settings.header_deadline),
            ),
            Self::Trickled => report!(
                warn,
                "closed: a message took too long to arrive (message_deadline)",
                peer = peer,
                limit = format_args!("{:?}", settings.message_deadline),
            ),
            Self::Framing(error) => {
                report!(
                    warn,
                    "closed: the client sent no GIOP message",
                    peer = peer,
                    error = error
                );
            }
            Self::Malformed(kind, error) => report!(
                warn,
                "closed: the client sent a malformed message",
                peer = peer,
                kind = format_args!("{kind:?}"),
                error = error,
            ),
            Self::Unexpected(kind) => report!(
                warn,
                "closed: the client sent a message that is a server's",
                peer = peer,
                kind = format_args!("{kind:?}"),
            ),
            Self::MessageError => {
                report!(warn, "closed: the client could not read a message of ours", peer = peer);
            }
            Self::Io(error) => tracing::debug!(%peer, %error, "the connection broke"),
        }
    }

    /// What the client is told.
    pub(super) fn closing_message(&self) -> ClosingMessage {
        match self {
            Self::Peer | Self::CutShort | Self::MessageError | Self::Io(_) => ClosingMessage::None,
            Self::Ours | Self::Stalled | Self::Trickled => ClosingMessage::CloseConnection,
            Self::Framing(_) | Self::Malformed(..) | Self::Unexpected(_) => {
                ClosingMessage::MessageError
            }
        }
    }
}

impl From<SendError> for CloseReason {
    fn from(error: SendError) -> Self {
        Self::Io(error.source)
    }
}

impl From<ConnectionLoss> for CloseReason {
    fn from(loss: ConnectionLoss) -> Self {
        match loss {
            ConnectionLoss::Malformed(kind, error) => Self::Malformed(kind, error),
            ConnectionLoss::Unexpected(kind) => Self::Unexpected(kind),
            ConnectionLoss::MessageError => Self::MessageError,
            ConnectionLoss::Closed | ConnectionLoss::Broken | ConnectionLoss::Unreadable => {
                Self::Peer
            }
        }
    }
}

impl From<ReceiveError> for CloseReason {
    fn from(fault: ReceiveError) -> Self {
        match fault {
            ReceiveError::Malformed(kind, error) => Self::Malformed(kind, error),
            ReceiveError::Unexpected(kind) => Self::Unexpected(kind),
            ReceiveError::MessageError => Self::MessageError,
            ReceiveError::Closed => Self::Peer,
        }
    }
}
