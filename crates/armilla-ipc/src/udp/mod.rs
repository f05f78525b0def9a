//! The UDP transport: datagrams to one host, to all of a network ([`UdpBroadcast`]), or to all that
//! have joined a group ([`UdpMulticast`]).

mod addr;
mod broadcast;
mod connected;
mod multicast;
mod socket;

pub use broadcast::UdpBroadcast;
pub use connected::ConnectedUdp;
pub use multicast::{Interface, UdpMulticast};
pub use socket::UdpSocket;

use crate::datagram::DatagramTransport;
use std::io;
use std::net::SocketAddr;

/// UDP as a type argument, see [`DatagramTransport`].
#[derive(Clone, Copy, Debug)]
pub enum Udp {}

impl DatagramTransport for Udp {
    type Addr = SocketAddr;
    type Socket = UdpSocket;
    type Connected = ConnectedUdp;

    fn bind(local: &SocketAddr) -> io::Result<UdpSocket> {
        UdpSocket::bind(*local)
    }

    fn connect(socket: UdpSocket, peer: &SocketAddr) -> io::Result<ConnectedUdp> {
        socket.connect(*peer)
    }
}
