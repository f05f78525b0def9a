//! The roles that make streams, [`Acceptor`] and [`Connector`], and [`Transport`], which names all
//! roles of one mechanism as types.

use crate::{Address, PendingConnect, Stream, StreamOptions, WaitCondition};
use std::fmt::Debug;
use std::io;
use std::time::Duration;

/// Establishes streams passively: listens at an address and accepts the peers that connect.
pub trait Acceptor: Send + Sync + Debug {
    /// Waits for the next peer; `None` once the acceptor is closed.
    ///
    /// Skips peers that gave up while they waited. While descriptors or memory are exhausted, it
    /// tries again after short pauses.
    ///
    /// # Errors
    /// An error from which the acceptor will not recover; [`io::ErrorKind::TimedOut`] or
    /// [`io::ErrorKind::WouldBlock`] after the time set by [`set_timeout`](Self::set_timeout).
    fn accept(&self) -> io::Result<Option<Box<dyn Stream>>>;

    /// Limits the time that [`accept`](Self::accept) waits; `None`, the default, waits for ever.
    /// [`Duration::ZERO`] does not wait at all: no peer is then [`io::ErrorKind::WouldBlock`], and
    /// a shortage of descriptors or memory an error like any other, after which accepting may go
    /// on.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if the acceptor is of another crate and always waits.
    fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        let _ = timeout;
        Err(io::Error::new(io::ErrorKind::Unsupported, "this acceptor has no timeout"))
    }

    /// Calls `tell` in the accepting thread before each pause for exhausted descriptors or memory:
    /// it can log the fact, or free resources. Only the first call of this method counts; only the
    /// acceptors of TCP and Unix-domain sockets call it.
    fn on_resource_exhausted(&self, tell: Box<dyn Fn(&io::Error) + Send + Sync>) {
        drop(tell);
    }

    /// Where the acceptor listens, with the real port if it was bound to port 0.
    fn local(&self) -> &Address;

    /// Stops listening: every `accept`, blocked or to come, returns `None`. Idempotent.
    fn close(&self);
}

/// Establishes streams actively.
pub trait Connector: Send + Sync + Debug {
    /// Connects to `address` within `timeout` in total, name resolution included; `None` leaves the
    /// limit to the operating system.
    ///
    /// # Errors
    /// The message names `address`, everything that was tried for it, and why each failed;
    /// [`io::ErrorKind::InvalidInput`] if the transport does not serve this kind of address.
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>>;
}

/// A family of endpoint types, for code that is generic over the mechanism.
///
/// ```
/// use armilla_ipc::{Address, Stream, StreamOptions, Transport};
///
/// /// Connects, sends one greeting and closes.
/// fn greet<T: Transport>(address: &Address) -> std::io::Result<()> {
///     let stream = T::connect(address, None, &StreamOptions::default())?;
///     Ok(stream.send_all(b"hello")?)
/// }
/// # use armilla_ipc::tcp::Tcp;
/// # let acceptor = Tcp::listen(&Address::tcp("127.0.0.1", 0), &Default::default())?;
/// # greet::<armilla_ipc::tcp::Tcp>(acceptor.local())?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait Transport {
    /// The stream.
    type Stream: Stream + 'static;
    /// The acceptor.
    type Acceptor: Acceptor + 'static;

    /// Connects to `address`, as [`Connector::connect`].
    ///
    /// # Errors
    /// As [`Connector::connect`].
    fn connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<Self::Stream>;

    /// Starts a non-blocking connect to `address`; see [`PendingConnect`]. The `timeout` counts
    /// from now.
    ///
    /// The default blocks in its first step, as [`connect`](Self::connect) does; the transports of
    /// this crate do not.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the transport does not serve this kind of address;
    /// exhausted descriptors or threads.
    fn start_connect(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<Box<dyn PendingConnect<Self::Stream>>> {
        let (address, options) = (address.clone(), options.clone());
        Ok(Box::new(BlockingConnect(move || Self::connect(&address, timeout, &options))))
    }

    /// Listens at `address`.
    ///
    /// # Errors
    /// The message names the address that cannot be listened at, and why.
    fn listen(address: &Address, options: &StreamOptions) -> io::Result<Self::Acceptor>;

    /// Waits for the next peer, as [`Acceptor::accept`] but typed.
    ///
    /// # Errors
    /// As [`Acceptor::accept`].
    fn accept(acceptor: &Self::Acceptor) -> io::Result<Option<Self::Stream>>;
}

/// The connect of a transport that can only block.
struct BlockingConnect<F>(F);

impl<S, F: Fn() -> io::Result<S> + Send> PendingConnect<S> for BlockingConnect<F> {
    fn advance(&mut self) -> io::Result<Option<S>> {
        (self.0)().map(Some)
    }

    fn wait_condition(&self) -> WaitCondition<'_> {
        WaitCondition::pause(Duration::ZERO)
    }
}
