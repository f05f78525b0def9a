//! A Unix-domain datagram socket without a fixed peer.

use super::{ConnectedUnixDatagram, addr};
use crate::datagram::{Batch, Datagram, Endpoint, Received, roles};
use crate::error::context;
use crate::option::has_options;
use crate::unix::SocketFile;
use crate::{Address, unix};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net;
use std::io::{self, IoSlice, IoSliceMut};
use std::time::Duration;

/// A Unix-domain datagram socket without a peer of its own.
///
/// ```
/// use armilla_ipc::{Address, datagram::Datagram, unix_datagram::UnixDatagram};
///
/// let name = format!("doc-{}", std::process::id());
/// let server = UnixDatagram::bind(&Address::abstract_name(name))?;
/// UnixDatagram::unbound()?.send_to(b"hello", &server.local()?)?;
/// let (received, _) = server.recv_from(&mut [0; 16])?;
/// assert!(!received.is_truncated());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct UnixDatagram {
    pub(super) endpoint: Endpoint<Address>,
    /// None for an abstract name, and without a name.
    file: Option<SocketFile>,
}

impl UnixDatagram {
    /// A socket with the path or abstract name `local`. The file at a path is looked after as
    /// [`UnixAcceptor::bind`](crate::UnixAcceptor::bind) does.
    ///
    /// # Errors
    /// The message names the address; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(local: &Address) -> io::Result<Self> {
        let bind = || {
            let target = unix::addr::to_os(local)?;
            let fd = addr::socket()?;
            let file = match local {
                Address::Unix(path) => Some(SocketFile::bind(fd.as_fd(), &target, path)?),
                _ => net::bind(&fd, &target).map(|()| None)?,
            };
            Ok(Self { endpoint: Endpoint::new(fd), file })
        };
        bind().map_err(|error: io::Error| context(format_args!("cannot bind to {local}"), error))
    }

    /// A socket without a name: it can send, but no peer can answer.
    ///
    /// # Errors
    /// A shortage of descriptors or memory.
    pub fn unbound() -> io::Result<Self> {
        Ok(Self { endpoint: Endpoint::new(addr::socket()?), file: None })
    }

    /// Binds the socket to one peer: from now on it sends to no other, and receives from no other.
    ///
    /// # Errors
    /// The message names the peer; [`io::ErrorKind::NotFound`] or
    /// [`io::ErrorKind::ConnectionRefused`] if it is not there.
    pub fn connect(self, peer: &Address) -> io::Result<ConnectedUnixDatagram> {
        self.endpoint.connect(peer)?;
        Ok(ConnectedUnixDatagram { endpoint: self.endpoint, _file: self.file })
    }
}

roles!(Datagram for UnixDatagram, Address);
has_options!(UnixDatagram: SendBuffer, RecvBuffer);
