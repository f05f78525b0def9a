//! The stream on which the transports without sockets are built: descriptors that are read and
//! written.
//!
//! Such a descriptor has no timeout, and no call wakes a thread that is blocked on it. So it is
//! non-blocking, and `poll` waits for it and for an event of this process. A transfer that need not
//! wait takes one system call, a transfer that waits takes three.

#[cfg(any(feature = "fifo", feature = "pipe"))]
mod ends;
mod half;

#[cfg(any(feature = "fifo", feature = "pipe"))]
pub use ends::{ReadEnd, WriteEnd};
#[cfg(any(feature = "fifo", feature = "pipe"))]
pub(crate) use ends::{check, set_pipe_size};
pub(crate) use half::{Direction, Half};

use crate::deadline::{Deadline, timed_out};
use crate::partial::{self, MAX_PARTS, RecvError, SendError};
#[cfg(feature = "zero-copy")]
use crate::splice::SpliceCall;
use crate::{Address, Credentials, Readiness};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::Shutdown;
use std::time::Duration;

/// A stream of two descriptors, one for each direction, or of two copies of one.
#[derive(Debug)]
pub(crate) struct Channel {
    input: Half,
    output: Half,
    /// The peer sees the end of one direction alone.
    halves_close: bool,
    credentials: Option<Credentials>,
    local: Address,
    peer: Address,
}

impl Channel {
    /// Reads from `input` and writes to `output`, which are different files: closing one of them is
    /// noticed by the peer.
    pub(crate) fn of_two(
        (input, output): (OwnedFd, OwnedFd),
        (local, peer): (Address, Address),
    ) -> io::Result<Self> {
        let (input, output) = (Half::new(input)?, Half::new(output)?);
        Ok(Self { input, output, halves_close: true, credentials: None, local, peer })
    }

    /// Reads from and writes to `fd`.
    pub(crate) fn of_one(fd: OwnedFd, (local, peer): (Address, Address)) -> io::Result<Self> {
        let (input, output) = (Half::new(fd.try_clone()?)?, Half::new(fd)?);
        Ok(Self { input, output, halves_close: false, credentials: None, local, peer })
    }

    /// The same channel with the credentials of the peer.
    pub(crate) fn with_credentials(self, credentials: Credentials) -> Self {
        Self { credentials: Some(credentials), ..self }
    }

    /// The credentials of the peer, if known.
    pub(crate) fn peer_credentials(&self) -> Option<Credentials> {
        self.credentials
    }

    #[inline]
    pub(crate) fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.recv(buffer)
    }

    #[inline]
    pub(crate) fn recv_append(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        partial::recv_append(buffer, |space| self.recv(space))
    }

    pub(crate) fn recv_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.input.recv_vectored(parts)
    }

    pub(crate) fn recv_all(&self, buffer: &mut [u8]) -> Result<(), RecvError> {
        self.input.recv_all(buffer)
    }

    pub(crate) fn recv_all_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> Result<(), RecvError> {
        self.input.recv_all_vectored(parts)
    }

    #[inline]
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.output.send(bytes)
    }

    #[inline]
    pub(crate) fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.output.send_vectored(parts)
    }

    #[inline]
    pub(crate) fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.output.send_all(bytes)
    }

    pub(crate) fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        self.output.send_all_vectored(parts)
    }

    pub(crate) fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.input.set_timeout(timeout);
        Ok(())
    }

    pub(crate) fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.output.set_timeout(timeout);
        Ok(())
    }

    pub(crate) fn readiness(&self) -> io::Result<Readiness> {
        self.input.readiness()
    }

    pub(crate) fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.try_recv(buffer)
    }

    /// As `send_vectored`, without waiting: `WouldBlock` instead.
    pub(crate) fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.output.try_send_vectored(parts)
    }

    /// The two directions are different files, so there is nothing to watch for both.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if how == Shutdown::Write && !self.halves_close {
            let why = "this transport cannot end one direction alone";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        let (input, output) = (how != Shutdown::Write, how != Shutdown::Read);
        // Both are marked before the first is closed, whose peer may react at once.
        if input {
            self.input.mark_ended();
        }
        if output {
            self.output.mark_ended();
        }
        let input = if input { self.input.end() } else { Ok(()) };
        let output = if output { self.output.end() } else { Ok(()) };
        input.and(output)
    }

    pub(crate) fn peer(&self) -> &Address {
        &self.peer
    }

    pub(crate) fn local(&self) -> &Address {
        &self.local
    }

    /// Has `call` take bytes from the descriptor that is read, and waits for them as `recv` does.
    #[cfg(feature = "zero-copy")]
    pub(crate) fn splice_read(&self, call: &mut SpliceCall<'_>) -> io::Result<usize> {
        let transfer = Transfer::new(&self.input, Direction::Read);
        transfer.finish(call(self.input()), || call(self.input()))
    }

    /// Has `call` put bytes into the descriptor that is written, and waits as `send` does.
    #[cfg(feature = "zero-copy")]
    pub(crate) fn splice_write(&self, call: &mut SpliceCall<'_>) -> io::Result<usize> {
        let transfer = Transfer::new(&self.output, Direction::Write);
        transfer.finish(call(self.output()), || call(self.output()))
    }

    /// The descriptor that is read.
    pub(crate) fn input(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }

    /// The descriptor that is written.
    pub(crate) fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }
}

/// What a transfer of one or more system calls waits for, and for how long.
struct Transfer<'a> {
    half: &'a Half,
    wait: Direction,
    timeout: Option<Duration>,
    deadline: Deadline,
}

impl<'a> Transfer<'a> {
    fn new(half: &'a Half, wait: Direction) -> Self {
        let timeout = half.timeout();
        Self { half, wait, timeout, deadline: Deadline::after(timeout) }
    }

    /// Makes `call` until it has moved something or failed for good; `first` is how it went before.
    fn finish(
        &self,
        first: Result<usize, Errno>,
        mut call: impl FnMut() -> Result<usize, Errno>,
    ) -> io::Result<usize> {
        let mut result = first;
        loop {
            if self.half.has_ended() {
                return self.wait.after_end();
            }
            match (result, self.wait) {
                // The other end of a pseudo-terminal has gone.
                (Err(Errno::IO), _) => return self.wait.after_end(),
                // A terminal that was hung up has nothing that the kernel could move.
                (Err(Errno::INVAL), _) if self.half.hung_up()? => return self.wait.after_end(),
                // No writer: the last one has gone, or the first one of a named pipe is to come.
                (Ok(0), Direction::Read) if !self.half.hung_up()? => {
                    self.half.wait(self.wait, self.left()?)?;
                }
                (Err(Errno::AGAIN), _) => self.half.wait(self.wait, self.left()?)?,
                (Err(Errno::INTR), _) => drop(self.left()?),
                (other, _) => return Ok(other?),
            }
            result = call();
        }
    }

    /// The time left for this transfer.
    fn left(&self) -> io::Result<Option<Duration>> {
        self.deadline.remaining().map_err(|_| timed_out(self.wait.timeout_message(), self.timeout))
    }
}

impl Half {
    #[inline]
    pub(crate) fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match rustix::io::read(self, &mut *buffer) {
            Ok(count) if count > 0 || buffer.is_empty() => Ok(count),
            other => Transfer::new(self, Direction::Read)
                .finish(other, || rustix::io::read(self, &mut *buffer)),
        }
    }

    /// As `recv`, without waiting: `WouldBlock` instead.
    pub(crate) fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended() {
            match rustix::io::read(self, &mut *buffer) {
                Err(Errno::INTR) => {}
                Err(Errno::IO) => break, // the other end of a pseudo-terminal has gone
                Ok(0) if !buffer.is_empty() && !self.hung_up()? => {
                    return Err(io::ErrorKind::WouldBlock.into()); // the first writer is to come
                }
                other => return Ok(other?),
            }
        }
        Direction::Read.after_end()
    }

    pub(crate) fn recv_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let count = parts.len().min(MAX_PARTS);
        let parts = &mut parts[..count];
        if parts.iter().all(|part| part.is_empty()) {
            return Ok(0);
        }
        let first = rustix::io::readv(self, parts);
        Transfer::new(self, Direction::Read).finish(first, || rustix::io::readv(self, parts))
    }

    pub(crate) fn recv_all(&self, buffer: &mut [u8]) -> Result<(), RecvError> {
        let transfer = Transfer::new(self, Direction::Read);
        let mut finish = false;
        partial::recv_all(buffer, |rest| {
            if std::mem::replace(&mut finish, true) {
                transfer.left()?;
            }
            let first = rustix::io::read(self, &mut *rest);
            transfer.finish(first, || rustix::io::read(self, &mut *rest))
        })
    }

    /// One limit for the whole, as `recv_all`.
    pub(crate) fn recv_all_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> Result<(), RecvError> {
        let transfer = Transfer::new(self, Direction::Read);
        let mut finish = false;
        partial::recv_all_vectored(parts, |rest| {
            if std::mem::replace(&mut finish, true) {
                transfer.left()?;
            }
            let count = rest.len().min(MAX_PARTS);
            let rest = &mut rest[..count];
            let first = rustix::io::readv(self, rest);
            transfer.finish(first, || rustix::io::readv(self, rest))
        })
    }

    #[inline]
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        match rustix::io::write(self, bytes) {
            Ok(count) => Ok(count),
            other => Transfer::new(self, Direction::Write)
                .finish(other, || rustix::io::write(self, bytes)),
        }
    }

    pub(crate) fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let parts = &parts[..parts.len().min(MAX_PARTS)];
        let first = rustix::io::writev(self, parts);
        Transfer::new(self, Direction::Write).finish(first, || rustix::io::writev(self, parts))
    }

    pub(crate) fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let parts = &parts[..parts.len().min(MAX_PARTS)];
        while !self.has_ended() {
            match rustix::io::writev(self, parts) {
                Err(Errno::INTR) => {}
                Err(Errno::IO) => break, // the other end of a pseudo-terminal has gone
                other => return Ok(other?),
            }
        }
        Direction::Write.after_end()
    }

    #[inline]
    pub(crate) fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        match rustix::io::write(self, bytes) {
            Ok(count) if count == bytes.len() => Ok(()),
            other => self.send_rest(bytes, other),
        }
    }

    #[cold]
    fn send_rest(&self, bytes: &[u8], first: Result<usize, Errno>) -> Result<(), SendError> {
        let transfer = Transfer::new(self, Direction::Write);
        let mut first = Some(first);
        partial::send_all(bytes, |rest| {
            let result = match first.take() {
                Some(result) => result,
                None => {
                    transfer.left()?;
                    rustix::io::write(self, rest)
                }
            };
            transfer.finish(result, || rustix::io::write(self, rest))
        })
    }

    pub(crate) fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        let transfer = Transfer::new(self, Direction::Write);
        let mut finish = false;
        partial::send_all_vectored(parts, |rest| {
            if std::mem::replace(&mut finish, true) {
                transfer.left()?;
            }
            let rest = &rest[..rest.len().min(MAX_PARTS)];
            transfer.finish(rustix::io::writev(self, rest), || rustix::io::writev(self, rest))
        })
    }
}
