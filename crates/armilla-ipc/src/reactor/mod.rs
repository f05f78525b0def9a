//! The reactor pattern: waits for many descriptors, timers, signals and notifications at once, and
//! calls the handler of each event.
//!
//! A [`Handler`] owns a descriptor, and after each event says what comes [`Next`]. The [`Reactor`]
//! keeps it while it is registered, under a [`Token`] that no later registration has again. Beside
//! descriptors it knows timers ([`TimerHandler`]), signals and [`Notifier`]s, with which other
//! threads get its attention. [`serve`] and [`connect()`] make handlers for the streams of an
//! acceptor or a connector and register them.
//!
//! A reactor is made for one thread ([`Reactor::new`]) or for many ([`Reactor::shared`]). The
//! threads of a [`Pool`] share one as *leader and followers*: each takes the next event straight
//! from the kernel and handles it itself. No event passes from one thread to another, and the
//! kernel gives the same descriptor to no second thread meanwhile.
//!
//! ```
//! use armilla_ipc::reactor::{Handler, Next, Reactor, Ready, Token, serve};
//! use armilla_ipc::unix::{Unix, UnixStream};
//! use armilla_ipc::{Acceptor, Address, Stream, StreamOptions, UnixAcceptor, UnixConnector};
//! use std::os::fd::{AsFd, BorrowedFd};
//! use std::sync::Arc;
//!
//! struct Echo(UnixStream);
//!
//! impl Handler for Echo {
//!     fn descriptor(&self) -> BorrowedFd<'_> {
//!         self.0.as_fd()
//!     }
//!
//!     fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
//!         let mut buffer = [0; 512];
//!         match self.0.recv(&mut buffer) {
//!             Ok(count) if count > 0 && self.0.send_all(&buffer[..count]).is_ok() => Next::READ,
//!             _ => Next::Deregister, // dropping the handler closes the stream
//!         }
//!     }
//! }
//!
//! # let path = std::env::temp_dir().join(format!("armilla-reactor-doc-{}", std::process::id()));
//! let reactor = Arc::new(Reactor::new()?);
//! let acceptor = UnixAcceptor::bind(&Address::unix(path), &StreamOptions::default())?;
//! let address = acceptor.local().clone();
//! serve::<Unix>(&reactor, acceptor, |_, stream| Ok(Arc::new(Echo(stream))))?;
//!
//! let server = std::thread::spawn({
//!     let reactor = Arc::clone(&reactor);
//!     move || reactor.run()
//! });
//! let client = UnixConnector::default().connect(&address, None)?;
//! client.send_all(b"hello")?;
//! assert_eq!(client.recv(&mut [0; 16])?, 5);
//! reactor.stop();
//! server.join().unwrap()?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod connect;
mod dispatch;
mod epoll;
mod handler;
mod heap;
mod notify;
mod pool;
mod registry;
mod service;
mod signal;
mod table;
mod timers;

pub use crate::interest::Interest;
pub use connect::{ConnectHandle, connect};
pub use handler::{Handler, Next, Ready};
pub use notify::Notifier;
pub use pool::{Pool, PoolOptions};
pub use service::serve;
pub use table::Token;
pub use timers::{Timer, TimerHandler};

use epoll::Epoll;
use rustix::fd::{AsFd, BorrowedFd};
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use table::Table;
use timers::TimerQueue;

/// Waits for events and calls their handlers. See the [module](self) for an example.
///
/// `Send` and `Sync`: every method may be called from any thread and from within handlers, except
/// as [`run`](Self::run) says. It takes three descriptors, and about 32 bytes a registration beside
/// the handler itself; nothing is allocated for an event.
///
/// Dropping it drops all handlers, without a call of [`Handler::closed`].
#[derive(Debug)]
pub struct Reactor {
    epoll: Epoll,
    table: Table,
    timer_queue: TimerQueue,
    stopped: AtomicBool,
    /// Held by the thread that runs a reactor made for one thread.
    driver: Mutex<()>,
}

impl Reactor {
    /// A reactor that one thread at a time runs. Handlers stay armed between events, which saves a
    /// system call for each.
    ///
    /// # Errors
    /// If the operating system does not give the descriptors that this needs.
    pub fn new() -> io::Result<Self> {
        Self::with(false)
    }

    /// A reactor that several threads run at once, for a [`Pool`]. No handler is called by two
    /// threads at the same time: a descriptor is disarmed while its handler runs.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn shared() -> io::Result<Self> {
        Self::with(true)
    }

    fn with(shared: bool) -> io::Result<Self> {
        let epoll = Epoll::new(shared)?;
        let timer_queue = TimerQueue::new()?;
        epoll.add_timer(timer_queue.descriptor())?;
        Ok(Self {
            epoll,
            table: Table::default(),
            timer_queue,
            stopped: AtomicBool::new(false),
            driver: Mutex::new(()),
        })
    }

    /// Ends [`run`](Self::run) in every thread, once the handler that it is in has returned, for
    /// good. Idempotent.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.epoll.wake_all();
    }

    /// Whether [`stop`](Self::stop) has been called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Whether several threads may run this reactor at once.
    pub fn is_shared(&self) -> bool {
        self.epoll.is_shared()
    }
}

impl AsFd for Reactor {
    /// Readable while there are events to handle: with it one reactor can be part of another loop,
    /// which then calls [`handle_events`](Self::handle_events) with a timeout of zero.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.descriptor()
    }
}
