//! A timeout for one call. The timeouts of a stream itself hold for all later calls.

use super::Stream;
use crate::deadline::{Deadline, timed_out};
use crate::partial::{self, RecvError, SendError};
use std::io::{self, IoSlice, IoSliceMut};
use std::time::Duration;

/// A stream whose every call ends within a limit, however many system calls it takes.
///
/// It sets the timeouts of the stream, which keep the last value. A caller that mixes calls with
/// and without it sets them again by [`Stream::set_recv_timeout`] and [`Stream::set_send_timeout`].
/// A limit that stays the same costs no further system call.
///
/// ```
/// use armilla_ipc::{Stream, UnixStream};
/// use std::{io::ErrorKind, time::Duration};
///
/// let (near, far) = UnixStream::pair()?;
/// let limit = Duration::from_millis(10);
/// far.send_all(b"abc")?;
/// let error = near.with_timeout(limit).recv_all(&mut [0; 4]).unwrap_err();
/// assert_eq!((error.received, error.source.kind()), (3, ErrorKind::TimedOut));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct WithTimeout<'a, S: Stream + ?Sized> {
    stream: &'a S,
    limit: Duration,
}

impl<'a, S: Stream + ?Sized> WithTimeout<'a, S> {
    /// Limits each call on `stream` to `limit`.
    pub fn new(stream: &'a S, limit: Duration) -> Self {
        Self { stream, limit }
    }

    /// As [`Stream::recv`].
    ///
    /// # Errors
    /// As [`Stream::recv`].
    #[inline]
    pub fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_recv_timeout(Some(self.limit))?;
        self.stream.recv(buffer)
    }

    /// As [`Stream::recv_vectored`].
    ///
    /// # Errors
    /// As [`Stream::recv`].
    #[inline]
    pub fn recv_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.stream.set_recv_timeout(Some(self.limit))?;
        self.stream.recv_vectored(parts)
    }

    /// As [`Stream::recv_all`].
    ///
    /// # Errors
    /// As [`Stream::recv_all`].
    pub fn recv_all(&self, buffer: &mut [u8]) -> Result<(), RecvError> {
        let limit = self.transfer_deadline();
        partial::recv_all(buffer, |rest| {
            self.stream.set_recv_timeout(limit.left()?)?;
            self.stream.recv(rest)
        })
    }

    /// As [`Stream::recv_all_vectored`].
    ///
    /// # Errors
    /// As [`Stream::recv_all`].
    pub fn recv_all_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> Result<(), RecvError> {
        let limit = self.transfer_deadline();
        partial::recv_all_vectored(parts, |rest| {
            self.stream.set_recv_timeout(limit.left()?)?;
            self.stream.recv_vectored(rest)
        })
    }

    /// As [`Stream::send`].
    ///
    /// # Errors
    /// As [`Stream::send`].
    #[inline]
    pub fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_send_timeout(Some(self.limit))?;
        self.stream.send(bytes)
    }

    /// As [`Stream::send_vectored`].
    ///
    /// # Errors
    /// As [`Stream::send`].
    #[inline]
    pub fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.stream.set_send_timeout(Some(self.limit))?;
        self.stream.send_vectored(parts)
    }

    /// As [`Stream::send_all`].
    ///
    /// # Errors
    /// As [`Stream::send_all`].
    pub fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        let limit = self.transfer_deadline();
        partial::send_all(bytes, |rest| {
            self.stream.set_send_timeout(limit.left()?)?;
            self.stream.send(rest)
        })
    }

    /// As [`Stream::send_all_vectored`].
    ///
    /// # Errors
    /// As [`Stream::send_all`].
    pub fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        let limit = self.transfer_deadline();
        partial::send_all_vectored(parts, |rest| {
            self.stream.set_send_timeout(limit.left()?)?;
            self.stream.send_vectored(rest)
        })
    }

    pub(crate) fn stream(&self) -> &'a S {
        self.stream
    }

    /// The limit, counted from now.
    pub(crate) fn transfer_deadline(&self) -> TransferDeadline {
        TransferDeadline::new(self.limit)
    }
}

/// The limit of a transfer of several calls. The first call gets the whole limit and not what the
/// clock leaves of it, so that the timeout of the stream stays the same where one call suffices.
pub(crate) struct TransferDeadline {
    limit: Duration,
    deadline: Deadline,
    first: std::cell::Cell<bool>,
}

impl TransferDeadline {
    /// Counted from now.
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, deadline: Deadline::after(Some(limit)), first: true.into() }
    }

    pub(crate) fn left(&self) -> io::Result<Option<Duration>> {
        match self.first.replace(false) {
            true => Ok(Some(self.limit)),
            false => self
                .deadline
                .remaining()
                .map_err(|_| timed_out("the transfer did not end", Some(self.limit))),
        }
    }
}
