//! The passive side of the pseudo-terminal transport: receives the descriptor of the master side.

use super::{PtyStream, addr};
use crate::accept::delegate_acceptor;
use crate::channel::Channel;
use crate::unix::descriptor_handshake::DescriptorAcceptor;
use crate::{Address, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd};
use std::io;

/// Makes the driving sides of pseudo-terminals passively.
#[derive(Debug)]
pub struct PtyAcceptor {
    acceptor: DescriptorAcceptor,
}

impl PtyAcceptor {
    /// Listens at the path of `address`, with a socket file as
    /// [`UnixAcceptor::bind`](crate::UnixAcceptor::bind) makes it. No option applies to a terminal.
    ///
    /// # Errors
    /// The message names the path; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(address: &Address, _options: &StreamOptions) -> io::Result<Self> {
        let acceptor = DescriptorAcceptor::bind(address, addr::path(address)?, addr::KIND)?;
        Ok(Self { acceptor })
    }

    /// Waits for the next peer, as [`Acceptor::accept`](crate::Acceptor::accept) but typed.
    ///
    /// # Errors
    /// As [`Acceptor::accept`](crate::Acceptor::accept).
    pub fn accept(&self) -> io::Result<Option<PtyStream>> {
        let Some(([driver], peer)) = self.acceptor.accept()? else { return Ok(None) };
        let names = (self.local().clone(), addr::unnamed());
        let channel = Channel::of_one(driver, names)?;
        Ok(Some(PtyStream::new(channel.with_credentials(peer))))
    }

    /// The path at which the acceptor listens.
    pub fn local(&self) -> &Address {
        self.acceptor.local()
    }

    /// The listening socket through which descriptors arrive. Changing its state behind the
    /// acceptor's back is the caller's responsibility.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.acceptor.socket()
    }

    /// Stops listening and removes the socket file, as [`Acceptor::close`](crate::Acceptor::close).
    pub fn close(&self) {
        self.acceptor.close();
    }
}

delegate_acceptor!(PtyAcceptor, acceptor);

impl AsFd for PtyAcceptor {
    /// What a [reactor](crate::reactor) watches: readable when a peer may be there to be accepted.
    /// Not to be changed.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.acceptor.as_fd()
    }
}
