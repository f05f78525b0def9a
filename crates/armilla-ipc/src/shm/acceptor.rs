//! The passive side of the shared-memory transport. A peer is accepted once it has greeted; those
//! that say nothing wait in `greeting` meanwhile.

use super::greeting::SilentPeers;
use super::{ShmStream, addr};
use crate::accept::{AcceptTimeout, EXHAUSTION_PAUSE, delegate_acceptor};
use crate::is_resource_exhausted;
use crate::unix::UnixAcceptor;
use crate::{Acceptor, Address, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::time::Duration;

/// Makes shared-memory streams passively.
#[derive(Debug)]
pub struct ShmAcceptor {
    /// It does not wait for a peer; this type does.
    sockets: UnixAcceptor,
    timeout: AcceptTimeout,
    silent: SilentPeers,
    local: Address,
    spin: Option<Duration>,
}

impl ShmAcceptor {
    /// Listens at the path of `address`, where it makes a socket file; what [`UnixAcceptor::bind`]
    /// says of that file holds here too. Of the `options` only
    /// [`file_access`](StreamOptions::file_access) and [`busy_poll`](StreamOptions::busy_poll) mean
    /// something here, the latter as for [`ShmConnector::new`](super::ShmConnector::new): the sizes
    /// of the rings are the connecting side's choice.
    ///
    /// # Errors
    /// The message names the address; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(address: &Address, options: &StreamOptions) -> io::Result<Self> {
        let socket_address = addr::socket(address)?;
        let socket_options =
            StreamOptions { file_access: options.file_access, ..StreamOptions::default() };
        let sockets =
            addr::in_terms_of(address, UnixAcceptor::bind(&socket_address, &socket_options))?;
        sockets.set_timeout(Some(Duration::ZERO))?;
        let silent = SilentPeers::new(sockets.as_fd())?;
        let (timeout, local) = (AcceptTimeout::default(), address.clone());
        Ok(Self { sockets, timeout, silent, local, spin: options.busy_poll })
    }

    /// Waits for the next peer that shares its memory, as
    /// [`Acceptor::accept`](crate::Acceptor::accept) but typed. A peer that connects and says
    /// nothing keeps nobody waiting: it is disconnected after 5 s, or when 256 others have done the
    /// same. What a peer says wrongly is the error of the first use of its stream.
    ///
    /// # Errors
    /// As [`Acceptor::accept`](crate::Acceptor::accept).
    pub fn accept(&self) -> io::Result<Option<ShmStream>> {
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
                        Some(socket) => return Ok(Some(self.stream(socket))),
                        // A descriptor of somebody who says nothing is needed more by another.
                        None if self.silent.drop_first() => continue,
                        None if !deadline.may_wait() => return Err(error),
                        None => drop(deadline.remaining()?),
                    }
                    std::thread::sleep(EXHAUSTION_PAUSE);
                }
                Err(error) => return Err(error),
            }
            let limit = match deadline.may_wait() && !connects {
                true => deadline.remaining()?,
                false => Some(Duration::ZERO),
            };
            match self.silent.wait(limit)? {
                Some(socket) => return Ok(Some(self.stream(socket))),
                None if deadline.may_wait() || connects => {}
                None => return Err(io::ErrorKind::WouldBlock.into()),
            }
        }
    }

    /// The stream of a peer that has greeted.
    fn stream(&self, socket: OwnedFd) -> ShmStream {
        let names = [self.local.clone(), addr::unnamed()];
        ShmStream::new(socket, None, self.spin, names)
    }

    /// The listening socket, for what this type does not offer. Changing its state behind the
    /// acceptor's back is the caller's responsibility.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.sockets.as_fd()
    }

    /// The address at which the acceptor listens.
    pub fn local(&self) -> &Address {
        &self.local
    }

    /// Stops listening and removes the socket file, as [`Acceptor::close`](crate::Acceptor::close).
    pub fn close(&self) {
        self.sockets.close();
    }
}

delegate_acceptor!(ShmAcceptor, timeout);

impl AsFd for ShmAcceptor {
    /// A descriptor that is readable when [`accept`](Self::accept) may have a peer, for a reactor.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.silent.as_fd()
    }
}
