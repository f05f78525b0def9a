//! Why a context cannot be established, or a PDU is not what its sender sent.

use core::fmt;

/// Why security failed. A context is of no use after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecurityError {
    /// A token is malformed; what it lacks.
    Malformed(&'static str),
    /// A token came that is not the one expected now.
    Unexpected,
    /// The peer does not offer what has to be agreed; what.
    Missing(&'static str),
    /// What was agreed cannot do what the client asks for; what.
    Unsuitable(&'static str),
    /// The account is unknown, or the proof does not match its password.
    Denied,
    /// The client has no name, and `allow_anonymous` is not set.
    Anonymous,
    /// The client answers with NTLM version 1, and `allow_version_1` is not set.
    NtlmV1,
    /// The client could have protected its messages (MIC) and did not, and `require_mic` is set.
    NoMic,
    /// The messages of the handshake are not those that the peer sent or received.
    WrongMic,
    /// Client and server have no mechanism in common.
    NoMechanism,
    /// The peer refused.
    Rejected,
    /// A PDU was changed, repeated, left out or reordered.
    NotAuthentic,
    /// The context is not established yet, or has failed before.
    NotEstablished,
}

impl fmt::Display for SecurityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(what) => write!(f, "a security token is malformed: {what}"),
            Self::Unexpected => f.write_str("another security token was expected"),
            Self::Missing(what) => write!(f, "the peer does not offer {what}"),
            Self::Unsuitable(what) => write!(f, "the security that was agreed lacks {what}"),
            Self::Denied => f.write_str("the account is unknown, or its password another one"),
            Self::Anonymous => f.write_str("anonymous clients are refused (allow_anonymous)"),
            Self::NtlmV1 => f.write_str("the client uses NTLM version 1 (allow_version_1)"),
            Self::NoMic => f.write_str("the client does not protect its messages (require_mic)"),
            Self::WrongMic => f.write_str("somebody changed messages of the handshake"),
            Self::NoMechanism => f.write_str("client and server have no mechanism in common"),
            Self::Rejected => f.write_str("the peer refused the security token"),
            Self::NotAuthentic => f.write_str("a PDU was changed, repeated or reordered"),
            Self::NotEstablished => f.write_str("the security context is not established"),
        }
    }
}

impl core::error::Error for SecurityError {}
