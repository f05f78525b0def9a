//! What goes wrong with a flow.

use crate::wire::{Verdict, WireError};
use std::fmt;
use std::io;

/// Why a flow did not come about or did not end well.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError {
    /// The side that listens did not take the connection. Another call of the operation gets a new
    /// endpoint.
    Refused(Verdict),
    /// No address of the endpoint could be reached; the text says what was tried.
    Unreachable(String),
    /// Nobody collected the endpoint in time, or it was withdrawn.
    NotCollected,
    /// The listener offers as many endpoints as it may. Try again later, or raise
    /// [`ListenerBuilder::max_offers`](crate::ListenerBuilder::max_offers).
    TooManyOffers(usize),
    /// Nothing both sides have; the text names what each has.
    NoTransport(String),
    /// The connection broke. The flow can be resumed behind the octets that came.
    Cut {
        /// How many octets of the whole are there: those before this flow, and those that it
        /// brought.
        at: u64,
        /// What the connection reported.
        source: io::Error,
    },
    /// One of the two sides cancelled the flow.
    Cancelled,
    /// The deadline of the flow has passed, or its peer did nothing for too long.
    TimedOut {
        /// How many octets of the whole are there.
        at: u64,
    },
    /// What arrived is not what was sent.
    Damaged,
    /// The producer has more or fewer octets than the flow was agreed to have.
    WrongSize {
        /// How many octets were agreed on.
        agreed: u64,
        /// What happened instead.
        what: &'static str,
    },
    /// The peer does not keep to the protocol.
    Protocol(WireError),
    /// The file that octets come from or go to failed.
    File(io::Error),
    /// The system refused something: a thread, a descriptor, an address.
    System(io::Error),
}

impl StreamError {
    /// How many octets of the whole are there, if another flow can go on behind them.
    pub fn resumes_at(&self) -> Option<u64> {
        match self {
            Self::Cut { at, .. } | Self::TimedOut { at } => Some(*at),
            _ => None,
        }
    }

    /// The error in an [`io::Error`] that the ends return from reading and writing.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Refused(_) => io::ErrorKind::PermissionDenied,
            Self::Unreachable(_) => io::ErrorKind::NotConnected,
            Self::NotCollected | Self::TimedOut { .. } => io::ErrorKind::TimedOut,
            Self::TooManyOffers(_) => io::ErrorKind::QuotaExceeded,
            Self::NoTransport(_) => io::ErrorKind::Unsupported,
            Self::Cut { .. } => io::ErrorKind::ConnectionReset,
            Self::Cancelled => io::ErrorKind::ConnectionAborted,
            Self::Damaged | Self::Protocol(_) => io::ErrorKind::InvalidData,
            Self::WrongSize { .. } => io::ErrorKind::InvalidInput,
            Self::File(source) | Self::System(source) => source.kind(),
        }
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(verdict) => write!(f, "the other side refused the flow: {verdict}"),
            Self::Unreachable(tried) => write!(f, "no address of the endpoint answers: {tried}"),
            Self::NotCollected => f.write_str("nobody collected the endpoint in time"),
            Self::TooManyOffers(most) => {
                write!(f, "{most} endpoints wait to be collected, which is the limit")
            }
            Self::NoTransport(why) => write!(f, "the two sides share no transport: {why}"),
            Self::Cut { at, source } => write!(f, "the flow was cut at octet {at}: {source}"),
            Self::Cancelled => f.write_str("the flow was cancelled"),
            Self::TimedOut { at } => write!(f, "the flow came to octet {at} when its time was up"),
            Self::Damaged => f.write_str("the checksum does not match: discard what arrived"),
            Self::WrongSize { agreed, what } => write!(f, "{agreed} octets were agreed on: {what}"),
            Self::Protocol(error) => write!(f, "the other side does not keep to it: {error}"),
            Self::File(error) => write!(f, "the file of the flow: {error}"),
            Self::System(error) => write!(f, "the system refused: {error}"),
        }
    }
}

impl std::error::Error for StreamError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Cut { source, .. } | Self::File(source) | Self::System(source) => Some(source),
            Self::Protocol(error) => Some(error),
            _ => None,
        }
    }
}

impl From<StreamError> for io::Error {
    fn from(error: StreamError) -> Self {
        Self::new(error.kind(), error)
    }
}

impl From<WireError> for StreamError {
    fn from(error: WireError) -> Self {
        Self::Protocol(error)
    }
}

impl From<io::Error> for StreamError {
    /// The error in an error of an end; any other one is of the system.
    fn from(error: io::Error) -> Self {
        error.downcast().unwrap_or_else(Self::System)
    }
}
