//! From a path to a Unix-domain socket address.

use crate::Address;
use crate::error::wrong_transport;
use rustix::fd::OwnedFd;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io;
use std::path::Path;

/// The path of a Unix-domain address.
pub(super) fn path(address: &Address) -> io::Result<&Path> {
    match address {
        Address::Unix(path) => Ok(path),
        other => Err(wrong_transport("Unix-domain", other)),
    }
}

/// The path in the form that the operating system takes.
pub(super) fn to_os(path: &Path) -> io::Result<SocketAddrUnix> {
    let invalid = |reason: &str| io::Error::new(io::ErrorKind::InvalidInput, reason);
    if path.as_os_str().is_empty() {
        return Err(invalid("the path is empty"));
    }
    SocketAddrUnix::new(path)
        .map_err(|_| invalid("the path is longer than 108 bytes or contains a zero byte"))
}

/// A new Unix-domain stream socket.
pub(super) fn socket(flags: SocketFlags) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | flags;
    Ok(net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?)
}

/// The name of a socket that was never bound, as a connecting client's is.
pub(super) fn unnamed() -> Address {
    Address::unix("")
}
