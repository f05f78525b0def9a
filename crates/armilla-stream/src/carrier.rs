//! The stream that carries a flow, over one of the transports.

use armilla_ipc::{
    Address, ShmAcceptor, ShmStream, Stream, StreamOptions, TcpAcceptor, TcpStream, UnixAcceptor,
    UnixStream, WithTimeout, zero_copy,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A connected stream whose transport is known, because only some can do without copies.
#[derive(Debug)]
pub(crate) enum Carrier {
    Tcp(TcpStream),
    Unix(UnixStream),
    Shm(Box<ShmStream>),
    /// Over a transport that encrypts, which has a descriptor.
    Protected(Box<dyn Stream>),
}

impl Carrier {
    /// A stream of a transport that encrypts.
    pub(crate) fn protected(stream: Box<dyn Stream>) -> io::Result<Self> {
        match stream.descriptor() {
            Some(_) => Ok(Self::Protected(stream)),
            None => Err(io::Error::new(io::ErrorKind::Unsupported, "it has no descriptor")),
        }
    }

    /// Whether the kernel can move octets between it and a file.
    pub(crate) const fn is_spliced(&self) -> bool {
        matches!(self, Self::Tcp(_) | Self::Unix(_))
    }

    /// The stream, for what every transport does.
    pub(crate) fn stream(&self) -> &dyn Stream {
        match self {
            Self::Tcp(stream) => stream,
            Self::Unix(stream) => stream,
            Self::Shm(stream) => &**stream,
            Self::Protected(stream) => &**stream,
        }
    }

    /// What the kernel tells of it.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
            Self::Shm(stream) => stream.as_fd(),
            // `protected` has seen that it has one.
            Self::Protected(stream) => stream.descriptor().expect("a descriptor"),
        }
    }

    /// Whether its descriptor becomes readable when octets come. That of shared memory does not, and
    /// what was encrypted may have come before.
    pub(crate) const fn is_watchable(&self) -> bool {
        self.is_spliced()
    }

    /// Whether the peer sends something or closes within `limit`.
    pub(crate) fn wait_readable(&self, limit: Duration) -> bool {
        let limit = Timespec::try_from(limit).ok();
        let descriptor = self.descriptor();
        let mut watched = [PollFd::new(&descriptor, PollFlags::IN)];
        poll(&mut watched, limit.as_ref()).is_ok_and(|ready| ready > 0)
    }

    /// Sends a message of few octets within `limit`. Mostly there is room for it, and the timeouts of
    /// the stream, which are those of the flow, stay as they are: to set them costs system calls.
    pub(crate) fn send_message(&self, octets: &[u8], limit: Duration) -> io::Result<()> {
        let sent = count(self.stream().try_send(octets))?;
        match &octets[sent..] {
            [] => Ok(()),
            rest => {
                let sent = WithTimeout::new(self.stream(), limit).send_all(rest);
                sent.map_err(|error| error.source)
            }
        }
    }

    /// Receives a message of few octets within `limit`, as [`send_message`](Self::send_message)
    /// sends. If it `has_arrived`, nobody need wait for it.
    pub(crate) fn receive_message(
        &self,
        octets: &mut [u8],
        limit: Duration,
        has_arrived: bool,
    ) -> io::Result<()> {
        let begin = Instant::now();
        let mut received = 0;
        if has_arrived || (self.is_watchable() && self.wait_readable(limit)) {
            // An end is found again below.
            received = count(self.stream().try_recv(octets))?;
        }
        match &mut octets[received..] {
            [] => Ok(()),
            rest => {
                let left = limit.saturating_sub(begin.elapsed());
                let received = WithTimeout::new(self.stream(), left).recv_all(rest);
                received.map_err(|error| error.source)
            }
        }
    }

    /// Sends a part of a file without copying it through the process. `Unsupported` where the
    /// kernel does not carry the octets; then nothing was sent.
    pub(crate) fn send_file(&self, file: &File, offset: u64, count: u64) -> io::Result<u64> {
        let sent = match self {
            Self::Tcp(stream) => zero_copy::send_file(stream, file, offset, count),
            Self::Unix(stream) => zero_copy::send_file(stream, file, offset, count),
            _ => return Err(io::ErrorKind::Unsupported.into()),
        };
        match sent {
            Ok(()) => Ok(count),
            Err(error) if error.sent > 0 => Ok(error.sent as u64),
            Err(error) => Err(error.source),
        }
    }
}

/// How many octets a call moved that does not wait.
fn count(moved: io::Result<usize>) -> io::Result<usize> {
    match moved {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
        moved => moved,
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
    Protected(Box<dyn armilla_ipc::Acceptor>),
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
            Self::Shm(acceptor) => acceptor.accept()?.map(Box::new).map(Carrier::Shm),
            Self::Protected(acceptor) => acceptor.accept()?.map(Carrier::protected).transpose()?,
        })
    }

    pub(crate) fn role(&self) -> &dyn armilla_ipc::Acceptor {
        match self {
            Self::Tcp(acceptor) => acceptor,
            Self::Unix(acceptor) => acceptor,
            Self::Shm(acceptor) => acceptor,
            Self::Protected(acceptor) => &**acceptor,
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

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::sockopt::{Timeout, socket_timeout};

    #[test]
    fn messages_of_few_octets_leave_the_timeouts_of_a_flow() {
        let (near, far) = UnixStream::pair().unwrap();
        let carriers = [near, far].map(Carrier::Unix);
        let (flow, limit) = (Duration::from_secs(40), Duration::from_secs(10));
        for carrier in &carriers {
            carrier.stream().set_recv_timeout(Some(flow)).unwrap();
            carrier.stream().set_send_timeout(Some(flow)).unwrap();
        }
        for has_arrived in [true, false] {
            carriers[0].send_message(b"greeting", limit).unwrap();
            let mut octets = [0; 8];
            carriers[1].receive_message(&mut octets, limit, has_arrived).unwrap();
            assert_eq!(&octets, b"greeting");
        }
        for carrier in &carriers {
            for direction in [Timeout::Recv, Timeout::Send] {
                assert_eq!(socket_timeout(carrier.descriptor(), direction), Ok(Some(flow)));
            }
        }
    }

    #[test]
    fn a_message_in_parts_is_received_and_one_that_does_not_come_times_out() {
        let (near, far) = UnixStream::pair().unwrap();
        let far = Carrier::Unix(far);
        let mut octets = [0; 4];
        let short = Duration::from_millis(1);
        let error = far.receive_message(&mut octets, short, false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        near.send_all(b"ab").unwrap();
        let rest = std::thread::spawn(move || {
            near.send_all(b"cd").unwrap();
            near
        });
        far.receive_message(&mut octets, Duration::from_secs(10), true).unwrap();
        assert_eq!(&octets, b"abcd");
        drop(rest.join().unwrap());
        let error = far.receive_message(&mut octets, Duration::from_secs(10), false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
