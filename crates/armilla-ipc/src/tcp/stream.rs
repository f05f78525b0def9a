//! The stream of the TCP transport. The transfers are those of `socket`.

use super::addr;
use crate::option::has_options;
use crate::socket::{self, Socket};
#[cfg(feature = "zero-copy")]
use crate::splice::delegate_splice;
use crate::stream::delegate_stream;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{self, AddressFamily, sockopt};
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A TCP connection.
#[derive(Debug)]
pub struct TcpStream {
    socket: Socket,
    sending_in_place: AtomicBool,
}

impl TcpStream {
    pub(super) fn from_socket(socket: Socket) -> Self {
        Self { socket, sending_in_place: AtomicBool::new(false) }
    }

    /// The limit of a send.
    pub(crate) fn send_timeout(&self) -> Option<Duration> {
        self.socket.send_timeout()
    }

    /// Whether the kernel may be reading buffers in place, see [`zero_copy`](crate::zero_copy).
    pub(crate) fn sending_in_place(&self) -> &AtomicBool {
        &self.sending_in_place
    }

    /// Makes a stream of a connected TCP socket, such as one that the process was started with or
    /// that was passed to it.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if `descriptor` is anything else.
    pub fn from_descriptor(descriptor: OwnedFd) -> io::Result<Self> {
        let family = sockopt::socket_domain(&descriptor).unwrap_or(AddressFamily::INET);
        if !matches!(family, AddressFamily::INET | AddressFamily::INET6) {
            let why = "the descriptor is not a TCP socket";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        socket::check_connected(descriptor.as_fd(), family)?;
        let local = addr::from_os(net::getsockname(&descriptor)?)?;
        let peer = net::getpeername(&descriptor)?.map(addr::from_os).transpose()?;
        let peer = peer.ok_or(io::ErrorKind::NotConnected)?;
        Ok(Self::from_socket(Socket::adopt(descriptor, local, peer)?))
    }
}

delegate_stream!(TcpStream, socket);
#[cfg(feature = "zero-copy")]
delegate_splice!(TcpStream, socket);
has_options!(
    TcpStream: SendBuffer, RecvBuffer, NoDelay, KeepAlive, ProbeInterval, ProbeCount, UserTimeout,
    Linger, Congestion, BusyPoll, Priority, Dscp
);

impl AsFd for TcpStream {
    /// The socket, for what this type does not offer. Its blocking mode and its timeouts are relied
    /// on here: leave them alone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl From<TcpStream> for OwnedFd {
    /// The socket alone: blocking, and with the timeouts that were set.
    fn from(stream: TcpStream) -> Self {
        stream.socket.into_descriptor()
    }
}
