//! What the socket transports share: a connected socket that moves bytes, and the listening socket
//! beside it. The hot path is one system call with its result checked; everything rare, such as
//! interruptions and short sends, is out of line in `retry`.

mod deadline;
mod listener;
mod retry;

pub(crate) use deadline::Deadline;
pub(crate) use listener::Listener;

use crate::{Address, Readiness, SendError};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{self, RecvFlags, SendAncillaryBuffer, SendFlags};
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The most parts that one `sendmsg` takes (`IOV_MAX` of Linux).
const MAX_PARTS: usize = 1024;

/// A connected, blocking stream socket.
#[derive(Debug)]
pub(crate) struct Socket {
    fd: OwnedFd,
    recv_timeout: CachedTimeout,
    send_timeout: CachedTimeout,
    local: Address,
    peer: Address,
}

impl Socket {
    /// Takes over a connected socket on which no timeout is set.
    pub(crate) fn new(fd: OwnedFd, local: Address, peer: Address) -> Self {
        let (recv_timeout, send_timeout) = Default::default();
        Self { fd, recv_timeout, send_timeout, local, peer }
    }

    #[inline]
    pub(crate) fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match net::recv(&self.fd, &mut *buffer, RecvFlags::empty()) {
            Ok((_, count)) => Ok(count),
            Err(errno) => self.recv_after(errno, buffer),
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
        self.recv_timeout.set(self.as_fd(), Timeout::Recv, timeout)
    }

    #[inline]
    pub(crate) fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.send_timeout.set(self.as_fd(), Timeout::Send, timeout)
    }

    pub(crate) fn readiness(&self) -> io::Result<Readiness> {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        loop {
            return match net::recv(&self.fd, &mut [0_u8; 1], flags) {
                Ok((_, 0)) => Ok(Readiness::Closed),
                Ok(_) => Ok(Readiness::Data),
                Err(Errno::AGAIN) => Ok(Readiness::Quiet),
                Err(Errno::CONNRESET | Errno::CONNABORTED | Errno::PIPE) => Ok(Readiness::Closed),
                Err(Errno::INTR) => continue,
                Err(errno) => Err(errno.into()),
            };
        }
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

/// Connects a blocking socket within `timeout`, and leaves it without one.
///
/// The send timeout of a Linux socket also limits its `connect`, which saves the detour over a
/// non-blocking socket. A connect that times out or is interrupted goes on in the background; asking
/// again joins it.
pub(crate) fn connect_within(
    fd: BorrowedFd<'_>,
    address: &impl net::addr::SocketAddrArg,
    timeout: Option<Duration>,
) -> io::Result<()> {
    let deadline = Deadline::after(timeout);
    loop {
        if let Some(left) = deadline.remaining()? {
            sockopt::set_socket_timeout(fd, Timeout::Send, granted(Some(left)))?;
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
        sockopt::set_socket_timeout(fd, Timeout::Send, None)?;
    }
    Ok(())
}

/// The timeout last given to the kernel, so that giving the same again costs nothing.
///
/// Counted in microseconds as the kernel does, 0 for none. One thread at a time sets a direction's
/// timeout, so relaxed ordering is enough.
#[derive(Debug, Default)]
struct CachedTimeout(AtomicU64);

impl CachedTimeout {
    #[inline]
    fn set(&self, fd: BorrowedFd<'_>, which: Timeout, timeout: Option<Duration>) -> io::Result<()> {
        let micros = micros(timeout);
        if self.0.load(Ordering::Relaxed) == micros {
            return Ok(());
        }
        sockopt::set_socket_timeout(fd, which, granted(timeout))?;
        self.0.store(micros, Ordering::Relaxed);
        Ok(())
    }

    fn get(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            micros => Some(Duration::from_micros(micros)),
        }
    }
}

/// The timeout in the kernel's unit, rounded up; 0 for none. A zero duration becomes the shortest
/// timeout, because zero would mean forever to the kernel.
#[inline]
fn micros(timeout: Option<Duration>) -> u64 {
    timeout.map_or(0, |timeout| {
        let fraction = timeout.subsec_nanos().div_ceil(1_000);
        timeout.as_secs().saturating_mul(1_000_000).saturating_add(fraction.into()).max(1)
    })
}

/// The timeout as the kernel will keep it.
fn granted(timeout: Option<Duration>) -> Option<Duration> {
    timeout.map(|_| Duration::from_micros(micros(timeout)))
}

fn direction(how: Shutdown) -> net::Shutdown {
    match how {
        Shutdown::Read => net::Shutdown::Read,
        Shutdown::Write => net::Shutdown::Write,
        Shutdown::Both => net::Shutdown::Both,
    }
}
