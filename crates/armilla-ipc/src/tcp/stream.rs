//! Moves bytes over TCP.

use crate::socket::Socket;
use crate::stream::delegate_stream;
use rustix::fd::{AsFd, BorrowedFd};

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

delegate_stream!(TcpStream, socket);

impl AsFd for TcpStream {
    /// The socket, for what this type does not offer. Its blocking mode and its timeouts are relied
    /// on here: leave them alone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
