//! A UDP socket without a fixed peer.

use super::{ConnectedUdp, addr};
use crate::datagram::{Batch, Datagram, Endpoint, Received, roles};
use crate::option::has_options;
use rustix::fd::{AsFd, BorrowedFd};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::time::Duration;

/// A UDP socket without a peer of its own.
///
/// It does not send to broadcast addresses, which is for [`UdpBroadcast`](super::UdpBroadcast).
///
/// ```
/// use armilla_ipc::{datagram::Datagram, udp::UdpSocket};
///
/// let server = UdpSocket::bind("127.0.0.1:0".parse().unwrap())?;
/// let client = UdpSocket::bind("127.0.0.1:0".parse().unwrap())?;
/// client.send_to(b"hello", &server.local()?)?;
/// let (received, from) = server.recv_from(&mut [0; 16])?;
/// assert_eq!((received.length, from), (5, client.local()?));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct UdpSocket {
    endpoint: Endpoint<SocketAddr>,
}

impl UdpSocket {
    /// A socket with the address `local`; port 0 takes a free port, an unspecified IP address takes
    /// what comes in on every interface.
    ///
    /// # Errors
    /// The message names the address; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(local: SocketAddr) -> io::Result<Self> {
        Ok(Self { endpoint: Endpoint::new(addr::bound(local, |_| Ok(()))?) })
    }

    /// Binds the socket to one peer: from now on it sends to no other, and receives from no other.
    /// Nothing is sent, and it is not found out whether the peer is there.
    ///
    /// # Errors
    /// The message names the peer, such as one that no route leads to.
    pub fn connect(self, peer: SocketAddr) -> io::Result<ConnectedUdp> {
        self.endpoint.connect(&peer)?;
        Ok(ConnectedUdp { endpoint: self.endpoint })
    }
}

roles!(Datagram for UdpSocket, SocketAddr);
has_options!(UdpSocket: SendBuffer, RecvBuffer, BusyPoll, Priority, Dscp);
