//! The Unix-domain transport: streams within one host, named by a path or an abstract name.

mod acceptor;
pub(crate) mod addr;
mod connector;
#[cfg(any(feature = "pipe", feature = "pty"))]
pub(crate) mod descriptor_handshake;
mod file;
pub(crate) mod passing;
mod stream;

pub(crate) use connector::UnixPendingConnect;
pub(crate) use file::SocketFile;

pub use crate::sys::MAX_DESCRIPTORS;
pub use acceptor::UnixAcceptor;
pub use connector::UnixConnector;
pub use stream::UnixStream;

use crate::{Address, PendingConnect, StreamOptions, Transport};
use std::io;
use std::time::Duration;

/// Unix-domain streams as a type argument, see [`Transport`].
#[derive(Clone, Copy, Debug)]
pub enum Unix {}

impl Transport for Unix {
    type Stream = UnixStream;
    type Acceptor = UnixAcceptor;

    fn connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<UnixStream> {
        UnixConnector::new(options.clone()).connect(address, timeout)
    }

    fn start_connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<Box<dyn PendingConnect<UnixStream>>> {
        addr::to_os(address)?;
        Ok(Box::new(UnixPendingConnect::new(address, address.clone(), timeout, options, Ok)))
    }

    fn listen(address: &Address, options: &StreamOptions) -> io::Result<UnixAcceptor> {
        UnixAcceptor::bind(address, options)
    }

    fn accept(acceptor: &UnixAcceptor) -> io::Result<Option<UnixStream>> {
        acceptor.accept()
    }
}
