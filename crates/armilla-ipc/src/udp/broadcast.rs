//! UDP broadcast: datagrams to every host of an IPv4 network. IPv6 has multicast instead.

use super::addr;
use crate::datagram::{Batch, Datagram, Endpoint, Received, roles};
use crate::option::has_options;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::sockopt;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// A UDP socket that may send to broadcast addresses (`SO_BROADCAST`).
///
/// ```no_run
/// use armilla_ipc::udp::UdpBroadcast;
///
/// let socket = UdpBroadcast::bind(0)?;
/// socket.broadcast(b"who is there?", 7777)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct UdpBroadcast {
    endpoint: Endpoint<SocketAddr>,
}

impl UdpBroadcast {
    /// A socket on every interface with this port; 0 takes a free one.
    ///
    /// Several processes of one user may share a port. Each of them receives the datagrams that are
    /// broadcast to it.
    ///
    /// # Errors
    /// The message names the address; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(port: u16) -> io::Result<Self> {
        let fd = addr::bound(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)), |fd| {
            sockopt::set_socket_reuseaddr(fd, true)?;
            Ok(sockopt::set_socket_broadcast(fd, true)?)
        })?;
        Ok(Self { endpoint: Endpoint::new(fd) })
    }

    /// Sends `bytes` to `port` of every host on the network of the default route. To reach another
    /// network send to its broadcast address.
    ///
    /// # Errors
    /// As [`Datagram::send_to`]; [`io::ErrorKind::NetworkUnreachable`] on a host without a network.
    pub fn broadcast(&self, bytes: &[u8], port: u16) -> io::Result<()> {
        self.endpoint.send_to(bytes, &SocketAddr::from((Ipv4Addr::BROADCAST, port)))
    }
}

roles!(Datagram for UdpBroadcast, SocketAddr);
has_options!(UdpBroadcast: SendBuffer, RecvBuffer, BusyPoll, Priority, Dscp);
