//! The TCP transport (RFC 9293), over IPv4 and IPv6.

mod acceptor;
mod addr;
mod connector;
mod info;
mod stream;

pub use acceptor::TcpAcceptor;
pub use connector::TcpConnector;
pub use info::TcpInfo;
pub use stream::TcpStream;

use crate::{Address, PendingConnect, StreamOptions, Transport};
use connector::TcpPendingConnect;
use std::io;
use std::time::Duration;

/// TCP as a type argument, see [`Transport`].
#[derive(Clone, Copy, Debug)]
pub enum Tcp {}

impl Transport for Tcp {
    type Stream = TcpStream;
    type Acceptor = TcpAcceptor;

    fn connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<TcpStream> {
        TcpConnector::new(options.clone()).connect(address, timeout)
    }

    fn start_connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<Box<dyn PendingConnect<TcpStream>>> {
        Ok(Box::new(TcpPendingConnect::new(address, timeout, options)?))
    }

    fn listen(address: &Address, options: &StreamOptions) -> io::Result<TcpAcceptor> {
        TcpAcceptor::bind(address, options)
    }

    fn accept(acceptor: &TcpAcceptor) -> io::Result<Option<TcpStream>> {
        acceptor.accept()
    }
}
