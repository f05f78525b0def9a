//! The named-pipe transport, and a named pipe on its own: one [`ReadEnd`] and many [`WriteEnd`]s,
//! see [`open_read`] and [`open_write`].
//!
//! A stream has two named pipes, one for each direction. The acceptor makes a third at its path. A
//! connector makes the two of a stream beside it and writes their name into it. The acceptor opens
//! them and sends a byte; then the connector removes the names. There is no queue of connections:
//! connecting ends when the acceptor accepts.

mod acceptor;
mod addr;
mod connector;
mod one_way;
mod stream;

pub use crate::channel::{ReadEnd, WriteEnd};
pub use acceptor::FifoAcceptor;
pub use connector::FifoConnector;
pub use one_way::{open_read, open_write};
pub use stream::FifoStream;

use crate::{Address, PendingConnect, StreamOptions, Transport};
use connector::FifoPendingConnect;
use std::io;
use std::time::Duration;

/// Named pipes as a type argument, see [`Transport`].
#[derive(Clone, Copy, Debug)]
pub enum Fifo {}

impl Transport for Fifo {
    type Stream = FifoStream;
    type Acceptor = FifoAcceptor;

    fn connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<FifoStream> {
        FifoConnector::new(options.clone()).connect(address, timeout)
    }

    fn start_connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<Box<dyn PendingConnect<FifoStream>>> {
        Ok(Box::new(FifoPendingConnect::new(address, timeout, options)?))
    }

    fn listen(address: &Address, options: &StreamOptions) -> io::Result<FifoAcceptor> {
        FifoAcceptor::bind(address, options)
    }

    fn accept(acceptor: &FifoAcceptor) -> io::Result<Option<FifoStream>> {
        acceptor.accept()
    }
}
