//! The passive side of the TCP transport.

use super::TcpStream;
use super::addr::{self, AddressErrors};
use crate::accept::delegate_acceptor;
use crate::option::{Priority, SocketOption};
use crate::socket::{Listener, Socket};
use crate::{Address, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::{self, SocketFlags, sockopt};
use std::io;
use std::net::SocketAddr;
use std::time::Instant;

/// Makes TCP streams passively.
#[derive(Debug)]
pub struct TcpAcceptor {
    listener: Listener,
    local: Address,
    /// The one option that an accepted socket does not have from the listening one.
    priority: Option<Priority>,
}

impl TcpAcceptor {
    /// Listens at the first usable one of the socket addresses that `address` stands for.
    ///
    /// The host `::` listens on every interface for IPv6 and IPv4, `0.0.0.0` for IPv4 alone. Port 0
    /// takes a free port, see [`local`](crate::Acceptor::local). Options are checked here and hold
    /// for every accepted stream.
    ///
    /// # Errors
    /// The message names every socket address tried and why it failed, for example
    /// [`io::ErrorKind::AddrInUse`].
    pub fn bind(address: &Address, options: &StreamOptions) -> io::Result<Self> {
        let (host, port) = addr::parts(address)?;
        let mut errors = AddressErrors::new("cannot listen at", address);
        let targets = match addr::resolve(host, port) {
            Ok(targets) => targets,
            Err(error) => return Err(errors.unresolved(&error)),
        };
        for target in targets {
            let start = Instant::now();
            match Self::bind_to(target, options) {
                Ok(acceptor) => return Ok(acceptor),
                Err(error) => errors.failed(target, start, &error),
            }
        }
        Err(errors.error())
    }

    fn bind_to(target: SocketAddr, options: &StreamOptions) -> io::Result<Self> {
        let fd = addr::socket(target, options, SocketFlags::empty())?;
        // A restarted server takes its port again while old connections linger in TIME_WAIT.
        sockopt::set_socket_reuseaddr(&fd, true)?;
        if target.is_ipv6() && target.ip().is_unspecified() {
            // Whatever the system's default is.
            sockopt::set_ipv6_v6only(&fd, false)?;
        }
        options.apply_connected(fd.as_fd())?;
        net::bind(&fd, &target)?;
        let listener = Listener::new(fd)?;
        let local = addr::from_os(net::getsockname(&listener)?)?;
        Ok(Self { listener, local, priority: options.priority.map(Priority) })
    }

    /// Waits for the next peer, as [`Acceptor::accept`](crate::Acceptor::accept) but typed.
    ///
    /// # Errors
    /// As [`Acceptor::accept`](crate::Acceptor::accept).
    pub fn accept(&self) -> io::Result<Option<TcpStream>> {
        while let Some((fd, peer)) = self.listener.accept()? {
            // A peer without an address has gone already.
            let Some(peer) = peer else { continue };
            if let Some(priority) = &self.priority {
                priority.set_on(fd.as_fd())?;
            }
            let local = addr::from_os(net::getsockname(&fd)?)?;
            let socket = Socket::new(fd, local, addr::from_os(peer)?);
            return Ok(Some(TcpStream::from_socket(socket)));
        }
        Ok(None)
    }

    /// Where the acceptor listens, with the real port if `bind` got port 0.
    pub fn local(&self) -> &Address {
        &self.local
    }

    /// Stops listening, as [`Acceptor::close`](crate::Acceptor::close).
    pub fn close(&self) {
        self.listener.close();
    }
}

delegate_acceptor!(TcpAcceptor, listener, on_resource_exhausted);

impl AsFd for TcpAcceptor {
    /// The listening socket, for what this type does not offer. Changing its state behind the
    /// acceptor's back is the caller's responsibility.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}
