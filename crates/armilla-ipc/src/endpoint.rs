//! The choice of a transport by an address that is known at run time only.

use crate::fifo::{FifoAcceptor, FifoConnector};
use crate::pipe::{PipeAcceptor, PipeConnector};
use crate::pty::{PtyAcceptor, PtyConnector};
use crate::{Acceptor, Address, Connector, Stream, StreamOptions};
use crate::{ShmAcceptor, ShmConnector, TcpAcceptor, TcpConnector, UnixAcceptor, UnixConnector};
use std::io;
use std::time::Duration;

/// Connects to `address` over the transport that it names.
///
/// # Errors
/// As [`Connector::connect`].
pub fn connect(
    address: &Address,
    timeout: Option<Duration>,
    options: &StreamOptions,
) -> io::Result<Box<dyn Stream>> {
    let options = options.clone();
    let connector: &dyn Connector = match address {
        Address::Tcp { .. } => &TcpConnector::new(options),
        Address::Unix(_) | Address::Abstract(_) => &UnixConnector::new(options),
        Address::Fifo(_) => &FifoConnector::new(options),
        Address::Pipe(_) => &PipeConnector::new(options),
        Address::Pty(_) => &PtyConnector::new(options),
        Address::Shm(_) => &ShmConnector::new(options),
    };
    connector.connect(address, timeout)
}

/// Listens at `address` over the transport that it names.
///
/// # Errors
/// The message names the address that cannot be listened at, and why.
pub fn listen(address: &Address, options: &StreamOptions) -> io::Result<Box<dyn Acceptor>> {
    Ok(match address {
        Address::Tcp { .. } => Box::new(TcpAcceptor::bind(address, options)?),
        Address::Unix(_) | Address::Abstract(_) => Box::new(UnixAcceptor::bind(address, options)?),
        Address::Fifo(_) => Box::new(FifoAcceptor::bind(address, options)?),
        Address::Pipe(_) => Box::new(PipeAcceptor::bind(address, options)?),
        Address::Pty(_) => Box::new(PtyAcceptor::bind(address, options)?),
        Address::Shm(_) => Box::new(ShmAcceptor::bind(address, options)?),
    })
}
