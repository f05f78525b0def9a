//! The stream of the Unix-domain transport. The transfers are those of `socket`.

use super::addr;
use crate::Credentials;
use crate::option::has_options;
use crate::socket::Socket;
#[cfg(feature = "zero-copy")]
use crate::splice::delegate_splice;
use crate::stream::delegate_stream;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{self, AddressFamily, SocketFlags, SocketType};
use std::io;

/// A connection over a Unix-domain socket.
#[derive(Debug)]
pub struct UnixStream {
    pub(super) socket: Socket,
}

impl UnixStream {
    pub(crate) fn from_socket(socket: Socket) -> Self {
        Self { socket }
    }

    /// Two streams connected to each other (`socketpair`), without a name.
    ///
    /// ```
    /// use armilla_ipc::{Stream, UnixStream};
    ///
    /// let (one, other) = UnixStream::pair()?;
    /// one.send_all(b"hello")?;
    /// let mut buffer = [0; 16];
    /// let count = other.recv(&mut buffer)?;
    /// assert_eq!(&buffer[..count], b"hello");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Exhausted descriptors or memory.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
        let (near, far) = net::socketpair(family, kind, SocketFlags::CLOEXEC, None)?;
        let stream = |fd| Self::from_socket(Socket::new(fd, addr::unnamed(), addr::unnamed()));
        Ok((stream(near), stream(far)))
    }

    /// The credentials of the peer's process at the time when it connected or listened
    /// (`SO_PEERCRED`).
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    pub fn peer_credentials(&self) -> io::Result<Credentials> {
        Credentials::of_peer(self.socket.as_fd())
    }
}

delegate_stream!(UnixStream, socket, |stream| stream.peer_credentials().ok());
#[cfg(feature = "zero-copy")]
delegate_splice!(UnixStream, socket);
has_options!(UnixStream: SendBuffer, RecvBuffer);

impl AsFd for UnixStream {
    /// The socket, for what this type does not offer. Its blocking mode and its timeouts are relied
    /// on here: leave them alone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl From<UnixStream> for OwnedFd {
    /// The socket alone: blocking, and with the timeouts that were set.
    fn from(stream: UnixStream) -> Self {
        stream.socket.into_descriptor()
    }
}
