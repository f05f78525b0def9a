//! What a server is told and tells.

use crate::fault::Status;
use crate::order::ByteOrder;
use crate::pdu::{AuthLevel, Fragment, Limits, PduError};
use crate::security::{Principal, SecurityContext, SecurityError};
use crate::uuid::{SyntaxId, Uuid};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

/// How a server behaves on each connection.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The longest PDU that is sent, in octets.
    pub max_transmit: u16,
    /// The longest PDU that is received.
    pub max_receive: u16,
    /// How large requests may become.
    pub limits: Limits,
    /// How many calls may run at once.
    pub max_calls: usize,
    /// How many interfaces a client may bind.
    pub max_contexts: usize,
    /// The least level at which interfaces may be called; those with [`Access::Anybody`] need none.
    /// Lower ones than integrity are an option for networks that need them.
    pub min_level: AuthLevel,
    /// What bind_ack names as the secondary address: the port as text.
    pub secondary_address: Vec<u8>,
    /// The association group of the connection, if it does not join one. Not 0.
    pub group: u32,
    /// How long a client may take to bind and prove who it is.
    pub handshake_timeout: Duration,
    /// How long a PDU or a call may stay unfinished.
    pub fragment_timeout: Duration,
    /// How long a client may send nothing while no call runs.
    pub idle_timeout: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_transmit: 5840,
            max_receive: 5840,
            limits: Limits::default(),
            max_calls: 64,
            max_contexts: 128,
            min_level: AuthLevel::Integrity,
            secondary_address: Vec::new(),
            group: 1,
            handshake_timeout: Duration::from_secs(30),
            fragment_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(3600),
        }
    }
}

/// Who may call an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever has proved who it is, at [`ServerOptions::min_level`] or above.
    Secured,
    /// Anybody, also without security: what is called before security can begin.
    Anybody,
}

/// What a server has.
pub trait Host: Send + Sync {
    /// Who may call the interface; `None` if the server does not have it.
    fn interface(&self, interface: SyntaxId) -> Option<Access>;

    /// The server's side of an authentication service, for a new connection; `None` if the server
    /// does not have it.
    fn security(&self, service: u8) -> Option<Box<dyn SecurityContext>>;

    /// Whether other connections have this association group, so that a client may join it.
    fn has_group(&self, _group: u32) -> bool {
        true
    }
}

impl<H: Host + ?Sized> Host for Arc<H> {
    fn interface(&self, interface: SyntaxId) -> Option<Access> {
        (**self).interface(interface)
    }

    fn security(&self, service: u8) -> Option<Box<dyn SecurityContext>> {
        (**self).security(service)
    }

    fn has_group(&self, group: u32) -> bool {
        (**self).has_group(group)
    }
}

/// A call to be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCall {
    /// The id by which it is answered.
    pub id: u32,
    /// The interface.
    pub interface: SyntaxId,
    /// The number of the operation.
    pub opnum: u16,
    /// The object that is called.
    pub object: Option<Uuid>,
    /// The byte order of the parameters, and of the results.
    pub order: ByteOrder,
    /// The parameters. Octets that mean nothing may follow them.
    pub stub: Vec<u8>,
    /// Who calls; `None` for a client without security.
    pub principal: Option<Principal>,
    /// How the call was protected.
    pub level: AuthLevel,
    /// Whether the client expects no answer; then it must not be answered.
    pub maybe: bool,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// A call came.
    Call(ServerCall),
    /// The client wants a call to end early, and waits for its answer.
    Cancelled(u32),
    /// The client no longer waits for a call; an answer goes nowhere.
    Orphaned(u32),
    /// The connection has to be closed, after what is to be sent.
    Closed(ServerError),
}

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerError {
    /// The client sent what is no PDU.
    Pdu(PduError),
    /// A fragment that does not belong where it came, or is too much.
    Fragment(Fragment),
    /// Security failed.
    Security(SecurityError),
    /// A PDU that cannot come now.
    Unexpected,
    /// The client offers a service of security that the server does not have.
    UnknownSecurity(u8),
    /// The client wants to join an association group that no connection has.
    UnknownGroup(u32),
    /// The client took longer than one of the times of [`ServerOptions`].
    TimedOut(&'static str),
}

impl ServerError {
    /// The status that tells a client why its connection ends.
    pub(super) fn status(self) -> Status {
        match self {
            Self::Security(SecurityError::Unexpected | SecurityError::NotEstablished) => {
                Status::PROTOCOL_ERROR
            }
            Self::Security(SecurityError::NotAuthentic | SecurityError::Unsuitable(_)) => {
                Status::SECURITY_PACKAGE
            }
            Self::Security(_) | Self::UnknownSecurity(_) => Status::ACCESS_DENIED,
            Self::Fragment(Fragment::TooLarge | Fragment::TooMany) => Status::OUT_OF_RESOURCES,
            _ => Status::PROTOCOL_ERROR,
        }
    }
}

impl From<PduError> for ServerError {
    fn from(error: PduError) -> Self {
        Self::Pdu(error)
    }
}

impl From<SecurityError> for ServerError {
    fn from(error: SecurityError) -> Self {
        Self::Security(error)
    }
}

impl From<crate::connection::SendError> for ServerError {
    fn from(error: crate::connection::SendError) -> Self {
        match error {
            crate::connection::SendError::Pdu(error) => Self::Pdu(error),
            crate::connection::SendError::Security(error) => Self::Security(error),
        }
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pdu(error) => error.fmt(f),
            Self::Fragment(error) => error.fmt(f),
            Self::Security(error) => error.fmt(f),
            Self::Unexpected => f.write_str("the client sent a PDU that cannot come now"),
            Self::UnknownSecurity(service) => {
                write!(f, "the client asks for the security service {service}")
            }
            Self::UnknownGroup(group) => {
                write!(f, "the client wants to join the unknown association group {group:#x}")
            }
            Self::TimedOut(what) => write!(f, "the client took too long: {what}"),
        }
    }
}

impl core::error::Error for ServerError {}
