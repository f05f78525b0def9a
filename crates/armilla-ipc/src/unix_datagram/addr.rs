//! Unix-domain addresses as addresses of datagram sockets, and new sockets.

use crate::Address;
use crate::datagram::Name;
use crate::unix::addr;
use rustix::fd::OwnedFd;
use rustix::net::{self, AddressFamily, SocketAddrAny, SocketFlags, SocketType};
use std::io;

impl Name for Address {
    fn to_os(&self) -> io::Result<SocketAddrAny> {
        Ok(addr::to_os(self)?.into())
    }

    fn from_os(name: Option<SocketAddrAny>) -> io::Result<Self> {
        Ok(addr::from_os(name))
    }
}

/// A new socket without a name.
pub(super) fn socket() -> io::Result<OwnedFd> {
    let (family, flags) = (AddressFamily::UNIX, SocketFlags::CLOEXEC);
    Ok(net::socket_with(family, SocketType::DGRAM, flags, None)?)
}
