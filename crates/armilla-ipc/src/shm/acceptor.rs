//! The passive side of the shared-memory transport. It does not wait for a peer's memory: the first
//! use of the accepted stream does.

use super::{ShmStream, addr};
use crate::accept::delegate_acceptor;
use crate::unix::UnixAcceptor;
use crate::{Address, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd};
use std::io;
use std::time::Duration;

/// Makes shared-memory streams passively.
#[derive(Debug)]
pub struct ShmAcceptor {
    sockets: UnixAcceptor,
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
        Ok(Self { sockets, local: address.clone(), spin: options.busy_poll })
    }

    /// Waits for the next peer, as [`Acceptor::accept`](crate::Acceptor::accept) but typed. Takes
    /// no longer for a peer that does not share its memory; the first use of that stream does.
    ///
    /// # Errors
    /// As [`Acceptor::accept`](crate::Acceptor::accept).
    pub fn accept(&self) -> io::Result<Option<ShmStream>> {
        let Some(socket) = self.sockets.accept()? else { return Ok(None) };
        let names = [self.local.clone(), addr::unnamed()];
        Ok(Some(ShmStream::new(socket.into(), None, self.spin, names)))
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

delegate_acceptor!(ShmAcceptor, sockets);

impl AsFd for ShmAcceptor {
    /// The listening socket, for what this type does not offer. Changing its state behind the
    /// acceptor's back is the caller's responsibility.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.sockets.as_fd()
    }
}
