//! Why the client's end of a connection ended.

use crate::MessageKind;
use armilla_cdr::CdrError;
use core::fmt;

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
