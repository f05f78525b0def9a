//! The role of a stream: what every transport's stream can do, and how a send fails.

use crate::Address;
use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::time::Duration;

/// A connected pair of byte flows, one each way.
///
/// All methods take `&self`, so that one thread may receive while another sends. Two threads that
/// send at once, or receive at once, get each other's bytes interleaved: the caller serialises them.
pub trait Stream: Send + Sync + fmt::Debug {
    /// Receives what has arrived, at least one byte, into `buffer`; waits if nothing has.
    ///
    /// Returns the count, 0 at the end of the stream (or if `buffer` is empty).
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] after the time set by [`set_recv_timeout`]; whatever the
    /// transport reports when the peer vanished, such as [`io::ErrorKind::ConnectionReset`].
    ///
    /// [`set_recv_timeout`]: Self::set_recv_timeout
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Sends all of `bytes`: one system call, unless the transport takes only a part of them.
    ///
    /// # Errors
    /// [`SendError`] tells how many bytes had left. After an error the stream is of no further use
    /// for sending, because the peer may have seen a part.
    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError>;

    /// Sends all bytes of all `parts` in order, as if they were one buffer.
    ///
    /// # Errors
    /// As [`send_all`](Self::send_all); the count is over all parts.
    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError>;

    /// Limits the time that [`recv`](Self::recv) waits; `None` waits forever.
    ///
    /// Costs a system call only if the value differs from the last one. The kernel counts in clock
    /// ticks (1 to 10 ms) and rounds up; a zero duration is taken as the shortest possible.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known for an open stream.
    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Limits the time that a send waits for a peer that does not take the bytes; `None` waits
    /// forever. Otherwise as [`set_recv_timeout`](Self::set_recv_timeout).
    ///
    /// # Errors
    /// As [`set_recv_timeout`](Self::set_recv_timeout).
    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Looks without waiting whether bytes or the end of the stream have arrived, and takes nothing.
    ///
    /// Meant for an idle stream that is about to be used again.
    ///
    /// # Errors
    /// An error of the stream other than the peer having gone.
    fn readiness(&self) -> io::Result<Readiness>;

    /// Ends one or both directions; a thread blocked in that direction wakes at once.
    ///
    /// A stream whose peer has gone already is no error.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known for an open stream.
    fn shutdown(&self, how: Shutdown) -> io::Result<()>;

    /// The other end, as the operating system knows it: numeric, not the name that was resolved.
    fn peer(&self) -> &Address;

    /// This end.
    fn local(&self) -> &Address;
}

/// What a look at an idle stream found, see [`Stream::readiness`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Readiness {
    /// The stream is open and nothing has arrived.
    Quiet,
    /// Bytes have arrived (the end may stand behind them).
    Data,
    /// The peer has closed or reset the stream and nothing is left to receive.
    Closed,
}

/// A send that did not complete.
#[derive(Debug)]
pub struct SendError {
    /// How many bytes were handed to the operating system before the failure. Zero means that the
    /// peer has seen none of them; any other count may or may not have reached it.
    pub sent: usize,
    /// Why no more could be sent.
    pub source: io::Error,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sent {
            0 => write!(f, "cannot send, no byte had left: {}", self.source),
            sent => write!(f, "cannot send on after {sent} bytes had left: {}", self.source),
        }
    }
}

impl std::error::Error for SendError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl From<SendError> for io::Error {
    /// Keeps the kind; the count lives on in the message and in the wrapped error.
    fn from(error: SendError) -> Self {
        Self::new(error.source.kind(), error)
    }
}
