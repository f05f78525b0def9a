//! The pseudo-terminal transport. The connector keeps the terminal, the acceptor gets the master
//! side that drives it. The terminal is in raw mode, so that bytes pass unchanged. The transport
//! serves to run a program that insists on a terminal.
//!
//! A terminal is not a socket: it cannot end one direction alone. When the master side closes,
//! bytes that it sent and that the terminal has not received are lost.

mod acceptor;
mod addr;
mod connector;
mod stream;

pub use acceptor::PtyAcceptor;
pub use connector::PtyConnector;
pub use stream::{PtyStream, WindowSize};

use crate::unix::UnixPendingConnect;
use crate::{Address, PendingConnect, StreamOptions, Transport, UnixStream};
use std::io;
use std::time::Duration;

/// Pseudo-terminals as a type argument, see [`Transport`].
#[derive(Clone, Copy, Debug)]
pub enum Pty {}

impl Transport for Pty {
    type Stream = PtyStream;
    type Acceptor = PtyAcceptor;

    fn connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<PtyStream> {
        PtyConnector::new(options.clone()).connect(address, timeout)
    }

    fn start_connect(
        address: &Address,
        timeout: Option<Duration>,
        _options: &StreamOptions,
    ) -> io::Result<Box<dyn PendingConnect<PtyStream>>> {
        let place = Address::unix(addr::path(address)?);
        let name = address.clone();
        let finish = move |socket: UnixStream| connector::make(&socket, &name);
        let plain = StreamOptions::default();
        Ok(Box::new(UnixPendingConnect::new(address, place, timeout, &plain, finish)))
    }

    fn listen(address: &Address, options: &StreamOptions) -> io::Result<PtyAcceptor> {
        PtyAcceptor::bind(address, options)
    }

    fn accept(acceptor: &PtyAcceptor) -> io::Result<Option<PtyStream>> {
        acceptor.accept()
    }
}
