//! The passive side of the Unix-domain transport. The file at its path is managed by `file`.

use super::file::SocketFile;
use super::{UnixStream, addr};
use crate::accept::delegate_acceptor;
use crate::error::context;
use crate::socket::{Listener, Socket};
use crate::{Address, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::{self, SocketFlags};
use std::io;

/// Makes Unix-domain streams passively.
#[derive(Debug)]
pub struct UnixAcceptor {
    listener: Listener,
    local: Address,
    /// None for an abstract name.
    file: Option<SocketFile>,
    options: StreamOptions,
}

impl UnixAcceptor {
    /// Listens at the path of `address`, where it makes a socket file, or at its abstract name.
    ///
    /// A socket file that a dead process left behind is replaced. One at which a process listens,
    /// and any other kind of file, is left alone. The file is removed when the acceptor is closed
    /// or dropped, unless another has taken its place by then.
    ///
    /// # Errors
    /// The message names the address; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(address: &Address, options: &StreamOptions) -> io::Result<Self> {
        Self::bind_to(address, options)
            .map_err(|error| context(format_args!("cannot listen at {address}"), error))
    }

    pub(super) fn bind_to(address: &Address, options: &StreamOptions) -> io::Result<Self> {
        let target = addr::to_os(address)?;
        let fd = addr::socket(SocketFlags::empty())?;
        options.apply(fd.as_fd())?;
        let file = match address {
            Address::Unix(path) => {
                options.file_access.prepare(fd.as_fd())?;
                let file = SocketFile::bind(fd.as_fd(), &target, path)?;
                options.file_access.apply(path)?;
                Some(file)
            }
            _ => net::bind(&fd, &target).map(|()| None)?,
        };
        let listener = Listener::new(fd)?;
        Ok(Self { listener, local: address.clone(), file, options: options.clone() })
    }

    /// Waits for the next peer, as [`Acceptor::accept`](crate::Acceptor::accept) but typed.
    ///
    /// # Errors
    /// As [`Acceptor::accept`](crate::Acceptor::accept).
    pub fn accept(&self) -> io::Result<Option<UnixStream>> {
        let Some((fd, peer)) = self.listener.accept()? else { return Ok(None) };
        // Unlike a TCP socket, a Unix-domain one does not hand its options on.
        self.options.apply(fd.as_fd())?;
        let socket = Socket::new(fd, self.local.clone(), addr::from_os(peer));
        Ok(Some(UnixStream::from_socket(socket)))
    }

    /// Where the acceptor listens.
    pub fn local(&self) -> &Address {
        &self.local
    }

    /// Stops listening and removes the socket file, as [`Acceptor::close`](crate::Acceptor::close).
    pub fn close(&self) {
        if self.listener.close() {
            self.file.iter().for_each(SocketFile::remove);
        }
    }
}

delegate_acceptor!(UnixAcceptor, listener, on_resource_exhausted);

impl AsFd for UnixAcceptor {
    /// The listening socket, for what this type does not offer. Changing its state behind the
    /// acceptor's back is the caller's responsibility.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}
