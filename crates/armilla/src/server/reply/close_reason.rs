//! Why a connection ends: what the server sends to the client, and what it logs.

use crate::log::report;
use crate::settings::Settings;
use armilla_cdr::CdrError;
use armilla_giop::engine::{ClosingMessage, ConnectionLoss, ReceiveError};
use armilla_giop::{HeaderError, MessageKind, Version};
use armilla_ipc::SendError;
use std::fmt;
use std::io;

/// Why a connection ends.
pub(crate) enum CloseReason {
    /// The client closed it, or announced that with CloseConnection.
    Peer,
    /// The client closed it in the middle of a message.
    CutShort,
    /// The server closes it: it is shutting down, or the connection was idle for too long.
    Ours,
    /// The client stopped in the middle of a message for longer than `header_deadline`.
    Stalled,
    /// A message took longer than `message_deadline` to arrive.
    Trickled,
    /// The octets received are not a GIOP message.
    Framing(HeaderError),
    /// A message is malformed.
    Malformed(MessageKind, CdrError),
    /// A message of a kind that only a server sends, or that this version of GIOP does not have.
    Unexpected(MessageKind),
    /// The client reported with MessageError that it cannot read a message of this server.
    MessageError,
    /// The connection broke.
    Io(io::Error),
}

impl CloseReason {
    /// Logs the reason, if the client is at fault.
    pub(in crate::server) fn report(&self, peer: &dyn fmt::Display, settings: &Settings) {
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
            Self::Framing(error @ HeaderError::TooLarge { .. }) => report!(
                warn,
                "closed: the client sent a message that is too large",
                peer = peer,
                error = error,
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
                "closed: the client sent a message that only a server may send",
                peer = peer,
                kind = format_args!("{kind:?}"),
            ),
            Self::MessageError => {
                report!(warn, "closed: the client could not read one of our messages", peer = peer);
            }
            Self::Io(error) => tracing::debug!(%peer, %error, "the connection broke"),
        }
    }

    /// Whether the client has not kept to the protocol.
    pub(in crate::server) const fn is_breach(&self) -> bool {
        matches!(
            self,
            Self::Framing(_)
                | Self::Malformed(..)
                | Self::Unexpected(_)
                | Self::Stalled
                | Self::Trickled
        )
    }

    /// The message with which the server closes the connection. `version` is that of the message at
    /// fault.
    pub(in crate::server) fn closing_message(&self, version: Version) -> ClosingMessage {
        match self {
            Self::Peer | Self::CutShort | Self::MessageError | Self::Io(_) => ClosingMessage::None,
            Self::Ours | Self::Stalled | Self::Trickled => ClosingMessage::CloseConnection,
            Self::Framing(_) | Self::Malformed(..) | Self::Unexpected(_) => {
                ClosingMessage::MessageError(version)
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
            ConnectionLoss::Unreadable(error) => Self::Framing(error),
            ConnectionLoss::Closed | ConnectionLoss::Broken => Self::Peer,
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
