//! Names for mechanisms that have none: the connector makes both ends of a channel, and hands the far
//! ones over at a Unix-domain socket. Connecting therefore waits no longer than on that socket.

use super::{UnixAcceptor, UnixConnector, UnixStream, passing};
use crate::deadline::Deadline;
use crate::socket::BACK_OFF;
use crate::{Acceptor, Address, Credentials, Stream, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::path::Path;
use std::time::Duration;

/// What a peer may take to hand over its descriptors once it has connected. A peer of this crate has
/// sent them by then.
const PATIENCE: Duration = Duration::from_millis(500);

/// Listens at a path for descriptors.
#[derive(Debug)]
pub(crate) struct Taker {
    acceptor: UnixAcceptor,
    kind: u8,
}

impl Taker {
    /// Takes what is handed over at `path` as `kind`.
    pub(crate) fn bind(path: &Path, kind: u8) -> io::Result<Self> {
        let acceptor = UnixAcceptor::bind_to(&Address::unix(path), &StreamOptions::default())?;
        Ok(Self { acceptor, kind })
    }

    /// The next `N` descriptors and who made them, or `None` once closed. A peer that hands over
    /// anything else is passed over; a shortage of descriptors is waited out, for [`PATIENCE`].
    pub(crate) fn take<const N: usize>(&self) -> io::Result<Option<([OwnedFd; N], Credentials)>> {
        while let Some(stream) = self.acceptor.accept()? {
            let end = Deadline::after(Some(PATIENCE));
            while passing::expect(stream.as_fd(), N).is_err() && end.remaining().is_ok() {
                std::thread::sleep(BACK_OFF);
            }
            if let Ok(taken) = self.take_from(&stream) {
                return Ok(Some(taken));
            }
        }
        Ok(None)
    }

    fn take_from<const N: usize>(
        &self,
        stream: &UnixStream,
    ) -> io::Result<([OwnedFd; N], Credentials)> {
        let mut kind = [0];
        let mut descriptors = Vec::with_capacity(N);
        stream.set_recv_timeout(Some(PATIENCE))?;
        stream.recv_with_descriptors(&mut kind, &mut descriptors)?;
        match descriptors.try_into() {
            Ok(descriptors) if kind == [self.kind] => Ok((descriptors, stream.peer_credentials()?)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Limits the waiting for a peer.
    pub(crate) fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.acceptor.set_timeout(timeout)
    }

    /// Stops listening.
    pub(crate) fn close(&self) {
        self.acceptor.close();
    }

    /// The listening socket.
    pub(crate) fn acceptor(&self) -> &UnixAcceptor {
        &self.acceptor
    }
}

/// Connects to `path` for a handing over.
pub(crate) fn meet(path: &Path, timeout: Option<Duration>) -> io::Result<UnixStream> {
    let socket = UnixConnector::default().connect_to(&Address::unix(path), timeout)?;
    Ok(UnixStream::from_socket(socket))
}

/// Hands `descriptors` over as `kind` at a socket that was just connected; tells who takes them.
pub(crate) fn hand_over(
    socket: &UnixStream,
    kind: u8,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<Credentials> {
    // The queue of a new socket is empty, so this does not wait.
    socket.send_with_descriptors(&[kind], descriptors)?;
    socket.peer_credentials()
}
