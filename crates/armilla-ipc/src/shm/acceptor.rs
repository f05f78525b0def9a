//! The passive side of the shared-memory transport. A peer is accepted once it has greeted, see
//! `greeted`.

use super::greeted::GreetedPeers;
use super::{ShmStream, addr};
use crate::accept::delegate_acceptor;
use crate::unix::UnixAcceptor;
use crate::{Address, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::time::Duration;

/// Makes shared-memory streams passively.
#[derive(Debug)]
pub struct ShmAcceptor {
    greeted: GreetedPeers,
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
        let (greeted, local) = (GreetedPeers::new(sockets)?, address.clone());
        Ok(Self { greeted, local, spin: options.busy_poll })
    }

    /// Waits for the next peer that shares its memory, as
    /// [`Acceptor::accept`](crate::Acceptor::accept) but typed. A peer that connects and says
    /// nothing keeps nobody waiting: it is disconnected after 5 s, or when 256 others have done the
    /// same. What a peer says wrongly is the error of the first use of its stream.
    ///
    /// # Errors
    /// As [`Acceptor::accept`](crate::Acceptor::accept).
    pub fn accept(&self) -> io::Result<Option<ShmStream>> {
        Ok(self.greeted.accept()?.map(|socket| self.stream(socket)))
    }

    /// The stream of a peer that has greeted.
    fn stream(&self, socket: OwnedFd) -> ShmStream {
        let names = [self.local.clone(), addr::unnamed()];
        ShmStream::new(socket, None, self.spin, names)
    }

    /// The listening socket, for what this type does not offer. Changing its state behind the
    /// acceptor's back is the caller's responsibility.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.greeted.socket()
    }

    /// The address at which the acceptor listens.
    pub fn local(&self) -> &Address {
        &self.local
    }

    /// Stops listening and removes the socket file, as [`Acceptor::close`](crate::Acceptor::close).
    pub fn close(&self) {
        self.greeted.close();
    }
}

delegate_acceptor!(ShmAcceptor, greeted, on_resource_exhausted);

impl AsFd for ShmAcceptor {
    /// A descriptor that is readable when [`accept`](Self::accept) may have a peer, for a reactor.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.greeted.as_fd()
    }
}
