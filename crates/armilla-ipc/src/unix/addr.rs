//! Unix-domain addresses: from a path or an abstract name to a socket address and back.

use crate::Address;
use crate::error::wrong_transport;
use rustix::fd::OwnedFd;
use rustix::net::{self, AddressFamily, SocketAddrAny, SocketAddrUnix, SocketFlags, SocketType};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The address in the form that the operating system takes.
pub(crate) fn to_os(address: &Address) -> io::Result<SocketAddrUnix> {
    match address {
        Address::Unix(path) => path_to_os(path),
        Address::Abstract(name) if name.is_empty() => Err(invalid("the abstract name is empty")),
        Address::Abstract(name) => SocketAddrUnix::new_abstract_name(name)
            .map_err(|_| invalid("the abstract name is longer than 107 bytes")),
        other => Err(wrong_transport("Unix-domain", other)),
    }
}

/// The path in the form that the operating system takes.
pub(crate) fn path_to_os(path: &Path) -> io::Result<SocketAddrUnix> {
    if path.as_os_str().is_empty() {
        return Err(invalid("the path is empty"));
    }
    SocketAddrUnix::new(path)
        .map_err(|_| invalid("the path is longer than 108 bytes or contains a zero byte"))
}

/// The address as the operating system tells it; [`unnamed`] if it has none.
pub(crate) fn from_os(address: Option<SocketAddrAny>) -> Address {
    address.and_then(|any| SocketAddrUnix::try_from(any).ok()).map_or_else(unnamed, from_unix)
}

/// The address in the form of this crate.
pub(crate) fn from_unix(address: SocketAddrUnix) -> Address {
    match (address.abstract_name(), address.path_bytes()) {
        (Some(name), _) if !name.is_empty() => Address::abstract_name(name),
        (_, Some(path)) => {
            let path = path.strip_suffix(b"\0").unwrap_or(path);
            Address::unix(OsStr::from_bytes(path))
        }
        _ => unnamed(),
    }
}

/// A new Unix-domain stream socket.
pub(super) fn socket(flags: SocketFlags) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | flags;
    Ok(net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?)
}

/// The name of a socket that was never bound, as a connecting client's is.
pub(crate) fn unnamed() -> Address {
    Address::unix("")
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}
