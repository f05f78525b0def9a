//! What the datagram transports share: a socket that moves datagrams between names of one kind.

use super::batch::Record;
use super::{Batch, Received};
use crate::deadline::Timeout;
use crate::error::context;
use crate::socket::{RECV_LATE, SEND_LATE, again};
use crate::sys::{self, MAX_BATCH};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout as Direction};
use rustix::net::{self, RecvFlags, SendFlags, SocketAddrAny};
use std::fmt::Debug;
use std::io;
use std::marker::PhantomData;
use std::time::Duration;

/// What names a datagram socket, in this crate and in the operating system.
pub(crate) trait Name: Sized + Clone + Debug {
    /// In the operating system's form.
    fn to_os(&self) -> io::Result<SocketAddrAny>;

    /// From the operating system's form; `None` from there means a socket without a name.
    fn from_os(name: Option<SocketAddrAny>) -> io::Result<Self>;
}

/// A datagram socket.
#[derive(Debug)]
pub(crate) struct Endpoint<A> {
    fd: OwnedFd,
    recv_timeout: Timeout,
    send_timeout: Timeout,
    names: PhantomData<fn() -> A>,
}

impl<A: Name> Endpoint<A> {
    /// Takes over a datagram socket on which no timeout is set.
    pub(crate) fn new(fd: OwnedFd) -> Self {
        let (recv_timeout, send_timeout) = Default::default();
        Self { fd, recv_timeout, send_timeout, names: PhantomData }
    }

    pub(crate) fn connect(&self, peer: &A) -> io::Result<()> {
        peer.to_os()
            .and_then(|peer| Ok(net::connect(&self.fd, &peer)?))
            .map_err(|error| context(format_args!("cannot connect to {peer:?}"), error))
    }

    #[inline]
    pub(crate) fn send_to(&self, bytes: &[u8], to: &A) -> io::Result<()> {
        let to = to.to_os()?;
        self.sending(|| net::sendto(&self.fd, bytes, SendFlags::NOSIGNAL, &to)).map(drop)
    }

    #[inline]
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        self.sending(|| net::send(&self.fd, bytes, SendFlags::NOSIGNAL)).map(drop)
    }

    #[inline]
    pub(crate) fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(Received, A)> {
        let mut from = None;
        let room = buffer.len();
        let whole = self.receiving(|| {
            // With this flag the kernel tells the length of the datagram and not of the part.
            let (_, whole, sender) = net::recvfrom(&self.fd, &mut *buffer, RecvFlags::TRUNC)?;
            from = sender;
            Ok(whole)
        })?;
        Ok((Received { length: whole.min(room), whole }, A::from_os(from)?))
    }

    #[inline]
    pub(crate) fn recv(&self, buffer: &mut [u8]) -> io::Result<Received> {
        let room = buffer.len();
        let whole =
            self.receiving(|| Ok(net::recv(&self.fd, &mut *buffer, RecvFlags::TRUNC)?.1))?;
        Ok(Received { length: whole.min(room), whole })
    }

    pub(crate) fn send_batch_to(&self, datagrams: &[(&[u8], &A)]) -> io::Result<usize> {
        self.send_all(datagrams.len(), |range| {
            let part = &datagrams[range];
            // A name that no socket can have is refused before anything of this part is sent.
            part.iter().try_for_each(|(_, to)| to.to_os().map(drop))?;
            let list = part.iter().map(|(bytes, to)| (*bytes, to.to_os().ok()));
            self.sending(|| sys::send_batch(self.fd.as_fd(), list.clone()))
        })
    }

    pub(crate) fn send_batch(&self, datagrams: &[&[u8]]) -> io::Result<usize> {
        self.send_all(datagrams.len(), |range| {
            let list = datagrams[range].iter().map(|bytes| (*bytes, None));
            self.sending(|| sys::send_batch(self.fd.as_fd(), list.clone()))
        })
    }

    /// Sends `total` datagrams by calls of `send`, each of at most [`MAX_BATCH`].
    fn send_all(
        &self,
        total: usize,
        mut send: impl FnMut(std::ops::Range<usize>) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let mut sent = 0;
        while sent < total {
            match send(sent..total.min(sent + MAX_BATCH)) {
                Ok(count) => sent += count,
                Err(error) if sent == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(sent)
    }

    pub(crate) fn recv_batch(&self, batch: &mut Batch<A>) -> io::Result<usize> {
        let Batch { buffer, size, arrived } = batch;
        arrived.clear();
        let mut bad_name = None;
        self.receiving(|| {
            sys::recv_batch(self.fd.as_fd(), buffer, *size, |datagram| {
                let from = datagram.from.map(|name| A::from_os(Some(name))).transpose();
                let from = from.unwrap_or_else(|error| {
                    bad_name = Some(error);
                    None
                });
                let length = datagram.length.min(*size);
                arrived.push(Record { length, truncated: datagram.truncated, from });
            })
        })?;
        match bad_name {
            Some(error) => Err(error),
            None => Ok(arrived.len()),
        }
    }

    /// Makes `call`, which sends, again as long as it is interrupted.
    #[inline]
    fn sending<T>(&self, call: impl FnMut() -> Result<T, Errno>) -> io::Result<T> {
        repeat(call, SEND_LATE, &self.send_timeout)
    }

    /// Makes `call`, which receives, again as long as it is interrupted.
    #[inline]
    fn receiving<T>(&self, call: impl FnMut() -> Result<T, Errno>) -> io::Result<T> {
        repeat(call, RECV_LATE, &self.recv_timeout)
    }

    pub(crate) fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        let grant = |time| Ok(sockopt::set_socket_timeout(&self.fd, Direction::Recv, time)?);
        self.recv_timeout.set(timeout, grant)
    }

    pub(crate) fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        let grant = |time| Ok(sockopt::set_socket_timeout(&self.fd, Direction::Send, time)?);
        self.send_timeout.set(timeout, grant)
    }

    pub(crate) fn local(&self) -> io::Result<A> {
        A::from_os(Some(net::getsockname(&self.fd)?))
    }

    pub(crate) fn peer(&self) -> io::Result<A> {
        A::from_os(net::getpeername(&self.fd)?)
    }
}

impl<A> AsFd for Endpoint<A> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[inline]
fn repeat<T>(
    mut call: impl FnMut() -> Result<T, Errno>,
    what: &str,
    timeout: &Timeout,
) -> io::Result<T> {
    match call() {
        Ok(done) => Ok(done),
        Err(errno) => again(errno, what, timeout.get(), call),
    }
}

/// Implements a role for a type that wraps an [`Endpoint`] in its field `endpoint`, and access to
/// its descriptor.
macro_rules! roles {
    (@ common $socket:ty) => {
        impl AsFd for $socket {
            /// The socket, for what this type does not offer. Its blocking mode and its timeouts are
            /// relied on here: leave them alone.
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.endpoint.as_fd()
            }
        }

        crate::option::has_options!($socket: SendBuffer, RecvBuffer);
    };
    (@ waiting) => {
        fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
            self.endpoint.set_recv_timeout(timeout)
        }

        fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
            self.endpoint.set_send_timeout(timeout)
        }

        fn local(&self) -> io::Result<Self::Addr> {
            self.endpoint.local()
        }

        fn recv_batch(&self, batch: &mut Batch<Self::Addr>) -> io::Result<usize> {
            self.endpoint.recv_batch(batch)
        }
    };
    (Datagram for $socket:ty, $name:ty) => {
        impl Datagram for $socket {
            type Addr = $name;

            #[inline]
            fn send_to(&self, bytes: &[u8], to: &$name) -> io::Result<()> {
                self.endpoint.send_to(bytes, to)
            }

            #[inline]
            fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(Received, $name)> {
                self.endpoint.recv_from(buffer)
            }

            fn send_batch(&self, datagrams: &[(&[u8], &$name)]) -> io::Result<usize> {
                self.endpoint.send_batch_to(datagrams)
            }

            crate::datagram::roles!(@ waiting);
        }

        crate::datagram::roles!(@ common $socket);
    };
    (ConnectedDatagram for $socket:ty, $name:ty) => {
        impl ConnectedDatagram for $socket {
            type Addr = $name;

            #[inline]
            fn send(&self, bytes: &[u8]) -> io::Result<()> {
                self.endpoint.send(bytes)
            }

            #[inline]
            fn recv(&self, buffer: &mut [u8]) -> io::Result<Received> {
                self.endpoint.recv(buffer)
            }

            fn send_batch(&self, datagrams: &[&[u8]]) -> io::Result<usize> {
                self.endpoint.send_batch(datagrams)
            }

            fn peer(&self) -> io::Result<$name> {
                self.endpoint.peer()
            }

            crate::datagram::roles!(@ waiting);
        }

        crate::datagram::roles!(@ common $socket);
    };
}
pub(crate) use roles;
