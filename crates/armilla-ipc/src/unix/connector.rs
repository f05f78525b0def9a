//! Connects to a Unix-domain socket.

use super::{UnixStream, addr};
use crate::error::context;
use crate::socket::{Socket, connect_within};
use crate::{Address, Connector, Stream, StreamOptions};
use rustix::fd::AsFd;
use rustix::net::SocketFlags;
use std::io;
use std::time::Duration;

/// Makes Unix-domain streams actively.
#[derive(Clone, Debug, Default)]
pub struct UnixConnector {
    options: StreamOptions,
}

impl UnixConnector {
    /// A connector whose streams have these options, so far as they apply.
    pub fn new(options: StreamOptions) -> Self {
        Self { options }
    }

    /// Connects to the socket at `address` within `timeout`. Only a peer whose queue of waiting
    /// connections is full makes this wait at all.
    ///
    /// # Errors
    /// As [`Connector::connect`]: [`io::ErrorKind::NotFound`] if there is no such file,
    /// [`io::ErrorKind::ConnectionRefused`] if nobody listens at it.
    pub fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<UnixStream> {
        self.connect_to(address, timeout)
            .map(UnixStream::from_socket)
            .map_err(|error| context(format_args!("cannot connect to {address}"), error))
    }

    pub(super) fn connect_to(
        &self,
        address: &Address,
        timeout: Option<Duration>,
    ) -> io::Result<Socket> {
        let target = addr::to_os(address)?;
        let fd = addr::socket(SocketFlags::empty())?;
        self.options.apply(fd.as_fd())?;
        connect_within(fd.as_fd(), &target, timeout)?;
        Ok(Socket::new(fd, addr::unnamed(), address.clone()))
    }
}

impl Connector for UnixConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}
