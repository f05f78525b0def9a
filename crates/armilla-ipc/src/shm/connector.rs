//! The active side of the shared-memory transport: makes the memory and passes its descriptor.

use super::rings::RingPair;
use super::{ShmStream, addr, handshake};
use crate::error::context;
use crate::unix::UnixConnector;
use crate::{Address, Connector, Stream, StreamOptions, UnixStream};
use rustix::fd::AsFd;
use std::io;
use std::time::Duration;

/// Makes shared-memory streams actively.
#[derive(Clone, Debug, Default)]
pub struct ShmConnector {
    options: StreamOptions,
}

impl ShmConnector {
    /// A connector whose streams have rings of the sizes in `options`: the send queue for the bytes
    /// that go out, the receive queue for those that come in, each rounded up to a power of two
    /// between 4 KiB and 16 MiB; 1 MiB if not given.
    ///
    /// A stream with [`busy_poll`](StreamOptions::busy_poll) spins for that time in every wait
    /// before it sleeps; zero is not at all. Without it a stream spins for up to 20 µs, and only
    /// while that succeeds: where the peer answers sooner and runs on another core. Threads with a
    /// real-time policy spin only with `busy_poll`.
    pub fn new(options: StreamOptions) -> Self {
        Self { options }
    }

    /// Connects to the acceptor at `address` within `timeout`; it need not have accepted yet.
    ///
    /// # Errors
    /// As [`Connector::connect`]; [`io::ErrorKind::NotFound`] if there is no such file,
    /// [`io::ErrorKind::ConnectionRefused`] if no process listens there.
    pub fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<ShmStream> {
        let socket_address = addr::socket(address)?;
        let socket =
            addr::in_terms_of(address, UnixConnector::default().connect(&socket_address, timeout))?;
        make(socket, address, &self.options)
            .map_err(|error| context(format_args!("cannot connect to {address}"), error))
    }
}

/// Makes the memory and offers it at `socket`.
pub(super) fn make(
    socket: UnixStream,
    address: &Address,
    options: &StreamOptions,
) -> io::Result<ShmStream> {
    let memory = handshake::memory(options)?;
    memory.offer(socket.as_fd())?;
    let names = [addr::unnamed(), address.clone()];
    let rings = RingPair::new(memory.region, 0);
    Ok(ShmStream::new(socket.into(), Some(rings), options.busy_poll, names))
}

impl Connector for ShmConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}
