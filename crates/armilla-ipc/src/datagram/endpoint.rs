//! The datagram socket on which all datagram transports are built. It is generic over the address
//! type; the transports add how a socket is made and bound.

use super::batch::Record;
use super::{Batch, Received};
use crate::deadline::Timeout;
use crate::error::context;
use crate::socket::{RECV_TIMED_OUT, SEND_TIMED_OUT, retry_interrupted, retry_on_interrupt};
use crate::sys::{self, MAX_BATCH};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout as Direction};
use rustix::net::{
    self, RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags, SocketAddrAny,
};
use std::fmt::Debug;
use std::io::{self, IoSlice, IoSliceMut};
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

    /// As `send_to`, without waiting: `WouldBlock` instead.
    pub(crate) fn try_send_to(&self, bytes: &[u8], to: &A) -> io::Result<()> {
        let to = to.to_os()?;
        retry_on_interrupt(|| net::sendto(&self.fd, bytes, AT_ONCE, &to)).map(drop)
    }

    /// As `send`, without waiting: `WouldBlock` instead.
    pub(crate) fn try_send(&self, bytes: &[u8]) -> io::Result<()> {
        retry_on_interrupt(|| net::send(&self.fd, bytes, AT_ONCE)).map(drop)
    }

    pub(crate) fn send_vectored_to(&self, parts: &[IoSlice<'_>], to: &A) -> io::Result<()> {
        let (to, flags) = (to.to_os()?, SendFlags::NOSIGNAL);
        let mut none = SendAncillaryBuffer::default();
        self.sending(|| net::sendmsg_addr(&self.fd, &to, parts, &mut none, flags)).map(drop)
    }

    pub(crate) fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let (mut none, flags) = (SendAncillaryBuffer::default(), SendFlags::NOSIGNAL);
        self.sending(|| net::sendmsg(&self.fd, parts, &mut none, flags)).map(drop)
    }

    #[inline]
    pub(crate) fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(Received, A)> {
        let room = buffer.len();
        let (whole, from) = self.receiving(|| self.take_from(buffer, RecvFlags::empty()))?;
        Ok((Received::new(whole, room), A::from_os(from)?))
    }

    /// As `recv_from`, without waiting: `WouldBlock` instead.
    pub(crate) fn try_recv_from(&self, buffer: &mut [u8]) -> io::Result<(Received, A)> {
        let room = buffer.len();
        let (whole, from) = retry_on_interrupt(|| self.take_from(buffer, RecvFlags::DONTWAIT))?;
        Ok((Received::new(whole, room), A::from_os(from)?))
    }

    /// One `recvfrom`: the length of the datagram, and not of the part that fits, and its sender.
    #[inline]
    fn take_from(
        &self,
        buffer: &mut [u8],
        flags: RecvFlags,
    ) -> Result<(usize, Option<SocketAddrAny>), Errno> {
        let (_, whole, from) = net::recvfrom(&self.fd, buffer, RecvFlags::TRUNC | flags)?;
        Ok((whole, from))
    }

    #[inline]
    pub(crate) fn recv(&self, buffer: &mut [u8]) -> io::Result<Received> {
        let room = buffer.len();
        let whole =
            self.receiving(|| Ok(net::recv(&self.fd, &mut *buffer, RecvFlags::TRUNC)?.1))?;
        Ok(Received::new(whole, room))
    }

    /// As `recv`, without waiting: `WouldBlock` instead.
    pub(crate) fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Received> {
        let (room, flags) = (buffer.len(), RecvFlags::TRUNC | RecvFlags::DONTWAIT);
        let whole = retry_on_interrupt(|| Ok(net::recv(&self.fd, &mut *buffer, flags)?.1))?;
        Ok(Received::new(whole, room))
    }

    pub(crate) fn recv_vectored(
        &self,
        parts: &mut [IoSliceMut<'_>],
    ) -> io::Result<(Received, Option<SocketAddrAny>)> {
        let room = parts.iter().map(|part| part.len()).sum();
        let mut none = RecvAncillaryBuffer::default();
        let message =
            self.receiving(|| net::recvmsg(&self.fd, parts, &mut none, RecvFlags::TRUNC))?;
        Ok((Received::new(message.bytes, room), message.address))
    }

    pub(crate) fn recv_vectored_from(
        &self,
        parts: &mut [IoSliceMut<'_>],
    ) -> io::Result<(Received, A)> {
        let (received, from) = self.recv_vectored(parts)?;
        Ok((received, A::from_os(from)?))
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
    pub(crate) fn sending<T>(&self, call: impl FnMut() -> Result<T, Errno>) -> io::Result<T> {
        repeat(call, SEND_TIMED_OUT, &self.send_timeout)
    }

    /// Makes `call`, which receives, again as long as it is interrupted.
    #[inline]
    pub(crate) fn receiving<T>(&self, call: impl FnMut() -> Result<T, Errno>) -> io::Result<T> {
        repeat(call, RECV_TIMED_OUT, &self.recv_timeout)
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

/// How a datagram leaves at once or not at all.
const AT_ONCE: SendFlags = SendFlags::NOSIGNAL.union(SendFlags::DONTWAIT);

#[inline]
fn repeat<T>(
    mut call: impl FnMut() -> Result<T, Errno>,
    what: &str,
    timeout: &Timeout,
) -> io::Result<T> {
    match call() {
        Ok(done) => Ok(done),
        Err(errno) => retry_interrupted(errno, what, timeout.get(), call),
    }
}

/// Implements a role for a type that wraps an [`Endpoint`] in its field `endpoint`, and access to
/// its descriptor.
macro_rules! roles {
    (@ common $socket:ty) => {
        impl AsFd for $socket {
            /// The socket, for what this type does not offer. Its blocking mode and its timeouts
            /// are relied on here: leave them alone.
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.endpoint.as_fd()
            }
        }
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

            fn send_vectored_to(&self, parts: &[IoSlice<'_>], to: &$name) -> io::Result<()> {
                self.endpoint.send_vectored_to(parts, to)
            }

            fn recv_vectored_from(
                &self,
                parts: &mut [IoSliceMut<'_>],
            ) -> io::Result<(Received, $name)> {
                self.endpoint.recv_vectored_from(parts)
            }

            fn try_send_to(&self, bytes: &[u8], to: &$name) -> io::Result<()> {
                self.endpoint.try_send_to(bytes, to)
            }

            fn try_recv_from(&self, buffer: &mut [u8]) -> io::Result<(Received, $name)> {
                self.endpoint.try_recv_from(buffer)
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

            fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<()> {
                self.endpoint.send_vectored(parts)
            }

            fn recv_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<Received> {
                self.endpoint.recv_vectored(parts).map(|(received, _)| received)
            }

            fn try_send(&self, bytes: &[u8]) -> io::Result<()> {
                self.endpoint.try_send(bytes)
            }

            fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Received> {
                self.endpoint.try_recv(buffer)
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
