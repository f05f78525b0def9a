//! The passive side of the pipe transport: receives the descriptors of two pipes.

use super::{PipeStream, addr};
use crate::accept::delegate_acceptor;
use crate::channel::{Channel, set_pipe_size};
use crate::unix::descriptor_handshake::DescriptorAcceptor;
use crate::{Address, Credentials, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;

/// Makes pipe streams passively.
#[derive(Debug)]
pub struct PipeAcceptor {
    acceptor: DescriptorAcceptor,
    options: StreamOptions,
}

impl PipeAcceptor {
    /// Listens at the path of `address`, with a socket file as
    /// [`UnixAcceptor::bind`](crate::UnixAcceptor::bind) makes it.
    ///
    /// # Errors
    /// The message names the path; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(address: &Address, options: &StreamOptions) -> io::Result<Self> {
        let acceptor = DescriptorAcceptor::bind(address, addr::path(address)?, addr::KIND)?;
        Ok(Self { acceptor, options: options.clone() })
    }

    /// Waits for the next peer, as [`Acceptor::accept`](crate::Acceptor::accept) but typed.
    ///
    /// # Errors
    /// As [`Acceptor::accept`](crate::Acceptor::accept).
    pub fn accept(&self) -> io::Result<Option<PipeStream>> {
        self.acceptor.accept()?.map(|(ends, peer)| self.make(ends, peer)).transpose()
    }

    fn make(&self, [input, output]: [OwnedFd; 2], peer: Credentials) -> io::Result<PipeStream> {
        set_pipe_size(output.as_fd(), &self.options)?;
        let names = (self.local().clone(), addr::unnamed());
        let channel = Channel::of_two((input, output), names)?;
        Ok(PipeStream::new(channel.with_credentials(peer)))
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

delegate_acceptor!(PipeAcceptor, acceptor);

impl AsFd for PipeAcceptor {
    /// What a [reactor](crate::reactor) watches: readable when a peer may be there to be accepted.
    /// Not to be changed.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.acceptor.as_fd()
    }
}
