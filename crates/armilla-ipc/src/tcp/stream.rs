//! Moves bytes over TCP.

use crate::socket::Socket;
use crate::{Address, Readiness, SendError, Stream};
use rustix::fd::{AsFd, BorrowedFd};
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::time::Duration;

/// A TCP connection.
#[derive(Debug)]
pub struct TcpStream {
    socket: Socket,
}

impl TcpStream {
    pub(super) fn from_socket(socket: Socket) -> Self {
        Self { socket }
    }
}

impl Stream for TcpStream {
    #[inline]
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.recv(buffer)
    }

    #[inline]
    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.socket.send_all(bytes)
    }

    #[inline]
    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        self.socket.send_all_vectored(parts)
    }

    #[inline]
    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.socket.set_recv_timeout(timeout)
    }

    #[inline]
    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.socket.set_send_timeout(timeout)
    }

    fn readiness(&self) -> io::Result<Readiness> {
        self.socket.readiness()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.socket.shutdown(how)
    }

    fn peer(&self) -> &Address {
        self.socket.peer()
    }

    fn local(&self) -> &Address {
        self.socket.local()
    }
}

impl AsFd for TcpStream {
    /// The socket, for what this type does not offer. Its blocking mode and its timeouts are relied
    /// on here: leave them alone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
