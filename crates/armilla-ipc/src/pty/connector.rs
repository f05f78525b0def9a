//! The active side of the pseudo-terminal transport: makes a pseudo-terminal and passes the
//! descriptor of its master side to the acceptor.

use super::{PtyStream, addr};
use crate::channel::Channel;
use crate::error::context;
use crate::unix::descriptor_handshake::{connect_socket, send_descriptors};
use crate::{Address, Connector, Stream, StreamOptions, UnixStream};
use rustix::fd::AsFd;
use std::io;
use std::time::Duration;

/// Makes pseudo-terminals actively, and keeps the terminal.
#[derive(Clone, Debug, Default)]
pub struct PtyConnector {}

impl PtyConnector {
    /// A connector. No option applies to a terminal.
    pub fn new(_options: StreamOptions) -> Self {
        Self {}
    }

    /// Connects to the acceptor at `address` within `timeout`.
    ///
    /// # Errors
    /// As [`UnixConnector::connect`](crate::UnixConnector::connect).
    pub fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<PtyStream> {
        connect_socket(addr::path(address)?, timeout)
            .and_then(|socket| make(&socket, address))
            .map_err(|error| context(format_args!("cannot connect to {address}"), error))
    }
}

/// Makes the terminal and hands its driving side over at `socket`.
pub(super) fn make(socket: &UnixStream, address: &Address) -> io::Result<PtyStream> {
    let (driver, terminal) = addr::new_terminal()?;
    let channel = Channel::of_one(terminal, (addr::unnamed(), address.clone()))?;
    let peer = send_descriptors(socket, addr::KIND, &[driver.as_fd()])?;
    Ok(PtyStream::new(channel.with_credentials(peer)))
}

impl Connector for PtyConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}
