//! The roles that make streams, [`Acceptor`] and [`Connector`], and [`Transport`], which names all
//! roles of one mechanism as types.

use crate::{Address, PendingConnect, Stream, StreamOptions, WaitCondition};
use std::fmt::Debug;
use std::io;
use std::time::Duration;

/// Makes streams passively: listens at an address and accepts who connects.
pub trait Acceptor: Send + Sync + Debug {
    /// Waits for the next peer; `None` once the acceptor is closed.
    ///
    /// A peer that gave up while it waited is passed over, and a shortage of descriptors or memory
    /// is waited out in short pauses.
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

    /// Has `tell` called, by the thread that accepts, before each pause for a shortage of
    /// descriptors or memory: it can say so, and end the shortage. Only the first call counts;
    /// acceptors other than those of sockets make their pauses unheard.
    fn on_resource_exhausted(&self, tell: Box<dyn Fn(&io::Error) + Send + Sync>) {
        drop(tell);
    }

    /// Where the acceptor listens, with the real port if port 0 was asked for.
    fn local(&self) -> &Address;

    /// Stops listening: every `accept`, blocked or to come, returns `None`. Idempotent.
    fn close(&self);
}

/// Makes streams actively.
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
/// # let acceptor = armilla_ipc::tcp::Tcp::listen(&Address::tcp("127.0.0.1", 0), &Default::default())?;
/// # greet::<armilla_ipc::tcp::Tcp>(acceptor.local())?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait Transport {
    /// What moves the bytes.
    type Stream: Stream + 'static;
    /// What listens.
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

    /// Begins to connect to `address` without waiting for anything, as [`PendingConnect`] says. The
    /// `timeout` counts from now.
    ///
    /// By default the attempt waits after all, in its first step, as [`connect`](Self::connect)
    /// does; the transports of this crate do not.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the transport does not serve this kind of address; a
    /// shortage of descriptors or threads.
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

/// The attempt of a transport that can only wait.
struct BlockingConnect<F>(F);

impl<S, F: Fn() -> io::Result<S> + Send> PendingConnect<S> for BlockingConnect<F> {
    fn advance(&mut self) -> io::Result<Option<S>> {
        (self.0)().map(Some)
    }

    fn wait_condition(&self) -> WaitCondition<'_> {
        WaitCondition::pause(Duration::ZERO)
    }
}
