//! The active side of the pipe transport: makes two pipes and passes the descriptors of their far
//! ends to the acceptor.

use super::{PipeStream, addr};
use crate::channel::{Channel, set_pipe_size};
use crate::error::context;
use crate::unix::descriptor_handshake::{connect_socket, send_descriptors};
use crate::{Address, Connector, Stream, StreamOptions, UnixStream};
use rustix::fd::AsFd;
use std::io;
use std::time::Duration;

/// Makes pipe streams actively.
#[derive(Clone, Debug, Default)]
pub struct PipeConnector {
    options: StreamOptions,
}

impl PipeConnector {
    /// A connector whose streams have these options: each side sets the size of the pipe that it
    /// writes to, the rest does not apply.
    pub fn new(options: StreamOptions) -> Self {
        Self { options }
    }

    /// Connects to the acceptor at `address` within `timeout`.
    ///
    /// # Errors
    /// As [`UnixConnector::connect`](crate::UnixConnector::connect).
    pub fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<PipeStream> {
        let path = addr::path(address)?;
        connect_socket(path, timeout)
            .and_then(|socket| make(&socket, address, &self.options))
            .map_err(|error| context(format_args!("cannot connect to {address}"), error))
    }
}

/// Makes the pipes and hands them over at `socket`.
pub(super) fn make(
    socket: &UnixStream,
    address: &Address,
    options: &StreamOptions,
) -> io::Result<PipeStream> {
    let (input, far_output) = addr::new_pipe()?;
    let (far_input, output) = addr::new_pipe()?;
    set_pipe_size(output.as_fd(), options)?;
    let channel = Channel::of_two((input, output), (addr::unnamed(), address.clone()))?;
    let peer = send_descriptors(socket, addr::KIND, &[far_input.as_fd(), far_output.as_fd()])?;
    Ok(PipeStream::new(channel.with_credentials(peer)))
}

impl Connector for PipeConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}
