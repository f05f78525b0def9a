//! The handshake of mechanisms that have no name of their own: the connector makes both ends of a
//! channel and passes the descriptors of the far ends through a Unix-domain socket. So connecting
//! waits for that socket only, never for the acceptor.

use super::{UnixAcceptor, UnixConnector, UnixStream, passing};
use crate::accept::{AcceptTimeout, EXHAUSTION_PAUSE};
use crate::error::{context, is_exhaustion, timespec};
use crate::{Acceptor, Address, Credentials, Readiness, Stream, StreamOptions};
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many connected peers may have sent nothing yet. A peer of this crate sends at once. Beyond
/// this number, the peer that has been silent for longest is disconnected.
const MAX_SILENT_PEERS: usize = 64;

/// The most descriptors that a stream takes beside those that are passed.
const STREAM_DESCRIPTORS: usize = 3;

/// Listens at a path for descriptors.
#[derive(Debug)]
pub(crate) struct DescriptorAcceptor {
    acceptor: UnixAcceptor,
    /// Readable when a peer connects or a connected peer sends.
    events: OwnedFd,
    silent: Mutex<VecDeque<UnixStream>>,
    timeout: AcceptTimeout,
    local: Address,
    kind: u8,
}

/// The descriptors that were passed, and the credentials of the peer.
type Passed<const N: usize> = ([OwnedFd; N], Credentials);

impl DescriptorAcceptor {
    /// Listens at `path`, which callers know as `local`, for descriptors of this `kind`.
    ///
    /// # Errors
    /// The message names `local`.
    pub(crate) fn bind(local: &Address, path: &Path, kind: u8) -> io::Result<Self> {
        Self::bind_to(local, path, kind)
            .map_err(|error| context(format_args!("cannot listen at {local}"), error))
    }

    fn bind_to(local: &Address, path: &Path, kind: u8) -> io::Result<Self> {
        let acceptor = UnixAcceptor::bind_to(&Address::unix(path), &StreamOptions::default())?;
        acceptor.set_timeout(Some(Duration::ZERO))?;
        let events = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&events, &acceptor, EventData::new_u64(0), EventFlags::IN)?;
        let (silent, timeout) = Default::default();
        Ok(Self { acceptor, events, silent, timeout, local: local.clone(), kind })
    }

    /// The next `N` descriptors, or `None` once closed. A silent peer holds up no other, and a peer
    /// that passes anything else is dropped. While descriptors are exhausted silent peers are
    /// disconnected, one after the other, and then this pauses before it receives anything; with a
    /// timeout of zero that is an error.
    pub(crate) fn accept<const N: usize>(&self) -> io::Result<Option<Passed<N>>> {
        let deadline = self.timeout.start();
        loop {
            let error = match self.try_accept() {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            match Errno::from_io_error(&error) {
                Some(Errno::AGAIN) if deadline.may_wait() => self.wait(deadline.remaining()?)?,
                // A descriptor of somebody who says nothing is needed more by another.
                Some(errno) if is_exhaustion(errno) && self.drop_first_silent() => {}
                Some(errno) if deadline.may_wait() && is_exhaustion(errno) => {
                    deadline.remaining()?;
                    std::thread::sleep(EXHAUSTION_PAUSE);
                }
                _ => return Err(error),
            }
        }
    }

    /// As [`accept`](Self::accept) without waiting: "would block" if nothing was passed.
    fn try_accept<const N: usize>(&self) -> io::Result<Option<Passed<N>>> {
        loop {
            let mut silent = lock(&self.silent);
            if let Some(taken) = self.accept_spoken(&mut silent)? {
                return Ok(Some(taken));
            }
            let Some(stream) = self.acceptor.accept()? else { return Ok(None) };
            epoll::add(&self.events, &stream, EventData::new_u64(1), EventFlags::IN)?;
            if silent.len() == MAX_SILENT_PEERS {
                silent.pop_front();
            }
            silent.push_back(stream);
        }
    }

    /// The descriptors of the first connected peer that has sent some. Peers that have sent
    /// anything else are dropped on the way.
    fn accept_spoken<const N: usize>(
        &self,
        silent: &mut VecDeque<UnixStream>,
    ) -> io::Result<Option<Passed<N>>> {
        let mut index = 0;
        while let Some(stream) = silent.get(index) {
            if matches!(stream.readiness(), Ok(Readiness::Idle)) {
                index += 1;
                continue;
            }
            // A process without free descriptors loses those that it receives.
            passing::expect(stream.as_fd(), N + STREAM_DESCRIPTORS)?;
            let taken = self.receive_from(stream);
            silent.remove(index);
            if let Ok(taken) = taken {
                return Ok(Some(taken));
            }
        }
        Ok(None)
    }

    /// Disconnects the peer that has been silent for longest. `false` if there is none.
    fn drop_first_silent(&self) -> bool {
        let mut silent = lock(&self.silent);
        let idle = |stream: &UnixStream| matches!(stream.readiness(), Ok(Readiness::Idle));
        let first = silent.iter().position(idle);
        first.and_then(|index| silent.remove(index)).is_some()
    }

    fn receive_from<const N: usize>(&self, stream: &UnixStream) -> io::Result<Passed<N>> {
        let mut kind = [0];
        let mut descriptors = Vec::with_capacity(N);
        stream.recv_with_descriptors(&mut kind, &mut descriptors)?;
        match descriptors.try_into() {
            Ok(descriptors) if kind == [self.kind] => Ok((descriptors, stream.peer_credentials()?)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Waits until a peer connects or sends, or until listening ends.
    fn wait(&self, limit: Option<Duration>) -> io::Result<()> {
        let none = Event { flags: EventFlags::empty(), data: EventData::new_u64(0) };
        match epoll::wait(&self.events, &mut [none], limit.map(timespec).as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Limits the waiting for a peer.
    pub(crate) fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.timeout.set_timeout(timeout)
    }

    /// The address at which the acceptor listens.
    pub(crate) fn local(&self) -> &Address {
        &self.local
    }

    /// Stops listening.
    pub(crate) fn close(&self) {
        self.acceptor.close();
        lock(&self.silent).clear();
    }

    /// The listening socket.
    pub(crate) fn socket(&self) -> BorrowedFd<'_> {
        self.acceptor.as_fd()
    }
}

impl AsFd for DescriptorAcceptor {
    /// Readable when there may be a peer to accept.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.events.as_fd()
    }
}

/// No panic leaves the values inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Connects to the acceptor at `path`.
pub(crate) fn connect_socket(path: &Path, timeout: Option<Duration>) -> io::Result<UnixStream> {
    let socket = UnixConnector::default().connect_to(&Address::unix(path), timeout)?;
    Ok(UnixStream::from_socket(socket))
}

/// Passes `descriptors` of this `kind` through a socket that was just connected. Returns the
/// credentials of the acceptor.
pub(crate) fn send_descriptors(
    socket: &UnixStream,
    kind: u8,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<Credentials> {
    // The queue of a new socket is empty, so this does not wait.
    socket.send_with_descriptors(&[kind], descriptors)?;
    socket.peer_credentials()
}
