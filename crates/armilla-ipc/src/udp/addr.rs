//! Socket addresses as addresses of datagram sockets, and new sockets.

use crate::datagram::Name;
use crate::error::context;
use rustix::fd::OwnedFd;
use rustix::net::{self, AddressFamily, SocketAddrAny, SocketFlags, SocketType};
use std::io;
use std::net::SocketAddr;

impl Name for SocketAddr {
    #[inline]
    fn to_os(&self) -> io::Result<SocketAddrAny> {
        Ok((*self).into())
    }

    #[inline]
    fn from_os(name: Option<SocketAddrAny>) -> io::Result<Self> {
        let name = name.ok_or_else(|| io::Error::other("the sender has no address"))?;
        Ok(name.try_into()?)
    }
}

/// A new socket, prepared by `prepare` and then bound to `local`.
pub(super) fn bound(
    local: SocketAddr,
    prepare: impl FnOnce(&OwnedFd) -> io::Result<()>,
) -> io::Result<OwnedFd> {
    let family = if local.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let make = || {
        let fd = net::socket_with(family, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
        prepare(&fd)?;
        net::bind(&fd, &local)?;
        Ok(fd)
    };
    make().map_err(|error: io::Error| context(format_args!("cannot bind to udp {local}"), error))
}
