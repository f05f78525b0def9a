//! Addresses of the pipe transport, and new pipes.

use crate::Address;
use crate::error::wrong_transport;
use rustix::fd::OwnedFd;
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use std::path::Path;

/// The kind of this transport in the descriptor handshake.
pub(super) const KIND: u8 = b'p';

/// The path of a pipe address.
pub(super) fn path(address: &Address) -> io::Result<&Path> {
    match address {
        Address::Pipe(path) => Ok(path),
        other => Err(wrong_transport("pipe", other)),
    }
}

/// The address of an end that has no name.
pub(super) fn unnamed() -> Address {
    Address::pipe("")
}

/// A new pipe: what is written to the second is read from the first.
pub(super) fn new_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}
