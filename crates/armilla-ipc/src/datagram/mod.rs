//! The roles that move datagrams. A datagram arrives whole or not at all, and in any order.
//!
//! A socket exchanges datagrams with any peer ([`Datagram`]) or with one ([`ConnectedDatagram`]).
//! Its type says which, so that a send without a destination does not compile.

mod batch;
mod endpoint;

pub use batch::{Arrival, Batch};
pub(crate) use endpoint::{Endpoint, Name, roles};

use std::fmt::Debug;
use std::io::{self, IoSlice, IoSliceMut};
use std::time::Duration;

/// A datagram that was received into a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// How many bytes of it stand in the buffer.
    pub length: usize,
    /// How many bytes it had. What did not fit into the buffer is lost.
    pub whole: usize,
}

impl Received {
    /// A datagram of `whole` bytes in a buffer with `room` for so many.
    pub(crate) fn new(whole: usize, room: usize) -> Self {
        Self { length: whole.min(room), whole }
    }

    /// Whether a part did not fit into the buffer.
    pub const fn is_truncated(self) -> bool {
        self.length < self.whole
    }
}

/// A socket that sends datagrams to any peer and receives them from any.
///
/// Methods take `&self`: threads may share a socket, and each datagram goes to one of them.
pub trait Datagram: Send + Sync + Debug {
    /// The address of a socket.
    type Addr: Clone + Debug + PartialEq + Send + Sync;

    /// Sends `bytes` as one datagram to `to`.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] after the time set by [`set_send_timeout`]; whatever the
    /// operating system reports, such as a datagram too long for the transport.
    ///
    /// [`set_send_timeout`]: Self::set_send_timeout
    fn send_to(&self, bytes: &[u8], to: &Self::Addr) -> io::Result<()>;

    /// Receives one datagram into `buffer`; returns whether it fitted, and its sender.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] after the time set by [`set_recv_timeout`]; whatever the
    /// operating system reports.
    ///
    /// [`set_recv_timeout`]: Self::set_recv_timeout
    fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(Received, Self::Addr)>;

    /// Sends the bytes of all `parts` in order as one datagram to `to`.
    ///
    /// # Errors
    /// As [`send_to`](Self::send_to); the kernel takes 1,024 parts at most.
    fn send_vectored_to(&self, parts: &[IoSlice<'_>], to: &Self::Addr) -> io::Result<()>;

    /// Receives one datagram into `parts`, one behind the other, as [`recv_from`](Self::recv_from).
    ///
    /// # Errors
    /// As [`recv_from`](Self::recv_from).
    fn recv_vectored_from(
        &self,
        parts: &mut [IoSliceMut<'_>],
    ) -> io::Result<(Received, Self::Addr)>;

    /// Sends `bytes` as one datagram to `to` if that can be done without waiting.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if not, nothing is sent then; otherwise as
    /// [`send_to`](Self::send_to).
    fn try_send_to(&self, bytes: &[u8], to: &Self::Addr) -> io::Result<()>;

    /// Receives one datagram that is there already, as [`recv_from`](Self::recv_from).
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if there is none; otherwise as `recv_from`.
    fn try_recv_from(&self, buffer: &mut [u8]) -> io::Result<(Received, Self::Addr)>;

    /// Sends `datagrams`, each to its own destination, with one system call for up to 64
    /// (`sendmmsg`).
    ///
    /// Returns how many were sent. The count is short if one of them failed after others were sent:
    /// sending the rest brings its error to light.
    ///
    /// # Errors
    /// As [`send_to`](Self::send_to), if none was sent.
    fn send_batch(&self, datagrams: &[(&[u8], &Self::Addr)]) -> io::Result<usize>;

    /// Waits for one datagram and receives with it those that are there already, with one system
    /// call (`recvmmsg`). Returns how many `batch` now holds; what it held before is gone.
    ///
    /// # Errors
    /// As [`recv_from`](Self::recv_from).
    fn recv_batch(&self, batch: &mut Batch<Self::Addr>) -> io::Result<usize>;

    /// Limits the time that a reception waits, as
    /// [`Stream::set_recv_timeout`](crate::Stream::set_recv_timeout).
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// Limits the time that a send waits, as
    /// [`Stream::set_send_timeout`](crate::Stream::set_send_timeout).
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// The own address.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    fn local(&self) -> io::Result<Self::Addr>;
}

/// A socket that exchanges datagrams with one peer, and does not see those of others.
pub trait ConnectedDatagram: Send + Sync + Debug {
    /// The address of a socket.
    type Addr: Clone + Debug + PartialEq + Send + Sync;

    /// Sends `bytes` as one datagram to the peer.
    ///
    /// # Errors
    /// As [`Datagram::send_to`]; [`io::ErrorKind::ConnectionRefused`] if the peer is known to be
    /// gone, for UDP from the answer to an earlier datagram.
    fn send(&self, bytes: &[u8]) -> io::Result<()>;

    /// Receives one datagram of the peer into `buffer`.
    ///
    /// # Errors
    /// As [`Datagram::recv_from`] and [`send`](Self::send).
    fn recv(&self, buffer: &mut [u8]) -> io::Result<Received>;

    /// Sends the bytes of all `parts` in order as one datagram to the peer.
    ///
    /// # Errors
    /// As [`send`](Self::send) and [`Datagram::send_vectored_to`].
    fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<()>;

    /// Receives one datagram of the peer into `parts`, one behind the other.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    fn recv_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<Received>;

    /// Sends `bytes` if that can be done without waiting, as [`Datagram::try_send_to`].
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if not; otherwise as [`send`](Self::send).
    fn try_send(&self, bytes: &[u8]) -> io::Result<()>;

    /// Receives one datagram that is there already, as [`Datagram::try_recv_from`].
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if there is none; otherwise as [`recv`](Self::recv).
    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<Received>;

    /// Sends `datagrams` to the peer, as [`Datagram::send_batch`].
    ///
    /// # Errors
    /// As [`send`](Self::send), if none was sent.
    fn send_batch(&self, datagrams: &[&[u8]]) -> io::Result<usize>;

    /// Receives several datagrams of the peer, as [`Datagram::recv_batch`].
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    fn recv_batch(&self, batch: &mut Batch<Self::Addr>) -> io::Result<usize>;

    /// As [`Datagram::set_recv_timeout`].
    ///
    /// # Errors
    /// As [`Datagram::set_recv_timeout`].
    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// As [`Datagram::set_send_timeout`].
    ///
    /// # Errors
    /// As [`Datagram::set_recv_timeout`].
    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;

    /// The own address.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    fn local(&self) -> io::Result<Self::Addr>;

    /// The address of the peer.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    fn peer(&self) -> io::Result<Self::Addr>;
}

/// A family of datagram types, for code that is generic over the mechanism.
///
/// ```
/// use armilla_ipc::datagram::{ConnectedDatagram, DatagramTransport};
/// use armilla_ipc::udp::Udp;
/// use std::io;
///
/// /// Sends one datagram.
/// fn send<T: DatagramTransport>(from: &T::Addr, to: &T::Addr, bytes: &[u8]) -> io::Result<()> {
///     T::connect(T::bind(from)?, to)?.send(bytes)
/// }
/// send::<Udp>(&"127.0.0.1:0".parse().unwrap(), &"127.0.0.1:9".parse().unwrap(), b"discard")?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait DatagramTransport {
    /// The address of a socket.
    type Addr: Clone + Debug + PartialEq + Send + Sync;
    /// The socket without a fixed peer.
    type Socket: Datagram<Addr = Self::Addr>;
    /// The socket with one peer.
    type Connected: ConnectedDatagram<Addr = Self::Addr>;

    /// A socket with the address `local`.
    ///
    /// # Errors
    /// The message names the address; [`io::ErrorKind::AddrInUse`] if it is taken.
    fn bind(local: &Self::Addr) -> io::Result<Self::Socket>;

    /// Binds `socket` to one peer: from now on it sends to no other and receives from no other.
    ///
    /// # Errors
    /// The message names the peer; for Unix-domain sockets it must be there.
    fn connect(socket: Self::Socket, peer: &Self::Addr) -> io::Result<Self::Connected>;
}
