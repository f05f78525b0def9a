//! The connected socket and the listening socket on which the socket transports are built. The fast
//! path is one system call and a check of its result. Rare cases, such as interruptions and short
//! sends, are out of line in `retry`.

mod listener;
mod retry;

pub(crate) use listener::Listener;
use retry::broken;
pub(crate) use retry::{RECV_TIMED_OUT, SEND_TIMED_OUT, retry_interrupted};

use crate::deadline::{Deadline, LazyDeadline, Timeout, as_kept_by_kernel};
use crate::partial::{self, MAX_PARTS};
#[cfg(feature = "zero-copy")]
use crate::splice::SpliceCall;
use crate::{Address, Readiness, RecvError, SendError};
use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout as Direction};
use rustix::net::{
    self, AddressFamily, RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags, SocketType,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::Shutdown;
use std::time::Duration;

/// A connected, blocking stream socket.
#[derive(Debug)]
pub(crate) struct Socket {
    fd: OwnedFd,
    recv_timeout: Timeout,
    send_timeout: Timeout,
    local: Address,
    peer: Address,
}

impl Socket {
    /// Takes over a connected socket on which no timeout is set.
    pub(crate) fn new(fd: OwnedFd, local: Address, peer: Address) -> Self {
        let (recv_timeout, send_timeout) = Default::default();
        Self { fd, recv_timeout, send_timeout, local, peer }
    }

    /// Takes over a connected socket from elsewhere, and makes it blocking and without timeouts.
    pub(crate) fn adopt(fd: OwnedFd, local: Address, peer: Address) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&fd, false)?;
        sockopt::set_socket_timeout(&fd, Direction::Recv, None)?;
        sockopt::set_socket_timeout(&fd, Direction::Send, None)?;
        Ok(Self::new(fd, local, peer))
    }

    /// The socket alone.
    pub(crate) fn into_descriptor(self) -> OwnedFd {
        self.fd
    }

    #[inline]
    pub(crate) fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0); // where the kernel would wait for a byte that it cannot deliver
        }
        match net::recv(&self.fd, &mut *buffer, RecvFlags::empty()) {
            Ok((_, count)) => Ok(count),
            Err(errno) => self.recv_after(errno, buffer),
        }
    }

    /// Receives into the spare capacity of `buffer`.
    pub(crate) fn recv_append(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        if buffer.len() == buffer.capacity() {
            return Ok(0);
        }
        let mut once = || Ok(net::recv(&self.fd, spare_capacity(buffer), RecvFlags::empty())?.1);
        once().or_else(|errno| self.retry_recv(errno, once))
    }

    #[inline]
    pub(crate) fn recv_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let first = parts.len().min(MAX_PARTS);
        if parts[..first].iter().all(|part| part.is_empty()) {
            return Ok(0);
        }
        match self.recv_parts(&mut parts[..first]) {
            Ok(count) => Ok(count),
            Err(errno) => self.recv_vectored_after(errno, &mut parts[..first]),
        }
    }

    #[inline]
    pub(crate) fn recv_all(&self, buffer: &mut [u8]) -> Result<(), RecvError> {
        if buffer.is_empty() {
            return Ok(());
        }
        match net::recv(&self.fd, &mut *buffer, RecvFlags::empty()) {
            Ok((_, count)) if count == buffer.len() => Ok(()),
            other => self.recv_rest(buffer, other.map(|(_, count)| count)),
        }
    }

    #[inline]
    pub(crate) fn recv_all_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> Result<(), RecvError> {
        let mut limit = LazyDeadline::new(self.recv_timeout.get(), RECV_TIMED_OUT);
        partial::recv_all_vectored(parts, |rest| {
            limit.before_call()?;
            self.recv_vectored(rest)
        })
    }

    /// One `recvmsg` into at most [`MAX_PARTS`] parts.
    #[inline]
    fn recv_parts(&self, parts: &mut [IoSliceMut<'_>]) -> rustix::io::Result<usize> {
        let mut control = RecvAncillaryBuffer::default();
        let message = net::recvmsg(&self.fd, parts, &mut control, RecvFlags::empty())?;
        Ok(message.bytes)
    }

    #[inline]
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        match net::send(&self.fd, bytes, SendFlags::NOSIGNAL) {
            Ok(count) => Ok(count),
            Err(errno) => self.send_after(errno, bytes),
        }
    }

    #[inline]
    pub(crate) fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let first = &parts[..parts.len().min(MAX_PARTS)];
        match self.send_parts(first) {
            Ok(count) => Ok(count),
            Err(errno) => self.send_vectored_after(errno, first),
        }
    }

    #[inline]
    pub(crate) fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        match net::send(&self.fd, bytes, SendFlags::NOSIGNAL) {
            Ok(count) if count == bytes.len() => Ok(()),
            other => self.send_rest(bytes, other),
        }
    }

    #[inline]
    pub(crate) fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        let total: usize = parts.iter().map(|part| part.len()).sum();
        let first = &parts[..parts.len().min(MAX_PARTS)];
        match self.send_parts(first) {
            Ok(count) if count == total => Ok(()),
            other => self.send_rest_vectored(parts, other),
        }
    }

    /// One `sendmsg` of at most [`MAX_PARTS`] parts.
    #[inline]
    fn send_parts(&self, parts: &[IoSlice<'_>]) -> rustix::io::Result<usize> {
        net::sendmsg(&self.fd, parts, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
    }

    #[inline]
    pub(crate) fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        let grant = |time| Ok(sockopt::set_socket_timeout(&self.fd, Direction::Recv, time)?);
        self.recv_timeout.set(timeout, grant)
    }

    #[inline]
    pub(crate) fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        let grant = |time| Ok(sockopt::set_socket_timeout(&self.fd, Direction::Send, time)?);
        self.send_timeout.set(timeout, grant)
    }

    /// The limit of a send.
    pub(crate) fn send_timeout(&self) -> Option<Duration> {
        self.send_timeout.get()
    }

    /// Has `call` take bytes from the socket, and makes it again as `recv` does.
    #[cfg(feature = "zero-copy")]
    pub(crate) fn splice_read(&self, call: &mut SpliceCall<'_>) -> io::Result<usize> {
        call(self.as_fd()).or_else(|errno| self.retry_recv(errno, || call(self.as_fd())))
    }

    /// Has `call` put bytes into the socket, and makes it again as `send` does.
    #[cfg(feature = "zero-copy")]
    pub(crate) fn splice_write(&self, call: &mut SpliceCall<'_>) -> io::Result<usize> {
        call(self.as_fd()).or_else(|errno| self.retry_send(errno, || call(self.as_fd())))
    }

    pub(crate) fn readiness(&self) -> io::Result<Readiness> {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        loop {
            return match net::recv(&self.fd, &mut [0_u8; 1], flags) {
                Ok((_, 0)) => Ok(Readiness::Closed),
                Ok(_) => Ok(Readiness::Data),
                Err(Errno::AGAIN) => Ok(Readiness::Idle),
                Err(Errno::CONNRESET | Errno::CONNABORTED | Errno::PIPE | Errno::TIMEDOUT) => {
                    Ok(Readiness::Closed)
                }
                Err(Errno::INTR) => continue,
                Err(errno) => Err(errno.into()),
            };
        }
    }

    /// As `recv`, without waiting: `WouldBlock` instead.
    pub(crate) fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let once = || net::recv(&self.fd, &mut *buffer, RecvFlags::DONTWAIT).map(|(_, n)| n);
        retry_on_interrupt(once)
    }

    /// As `send_vectored`, without waiting: `WouldBlock` instead.
    pub(crate) fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        retry_on_interrupt(|| match parts {
            [one] => net::send(&self.fd, one, flags),
            _ => {
                let first = &parts[..parts.len().min(MAX_PARTS)];
                net::sendmsg(&self.fd, first, &mut SendAncillaryBuffer::default(), flags)
            }
        })
    }

    /// The socket itself tells when something has arrived and when there is room.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.fd.as_fd())
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        match net::shutdown(&self.fd, direction(how)) {
            Err(Errno::NOTCONN) => Ok(()),
            other => Ok(other?),
        }
    }

    #[inline]
    pub(crate) fn peer(&self) -> &Address {
        &self.peer
    }

    #[inline]
    pub(crate) fn local(&self) -> &Address {
        &self.local
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Makes a call that does not wait, again when a signal interrupts it.
#[inline]
pub(crate) fn retry_on_interrupt<T>(
    mut call: impl FnMut() -> rustix::io::Result<T>,
) -> io::Result<T> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            result => return result.map_err(broken),
        }
    }
}

/// Connects a blocking socket within `timeout`, and leaves it without one.
///
/// The send timeout of a Linux socket also limits its `connect`, which saves the detour over a
/// non-blocking socket. A connect that times out or is interrupted goes on in the background;
/// asking again joins it.
pub(crate) fn connect_within(
    fd: BorrowedFd<'_>,
    address: &impl net::addr::SocketAddrArg,
    timeout: Option<Duration>,
) -> io::Result<()> {
    let deadline = Deadline::after(timeout);
    loop {
        if let Some(left) = deadline.remaining()? {
            sockopt::set_socket_timeout(fd, Direction::Send, as_kept_by_kernel(Some(left)))?;
        }
        match net::connect(fd, address) {
            Ok(()) | Err(Errno::ISCONN) => break,
            Err(Errno::INTR) => {}
            Err(Errno::INPROGRESS | Errno::ALREADY | Errno::AGAIN) => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Err(errno) => return Err(errno.into()),
        }
    }
    if timeout.is_some() {
        sockopt::set_socket_timeout(fd, Direction::Send, None)?;
    }
    Ok(())
}

/// Refuses everything but a connected stream socket of `family`.
pub(crate) fn check_connected(fd: BorrowedFd<'_>, family: AddressFamily) -> io::Result<()> {
    let invalid = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    match (sockopt::socket_type(fd), sockopt::socket_domain(fd)) {
        (Ok(SocketType::STREAM), Ok(found)) if found == family => {}
        _ => return invalid("the descriptor is not a stream socket of this family"),
    }
    match net::getpeername(fd) {
        Ok(_) => Ok(()),
        Err(_) => invalid("the socket is not connected"),
    }
}

fn direction(how: Shutdown) -> net::Shutdown {
    match how {
        Shutdown::Read => net::Shutdown::Read,
        Shutdown::Write => net::Shutdown::Write,
        Shutdown::Both => net::Shutdown::Both,
    }
}
