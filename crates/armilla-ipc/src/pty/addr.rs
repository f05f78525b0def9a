//! Addresses of the pseudo-terminal transport, and new pseudo-terminals.

use crate::Address;
use crate::error::wrong_transport;
use rustix::fd::OwnedFd;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use std::io;
use std::path::Path;

/// The kind of this transport in the descriptor handshake.
pub(super) const KIND: u8 = b't';

/// The path of a pseudo-terminal address.
pub(super) fn path(address: &Address) -> io::Result<&Path> {
    match address {
        Address::Pty(path) => Ok(path),
        other => Err(wrong_transport("pseudo-terminal", other)),
    }
}

/// The address of an end that has no name.
pub(super) fn unnamed() -> Address {
    Address::pty("")
}

/// A new pseudo-terminal: the driving side and the terminal, which is in raw mode.
pub(super) fn new_terminal() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let driver = openpt(flags)?;
    grantpt(&driver)?;
    unlockpt(&driver)?;
    let terminal = ioctl_tiocgptpeer(&driver, flags)?;
    let mut modes = tcgetattr(&terminal)?;
    modes.make_raw();
    tcsetattr(&terminal, OptionalActions::Now, &modes)?;
    Ok((driver, terminal))
}
