//! Makes two pipes and hands the far ends over.

use super::{PipeStream, addr};
use crate::channel::Channel;
use crate::error::context;
use crate::unix::handover::hand_over;
use crate::{Address, Connector, Stream, StreamOptions};
use rustix::fd::AsFd;
use std::io;
use std::path::Path;
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
        self.connect_to(path, timeout)
            .map_err(|error| context(format_args!("cannot connect to {address}"), error))
    }

    fn connect_to(&self, path: &Path, timeout: Option<Duration>) -> io::Result<PipeStream> {
        let (input, far_output) = addr::new_pipe()?;
        let (far_input, output) = addr::new_pipe()?;
        addr::apply(&self.options, output.as_fd())?;
        let names = (addr::unnamed(), Address::pipe(path));
        let channel = Channel::of_two((input, output), names)?;
        let far = [far_input.as_fd(), far_output.as_fd()];
        let peer = hand_over(path, addr::KIND, &far, timeout)?;
        Ok(PipeStream::new(channel.with_credentials(peer)))
    }
}

impl Connector for PipeConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}
