//! The stream that carries a flow, over one of the transports.

use armilla_ipc::{
    Address, ShmAcceptor, ShmStream, Stream, StreamOptions, TcpAcceptor, TcpStream, UnixAcceptor,
    UnixStream, zero_copy,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

/// A connected stream whose transport is known, because only some can do without copies.
#[derive(Debug)]
pub(crate) enum Carrier {
    Tcp(TcpStream),
    Unix(UnixStream),
    Shm(ShmStream),
}

impl Carrier {
    /// The stream, for what every transport does.
    pub(crate) fn stream(&self) -> &dyn Stream {
        match self {
            Self::Tcp(stream) => stream,
            Self::Unix(stream) => stream,
            Self::Shm(stream) => stream,
        }
    }

    /// What the kernel tells of it.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
            Self::Shm(stream) => stream.as_fd(),
        }
    }

    /// Whether its descriptor becomes readable when octets come. That of shared memory does not.
    pub(crate) const fn is_watchable(&self) -> bool {
        !matches!(self, Self::Shm(_))
    }

    /// Whether the peer sends something or closes within `limit`.
    pub(crate) fn wait_readable(&self, limit: Duration) -> bool {
        let limit = Timespec::try_from(limit).ok();
        let descriptor = self.descriptor();
        let mut watched = [PollFd::new(&descriptor, PollFlags::IN)];
        poll(&mut watched, limit.as_ref()).is_ok_and(|ready| ready > 0)
    }

    /// Sends a part of a file without copying it through the process. `Unsupported` where the
    /// kernel does not carry the octets; then nothing was sent.
    pub(crate) fn send_file(&self, file: &File, offset: u64, count: u64) -> io::Result<u64> {
        let sent = match self {
            Self::Tcp(stream) => zero_copy::send_file(stream, file, offset, count),
            Self::Unix(stream) => zero_copy::send_file(stream, file, offset, count),
            Self::Shm(_) => return Err(io::ErrorKind::Unsupported.into()),
        };
        match sent {
            Ok(()) => Ok(count),
            Err(error) if error.sent > 0 => Ok(error.sent as u64),
            Err(error) => Err(error.source),
        }
    }
}

/// A connection whose sides have greeted each other.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) carrier: Arc<Carrier>,
    /// Takes the connection after a complete flow, if both sides keep it.
    pub(crate) keep: Option<Keep>,
}

/// What keeps a connection for the next flow.
pub(crate) struct Keep(Box<dyn FnOnce(Arc<Carrier>) + Send + Sync>);

impl Keep {
    pub(crate) fn new(keep: impl FnOnce(Arc<Carrier>) + Send + Sync + 'static) -> Self {
        Self(Box::new(keep))
    }

    pub(crate) fn keep(self, carrier: Arc<Carrier>) {
        (self.0)(carrier);
    }
}

impl fmt::Debug for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keep")
    }
}

/// A place to listen at.
#[derive(Debug)]
pub(crate) enum Acceptor {
    Tcp(TcpAcceptor),
    Unix(UnixAcceptor),
    Shm(ShmAcceptor),
}

impl Acceptor {
    pub(crate) fn bind(address: &Address, options: &StreamOptions) -> io::Result<Self> {
        Ok(match address {
            Address::Unix(_) | Address::Abstract(_) => {
                Self::Unix(UnixAcceptor::bind(address, options)?)
            }
            Address::Shm(_) => Self::Shm(ShmAcceptor::bind(address, options)?),
            _ => Self::Tcp(TcpAcceptor::bind(address, options)?),
        })
    }

    pub(crate) fn accept(&self) -> io::Result<Option<Carrier>> {
        Ok(match self {
            Self::Tcp(acceptor) => acceptor.accept()?.map(Carrier::Tcp),
            Self::Unix(acceptor) => acceptor.accept()?.map(Carrier::Unix),
            Self::Shm(acceptor) => acceptor.accept()?.map(Carrier::Shm),
        })
    }

    pub(crate) fn role(&self) -> &dyn armilla_ipc::Acceptor {
        match self {
            Self::Tcp(acceptor) => acceptor,
            Self::Unix(acceptor) => acceptor,
            Self::Shm(acceptor) => acceptor,
        }
    }
}

/// The name of the transport of an address, as a [`FlowRequest`](crate::FlowRequest) has it; `None`
/// for one that carries no flows.
pub(crate) fn transport(address: &Address) -> Option<&'static str> {
    match address {
        Address::Tcp { .. } => Some("tcp"),
        Address::Unix(_) | Address::Abstract(_) => Some("unix"),
        Address::Shm(_) => Some("shm"),
        _ => None,
    }
}
