//! Takes pseudo-terminals that are handed over at a path.

use super::{PtyStream, addr};
use crate::channel::Channel;
use crate::error::context;
use crate::socket::unless_short;
use crate::unix::handover::Taker;
use crate::{Acceptor, Address, Stream, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd};
use std::io;
use std::time::Duration;

/// Makes the driving sides of pseudo-terminals passively.
#[derive(Debug)]
pub struct PtyAcceptor {
    taker: Taker,
    local: Address,
}

impl PtyAcceptor {
    /// Listens at the path of `address`, with a socket file as
    /// [`UnixAcceptor::bind`](crate::UnixAcceptor::bind) makes it. No option applies to a terminal.
    ///
    /// # Errors
    /// The message names the path; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(address: &Address, _options: &StreamOptions) -> io::Result<Self> {
        let taker = Taker::bind(addr::path(address)?, addr::KIND)
            .map_err(|error| context(format_args!("cannot listen at {address}"), error))?;
        Ok(Self { taker, local: address.clone() })
    }

    /// Waits for the next peer, as [`Acceptor::accept`] but typed.
    ///
    /// # Errors
    /// As [`Acceptor::accept`].
    pub fn accept(&self) -> io::Result<Option<PtyStream>> {
        while let Some(([driver], peer)) = self.taker.take()? {
            let names = (self.local.clone(), addr::unnamed());
            // A peer for which there are no descriptors left is hung up on.
            if let Some(channel) = unless_short(Channel::of_one(driver, names))? {
                return Ok(Some(PtyStream::new(channel.with_credentials(peer))));
            }
        }
        Ok(None)
    }

    /// The path at which the acceptor listens.
    pub fn local(&self) -> &Address {
        &self.local
    }

    /// Stops listening and removes the socket file, as [`Acceptor::close`].
    pub fn close(&self) {
        self.taker.close();
    }
}

impl Acceptor for PtyAcceptor {
    fn accept(&self) -> io::Result<Option<Box<dyn Stream>>> {
        Ok(self.accept()?.map(|stream| Box::new(stream) as Box<dyn Stream>))
    }

    fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.taker.set_timeout(timeout)
    }

    fn local(&self) -> &Address {
        self.local()
    }

    fn close(&self) {
        self.close();
    }
}

impl AsFd for PtyAcceptor {
    /// The socket at which terminals are handed over. Changing its state behind the acceptor's back
    /// is the caller's responsibility.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.taker.acceptor().as_fd()
    }
}
