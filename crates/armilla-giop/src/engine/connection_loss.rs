//! Why a connection ended, as its client sees it. What that means for each call is up to
//! [`Initiator::end`](super::Initiator::end).

use crate::{HeaderError, MessageKind};
use armilla_cdr::CdrError;
use core::fmt;

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionLoss {
    /// The server sent CloseConnection: it has executed nothing that it has not answered.
    Closed,
    /// The server sent MessageError: it could not read a message.
    MessageError,
    /// A message from the server could not be read.
    Malformed(MessageKind, CdrError),
    /// The server sent a message that only a client sends.
    Unexpected(MessageKind),
    /// The octets that arrived are not GIOP messages, or exceed a limit.
    Unreadable(HeaderError),
    /// The transport failed or was closed.
    Broken,
}

impl fmt::Display for ConnectionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the server closes the connection"),
            Self::MessageError => f.write_str("the server could not read a message"),
            Self::Malformed(kind, error) => {
                write!(f, "the server sent a malformed {kind:?} message: {error}")
            }
            Self::Unexpected(kind) => {
                write!(f, "the server sent a {kind:?} message, which only a client sends")
            }
            Self::Unreadable(error) => write!(f, "the server sent no GIOP message: {error}"),
            Self::Broken => f.write_str("the connection broke"),
        }
    }
}

impl core::error::Error for ConnectionLoss {}
