//! A Unix-domain datagram socket with one peer.

use crate::Address;
use crate::datagram::{Batch, ConnectedDatagram, Endpoint, Received, roles};
use crate::option::has_options;
use crate::unix::SocketFile;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::{self, AddressFamily, SocketFlags, SocketType};
use std::io::{self, IoSlice, IoSliceMut};
use std::time::Duration;

/// A Unix-domain datagram socket with one peer, made by
/// [`UnixDatagram::connect`](super::UnixDatagram::connect) or as a [`pair`](Self::pair).
#[derive(Debug)]
pub struct ConnectedUnixDatagram {
    pub(super) endpoint: Endpoint<Address>,
    /// Kept, because dropping it removes the own name.
    pub(super) _file: Option<SocketFile>,
}

impl ConnectedUnixDatagram {
    /// Two sockets connected to each other, without names.
    ///
    /// # Errors
    /// Exhausted descriptors or memory.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (family, kind) = (AddressFamily::UNIX, SocketType::DGRAM);
        let (near, far) = net::socketpair(family, kind, SocketFlags::CLOEXEC, None)?;
        let socket = |fd| Self { endpoint: Endpoint::new(fd), _file: None };
        Ok((socket(near), socket(far)))
    }
}

roles!(ConnectedDatagram for ConnectedUnixDatagram, Address);
has_options!(ConnectedUnixDatagram: SendBuffer, RecvBuffer);
