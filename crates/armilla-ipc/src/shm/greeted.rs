//! Accepting sockets whose peers have said how the connection goes on. Peers that say nothing wait
//! in `greeting` and hold nobody up.

use super::greeting::SilentPeers;
use crate::accept::{AcceptTimeout, EXHAUSTION_PAUSE};
use crate::is_resource_exhausted;
use crate::unix::UnixAcceptor;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::time::Duration;
use std::{fmt, io};

/// A listening socket, and the peers that have not greeted.
pub(super) struct GreetedPeers {
    /// It does not wait for a peer; this type does.
    sockets: UnixAcceptor,
    timeout: AcceptTimeout,
    silent: SilentPeers,
    /// Called before each pause for exhausted resources.
    on_exhausted: OnceLock<Box<Tell>>,
}

type Tell = dyn Fn(&io::Error) + Send + Sync;

impl GreetedPeers {
    pub(super) fn new(sockets: UnixAcceptor) -> io::Result<Self> {
        crate::Acceptor::set_timeout(&sockets, Some(Duration::ZERO))?;
        let silent = SilentPeers::new(sockets.as_fd())?;
        let (timeout, on_exhausted) = Default::default();
        Ok(Self { sockets, timeout, silent, on_exhausted })
    }

    /// Has `tell` called before each pause.
    pub(super) fn on_resource_exhausted(&self, tell: Box<Tell>) {
        // A second one is dropped, as documented.
        let _ = self.on_exhausted.set(tell);
    }

    /// Tells of an error, if it is exhaustion.
    pub(super) fn tell_if_exhausted(&self, error: &io::Error) {
        if let Some(tell) = self.on_exhausted.get().filter(|_| is_resource_exhausted(error)) {
            tell(error);
        }
    }

    pub(super) fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.timeout.set_timeout(timeout)
    }

    /// Waits for the next peer that greets or disconnects, as
    /// [`Acceptor::accept`](crate::Acceptor::accept) does for a stream. What it says is still in its
    /// socket.
    pub(super) fn accept(&self) -> io::Result<Option<OwnedFd>> {
        let deadline = self.timeout.start();
        loop {
            let mut connects = false;
            match self.sockets.accept() {
                Ok(Some(socket)) => {
                    self.silent.add(socket.into());
                    connects = true;
                }
                Ok(None) => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if is_resource_exhausted(&error) => {
                    match self.silent.wait(Some(Duration::ZERO))? {
                        Some(socket) => return Ok(Some(socket)),
                        // A descriptor of somebody who says nothing is needed more by another.
                        None if self.silent.drop_first() => continue,
                        None if !deadline.may_wait() => return Err(error),
                        None => drop(deadline.remaining()?),
                    }
                    self.tell_if_exhausted(&error);
                    std::thread::sleep(EXHAUSTION_PAUSE);
                }
                Err(error) => return Err(error),
            }
            let limit = match deadline.may_wait() && !connects {
                true => deadline.remaining()?,
                false => Some(Duration::ZERO),
            };
            match self.silent.wait(limit)? {
                Some(socket) => return Ok(Some(socket)),
                None if deadline.may_wait() || connects => {}
                None => return Err(io::ErrorKind::WouldBlock.into()),
            }
        }
    }

    /// The listening socket.
    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.sockets.as_fd()
    }

    /// Stops listening.
    pub(super) fn close(&self) {
        self.sockets.close();
    }
}

impl fmt::Debug for GreetedPeers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GreetedPeers").field("sockets", &self.sockets).finish_non_exhaustive()
    }
}

impl AsFd for GreetedPeers {
    /// Readable when a peer connects, greets or disconnects.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.silent.as_fd()
    }
}
