//! The shared-memory transport: streams between processes of one host that cost no system call
//! while both sides keep up, named by a path.
//!
//! The two sides connect through a Unix-domain socket. The connecting side makes a memory file with
//! a ring for each direction and passes its descriptor. From then on the bytes go through the
//! rings; the socket reports the end of the peer and wakes one that has slept for long. A side that
//! waits polls for some microseconds as long as that succeeds, as an adaptive mutex does, and then
//! sleeps in the kernel; now and then it tries whether polling for longer would succeed.
//! [`busy_poll`](StreamOptions::busy_poll) sets the time instead:
//!
//! ```
//! use armilla_ipc::shm::{ShmAcceptor, ShmConnector};
//! use armilla_ipc::{Address, Stream, StreamOptions};
//! use std::time::Duration;
//!
//! # let path = std::env::temp_dir().join(format!("armilla-shm-doc-{}", std::process::id()));
//! let address = Address::shm(path);
//! let busy_poll = Some(Duration::from_micros(20));
//! let options = StreamOptions { busy_poll, ..Default::default() };
//! let acceptor = ShmAcceptor::bind(&address, &options)?;
//! let client = ShmConnector::new(options).connect(&address, None)?;
//! let server = acceptor.accept()?.expect("the acceptor is open");
//!
//! client.send_all(b"hello")?;
//! let mut buffer = [0; 16];
//! let count = server.recv(&mut buffer)?;
//! assert_eq!(&buffer[..count], b"hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A reactor can wait for such a stream too, see [`ShmStream::watch`].
//!
//! A stream costs 20 KiB, which suffices for calls and their results. A ring that has no room for
//! what is to be sent grows to the size that the options say, and shrinks again when the stream is
//! idle or has sent little for long. [`set_memory_limit`] limits what all streams of a process take.
//!
//! # What a peer cannot do
//! The two sides need not trust each other beyond the permissions of the path. A peer that dies, at
//! any instruction, leaves a stream whose published bytes can be read, followed by
//! [`ConnectionReset`](std::io::ErrorKind::ConnectionReset); a thread that waits learns of it at
//! once or within 20 ms. A peer that writes nonsense into the shared memory earns
//! [`InvalidData`](std::io::ErrorKind::InvalidData) or sends arbitrary bytes, which it may anyway.

mod acceptor;
mod addr;
mod budget;
mod connection;
mod connector;
mod greeted;
mod greeting;
mod growth;
mod handshake;
#[cfg(test)]
mod hostile;
mod kernel;
mod polling;
mod region;
mod ring;
mod rings;
pub mod same_host;
mod spin;
mod stream;
#[cfg(any(test, feature = "trial"))]
#[doc(hidden)]
pub mod trial;
mod wait;

/// The atomics of `ring`; its model replaces them by those of loom.
mod atomic {
    pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, fence};
}

/// What a stream asks of the system; of the one that a trial plays, while there is one.
mod system {
    #[cfg(not(any(test, feature = "trial")))]
    pub(super) use super::kernel::*;
    #[cfg(any(test, feature = "trial"))]
    pub(super) use super::trial::system::*;
}

pub use acceptor::ShmAcceptor;
pub use budget::{memory_in_use, memory_limit, set_memory_limit};
pub use connector::ShmConnector;
pub use stream::ShmStream;

use crate::unix::UnixPendingConnect;
use crate::{Address, PendingConnect, StreamOptions, Transport};
use std::io;
use std::time::Duration;

/// Shared-memory streams as a type argument, see [`Transport`].
#[derive(Clone, Copy, Debug)]
pub enum Shm {}

impl Transport for Shm {
    type Stream = ShmStream;
    type Acceptor = ShmAcceptor;

    fn connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<ShmStream> {
        ShmConnector::new(options.clone()).connect(address, timeout)
    }

    fn start_connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<Box<dyn PendingConnect<ShmStream>>> {
        let socket_address = addr::socket(address)?;
        let (name, sizes) = (address.clone(), options.clone());
        let finish = move |socket| connector::make(socket, &name, &sizes);
        let plain = StreamOptions::default();
        Ok(Box::new(UnixPendingConnect::new(address, socket_address, timeout, &plain, finish)))
    }

    fn listen(address: &Address, options: &StreamOptions) -> io::Result<ShmAcceptor> {
        ShmAcceptor::bind(address, options)
    }

    fn accept(acceptor: &ShmAcceptor) -> io::Result<Option<ShmStream>> {
        acceptor.accept()
    }
}
