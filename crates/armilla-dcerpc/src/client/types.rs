//! What a client is told and tells.

use crate::fault::Status;
use crate::order::ByteOrder;
use crate::pdu::{AuthLevel, Fragment, Limits, Outcome, PduError};
use crate::security::{SecurityContext, SecurityError};
use crate::uuid::{SyntaxId, Uuid};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

/// How a client behaves.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// The byte order of what is sent.
    pub order: ByteOrder,
    /// The longest PDU that is sent, in octets.
    pub max_transmit: u16,
    /// The longest PDU that is received.
    pub max_receive: u16,
    /// How large responses may become.
    pub limits: Limits,
    /// Which features the server is asked for; 0 for none.
    pub features: u16,
    /// Whether calls may run at once, if the server agrees. Otherwise they wait for each other.
    pub concurrent: bool,
    /// Whether protected requests end with what the client believes of them, so that nobody changes
    /// the bind.
    pub verification: bool,
    /// Whether levels below integrity may be asked for. Off by default.
    pub allow_low_level: bool,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            order: ByteOrder::Little,
            max_transmit: 5840,
            max_receive: 5840,
            limits: Limits::default(),
            features: 3,
            concurrent: true,
            verification: true,
            allow_low_level: false,
        }
    }
}

/// How a connection is to be protected.
#[derive(Debug)]
pub struct Security {
    /// The mechanism, at its beginning.
    pub context: Box<dyn SecurityContext>,
    /// How much of each call.
    pub level: AuthLevel,
}

/// A call to be made.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The interface; the client has to be bound to it.
    pub interface: SyntaxId,
    /// The number of the operation.
    pub opnum: u16,
    /// The object that is called.
    pub object: Option<Uuid>,
    /// The parameters.
    pub stub: &'a [u8],
    /// When the client gives up, on the clock of [`Client::handle_timeout`](super::Client).
    pub deadline: Option<Duration>,
    /// Whether no answer is expected.
    pub maybe: bool,
}

impl<'a> Call<'a> {
    /// A call without object and deadline.
    pub fn new(interface: SyntaxId, opnum: u16, stub: &'a [u8]) -> Self {
        Self { interface, opnum, object: None, stub, deadline: None, maybe: false }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// The connection is bound and protected, and calls may be made.
    Bound {
        /// What became of each interface.
        interfaces: Vec<(SyntaxId, Outcome)>,
        /// The features that the server has.
        features: u16,
    },
    /// What became of an interface that was asked for later.
    Altered(SyntaxId, Outcome),
    /// A call succeeded.
    Response {
        /// The call.
        call: u32,
        /// The byte order of its results.
        order: ByteOrder,
        /// Its results.
        stub: Vec<u8>,
    },
    /// A call failed.
    Fault(RemoteFault),
    /// A call reached its deadline; the server was told.
    TimedOut(u32),
    /// The results of a call are larger than [`ClientOptions::limits`] let them be.
    TooLarge(u32, Fragment),
    /// The server wants the connection to be closed.
    Shutdown,
    /// The connection is of no use any more: it has to be closed, and all calls have failed.
    Closed(ClientError),
}

/// A call failed at the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteFault {
    /// The call.
    pub call: u32,
    /// Why.
    pub status: Status,
    /// Whether the server says that it did not execute the call.
    pub not_executed: bool,
    /// Whether the fault is protected as the calls are. Windows protects none: whoever can write to
    /// the connection can fail a call, but nothing more.
    pub authentic: bool,
}

/// Why a client cannot go on, or a call was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientError {
    /// The server sent what is no PDU, or the call is too large for one.
    Pdu(PduError),
    /// Security failed.
    Security(SecurityError),
    /// The server refused the connection, with this reason: see [`BindNak`](crate::pdu::BindNak).
    Refused(u16),
    /// A fault came instead of the answer to a bind or alter_context.
    BindFault(Status),
    /// A PDU that cannot come now.
    Unexpected,
    /// The client is not bound to the interface.
    NotBound(SyntaxId),
    /// The client is bound already, or being bound.
    Busy,
    /// The connection has ended.
    Closed,
    /// A level below integrity, and [`ClientOptions::allow_low_level`] is not set.
    LowLevel(AuthLevel),
    /// More contexts than 16 bits count.
    TooManyContexts,
}

impl From<PduError> for ClientError {
    fn from(error: PduError) -> Self {
        Self::Pdu(error)
    }
}

impl From<SecurityError> for ClientError {
    fn from(error: SecurityError) -> Self {
        Self::Security(error)
    }
}

impl From<crate::connection::SendError> for ClientError {
    fn from(error: crate::connection::SendError) -> Self {
        match error {
            crate::connection::SendError::Pdu(error) => Self::Pdu(error),
            crate::connection::SendError::Security(error) => Self::Security(error),
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pdu(error) => error.fmt(f),
            Self::Security(error) => error.fmt(f),
            Self::Refused(8) => f.write_str("the server does not know the security service"),
            Self::Refused(9) => f.write_str("the server refused the credentials"),
            Self::Refused(reason) => write!(f, "the server refused the bind (reason {reason})"),
            Self::BindFault(status) => write!(f, "the server refused the bind: {status}"),
            Self::Unexpected => f.write_str("the server sent a PDU that cannot come now"),
            Self::NotBound(interface) => write!(f, "the connection is not bound to {interface}"),
            Self::Busy => f.write_str("the connection is bound already, or being bound"),
            Self::Closed => f.write_str("the connection has ended"),
            Self::LowLevel(level) => {
                write!(f, "level {level} is below integrity (set allow_low_level to ask for it)")
            }
            Self::TooManyContexts => f.write_str("the connection has too many contexts"),
        }
    }
}

impl core::error::Error for ClientError {}
