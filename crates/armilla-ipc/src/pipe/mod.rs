//! The pipe transport, and the one-way [`pipe`] itself.
//!
//! A stream has two pipes, one for each direction. A pipe has no name, so the two sides meet at a
//! Unix-domain socket: the connector passes the descriptors of the far ends through it.

mod acceptor;
mod addr;
mod connector;
mod stream;

pub use crate::channel::{ReadEnd, WriteEnd};
pub use acceptor::PipeAcceptor;
pub use connector::PipeConnector;
pub use stream::PipeStream;

use crate::unix::UnixPendingConnect;
use crate::{Address, PendingConnect, StreamOptions, Transport, UnixStream};
use std::io;
use std::time::Duration;

/// Pipes as a type argument, see [`Transport`].
#[derive(Clone, Copy, Debug)]
pub enum Pipe {}

impl Transport for Pipe {
    type Stream = PipeStream;
    type Acceptor = PipeAcceptor;

    fn connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<PipeStream> {
        PipeConnector::new(options.clone()).connect(address, timeout)
    }

    fn start_connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<Box<dyn PendingConnect<PipeStream>>> {
        let place = Address::unix(addr::path(address)?);
        let (name, sizes) = (address.clone(), options.clone());
        let finish = move |socket: UnixStream| connector::make(&socket, &name, &sizes);
        let plain = StreamOptions::default();
        Ok(Box::new(UnixPendingConnect::new(address, place, timeout, &plain, finish)))
    }

    fn listen(address: &Address, options: &StreamOptions) -> io::Result<PipeAcceptor> {
        PipeAcceptor::bind(address, options)
    }

    fn accept(acceptor: &PipeAcceptor) -> io::Result<Option<PipeStream>> {
        acceptor.accept()
    }
}

/// A one-way pipe within the process, or between it and a child that inherits one end.
///
/// ```
/// let (read_end, write_end) = armilla_ipc::pipe::pipe()?;
/// write_end.send_all(b"hello")?;
/// drop(write_end);
/// let mut buffer = [0; 8];
/// assert_eq!(read_end.recv(&mut buffer)?, 5);
/// assert_eq!(read_end.recv(&mut buffer)?, 0); // no sender is left
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Exhausted descriptors or memory.
pub fn pipe() -> io::Result<(ReadEnd, WriteEnd)> {
    let (input, output) = addr::new_pipe()?;
    Ok((ReadEnd::new(input)?, WriteEnd::new(output)?))
}
