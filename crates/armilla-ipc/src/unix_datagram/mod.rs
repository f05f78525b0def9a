//! The Unix-domain datagram transport: datagrams within one host, in order and without loss. A
//! sender waits while the receiver's queue is full. Descriptors can travel with a datagram, and the
//! kernel can vouch for its sender.

mod addr;
mod connected;
mod passing;
mod socket;

pub use connected::ConnectedUnixDatagram;
pub use socket::UnixDatagram;

use crate::Address;
use crate::datagram::DatagramTransport;
use std::io;

/// Unix-domain datagrams as a type argument, see [`DatagramTransport`].
#[derive(Clone, Copy, Debug)]
pub enum UnixDatagrams {}

impl DatagramTransport for UnixDatagrams {
    type Addr = Address;
    type Socket = UnixDatagram;
    type Connected = ConnectedUnixDatagram;

    fn bind(local: &Address) -> io::Result<UnixDatagram> {
        UnixDatagram::bind(local)
    }

    fn connect(socket: UnixDatagram, peer: &Address) -> io::Result<ConnectedUnixDatagram> {
        socket.connect(peer)
    }
}
