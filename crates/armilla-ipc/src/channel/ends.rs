//! The two ends of a one-way pipe as types, so that reading from the writing end does not compile.

use super::Half;
use crate::error::context;
use crate::{Readiness, RecvError, SendError, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::FileType;
use rustix::pipe::fcntl_setpipe_size;
use std::io::{self, IoSlice, IoSliceMut};
use std::time::Duration;

/// The end of a pipe that receives.
#[derive(Debug)]
pub struct ReadEnd(Half);

/// The end of a pipe that sends.
///
/// The operating system signals `SIGPIPE` to a process that writes to a pipe without a reader. A
/// Rust program ignores it from the start, and gets [`io::ErrorKind::BrokenPipe`].
#[derive(Debug)]
pub struct WriteEnd(Half);

impl ReadEnd {
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        Half::new(fd).map(Self)
    }

    /// Makes an end of a pipe that came from elsewhere, such as the standard output of a child. The
    /// descriptor becomes non-blocking, for every process that shares it.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if `descriptor` is no pipe.
    pub fn from_descriptor(descriptor: OwnedFd) -> io::Result<Self> {
        check(&descriptor)?;
        Self::new(descriptor)
    }

    /// Receives what has arrived, as [`Stream::recv`](crate::Stream::recv): 0 once no sender is
    /// left.
    ///
    /// # Errors
    /// As [`Stream::recv`](crate::Stream::recv).
    #[inline]
    pub fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.recv(buffer)
    }

    /// As [`Stream::recv_vectored`](crate::Stream::recv_vectored).
    ///
    /// # Errors
    /// As [`Stream::recv`](crate::Stream::recv).
    pub fn recv_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.0.recv_vectored(parts)
    }

    /// Receives until `buffer` is full, as [`Stream::recv_all`](crate::Stream::recv_all).
    ///
    /// # Errors
    /// As [`Stream::recv_all`](crate::Stream::recv_all).
    pub fn recv_all(&self, buffer: &mut [u8]) -> Result<(), RecvError> {
        self.0.recv_all(buffer)
    }

    /// Receives until every one of `parts` is full, as
    /// [`Stream::recv_all_vectored`](crate::Stream::recv_all_vectored).
    ///
    /// # Errors
    /// As [`Stream::recv_all`](crate::Stream::recv_all).
    pub fn recv_all_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> Result<(), RecvError> {
        self.0.recv_all_vectored(parts)
    }

    /// Receives without waiting, as [`Stream::try_recv`](crate::Stream::try_recv).
    ///
    /// # Errors
    /// As [`Stream::try_recv`](crate::Stream::try_recv).
    pub fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_recv(buffer)
    }

    /// Limits the time that a reception waits; `None` waits forever. Costs no system call.
    pub fn set_timeout(&self, timeout: Option<Duration>) {
        self.0.set_timeout(timeout);
    }

    /// Checks without waiting, as [`Stream::readiness`](crate::Stream::readiness).
    ///
    /// # Errors
    /// As [`Stream::readiness`](crate::Stream::readiness).
    pub fn readiness(&self) -> io::Result<Readiness> {
        self.0.readiness()
    }
}

impl WriteEnd {
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        Half::new(fd).map(Self)
    }

    /// Makes an end of a pipe that came from elsewhere, such as the standard input of a child. The
    /// descriptor becomes non-blocking, for every process that shares it.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if `descriptor` is no pipe.
    pub fn from_descriptor(descriptor: OwnedFd) -> io::Result<Self> {
        check(&descriptor)?;
        Self::new(descriptor)
    }

    /// Sends what the pipe takes, as [`Stream::send`](crate::Stream::send).
    ///
    /// # Errors
    /// As [`Stream::send`](crate::Stream::send).
    #[inline]
    pub fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes)
    }

    /// Sends what the pipe takes of `parts`, as
    /// [`Stream::send_vectored`](crate::Stream::send_vectored).
    ///
    /// # Errors
    /// As [`Stream::send`](crate::Stream::send).
    pub fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.send_vectored(parts)
    }

    /// Sends what the pipe takes of `bytes` without waiting, as
    /// [`Stream::try_send`](crate::Stream::try_send).
    ///
    /// # Errors
    /// As [`Stream::try_send_vectored`](crate::Stream::try_send_vectored).
    pub fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_send_vectored(&[IoSlice::new(bytes)])
    }

    /// Sends what the pipe takes of `parts` without waiting, as
    /// [`Stream::try_send_vectored`](crate::Stream::try_send_vectored).
    ///
    /// # Errors
    /// As [`Stream::try_send_vectored`](crate::Stream::try_send_vectored).
    pub fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_send_vectored(parts)
    }

    /// Sends all of `bytes`, as [`Stream::send_all`](crate::Stream::send_all).
    ///
    /// # Errors
    /// As [`Stream::send_all`](crate::Stream::send_all).
    #[inline]
    pub fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.0.send_all(bytes)
    }

    /// Sends all of `parts`, as [`Stream::send_all_vectored`](crate::Stream::send_all_vectored).
    ///
    /// # Errors
    /// As [`Stream::send_all`](crate::Stream::send_all).
    pub fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        self.0.send_all_vectored(parts)
    }

    /// Limits the time that a send waits; `None` waits forever. Costs no system call.
    pub fn set_timeout(&self, timeout: Option<Duration>) {
        self.0.set_timeout(timeout);
    }
}

/// Refuses everything but a pipe.
pub(crate) fn check(fd: &OwnedFd) -> io::Result<()> {
    if FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode).is_fifo() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a pipe"))
}

/// Sets the size of the pipe that a stream of these options writes to.
pub(crate) fn set_pipe_size(output: BorrowedFd<'_>, options: &StreamOptions) -> io::Result<()> {
    if let Some(size) = options.send_buffer {
        fcntl_setpipe_size(output, size)
            .map_err(|e| context(format_args!("cannot set the size of the pipe to {size}"), e))?;
    }
    Ok(())
}

crate::stream::impl_read!(ReadEnd);
crate::stream::impl_write!(WriteEnd);

impl AsFd for ReadEnd {
    /// The pipe, for what this type does not offer. It is non-blocking, which is relied on here.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsFd for WriteEnd {
    /// The pipe, for what this type does not offer. It is non-blocking, which is relied on here.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
