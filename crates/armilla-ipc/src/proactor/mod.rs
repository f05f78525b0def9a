//! The proactor pattern: starts operations, and calls a completion handler when each is complete.
//!
//! A [reactor] reports that a descriptor is *ready*; a proactor reports that bytes *have been*
//! moved. It owns the buffer meanwhile and returns it with the outcome. With the feature
//! `io-uring`, and where the kernel permits, the operations are the kernel's own. Otherwise a
//! reactor and non-blocking calls emulate them, without any thread ([`Backend`]). The two differ in
//! speed only.
//!
//! A proactor contains a [`Reactor`]: timers, signals and notifications are armed with
//! [`reactor()`](Proactor::reactor) and handled by the same loop.
//!
//! ```
//! use armilla_ipc::proactor::{OperationResult, Proactor};
//! use std::os::unix::net::UnixStream;
//! use std::sync::Arc;
//!
//! let proactor = Proactor::new()?;
//! let (near, far) = UnixStream::pair()?;
//! let near = proactor.attach(Arc::new(near))?;
//! let far = proactor.attach(Arc::new(far))?;
//! let heard = |proactor: &Proactor, done: OperationResult| {
//!     assert_eq!(&done.buffer[..done.result.unwrap()], b"hello");
//!     proactor.reactor().stop();
//! };
//! proactor.receive(&far, vec![0; 64], Arc::new(heard))?;
//! proactor.send(&near, b"hello".to_vec(), Arc::new(|_: &Proactor, done: OperationResult| {
//!     assert_eq!(done.result.unwrap(), 5);
//! }))?;
//! proactor.run()?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod emulated;
#[cfg(feature = "io-uring")]
mod sockets;
mod source;
#[cfg(feature = "io-uring")]
mod uring;

pub use source::{AttachedSocket, CompletionHandler, OperationResult};

use crate::reactor::{self, ConnectHandle, Reactor};
use crate::{Address, StreamOptions, Transport};
use source::{Direction, Operation, PendingOperation};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use rustix::fd::AsFd;

/// Starts operations and reports their completion. See the [module](self) for an example.
///
/// `Send` and `Sync`: operations may be started and cancelled by any thread, and from completions;
/// one thread at a time runs it.
#[derive(Debug)]
pub struct Proactor {
    engine: Engine,
    connect_completions: Arc<ConnectCompletions>,
}

/// The outcomes of connections, not yet reported.
#[derive(Default)]
struct ConnectCompletions(Mutex<VecDeque<Box<Callback>>>);

type Callback = dyn FnOnce(&Proactor) + Send;

/// The mechanism that carries out the operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// The kernel's submission and completion rings.
    IoUring,
    /// Non-blocking calls, made when a reactor reports readiness.
    Emulated,
}

#[derive(Debug)]
enum Engine {
    #[cfg(feature = "io-uring")]
    Uring(Box<uring::Uring>),
    Emulated(Box<emulated::Emulated>),
}

impl Proactor {
    /// A proactor with the best backend that this system has.
    ///
    /// # Errors
    /// If the operating system does not give the descriptors that this needs.
    pub fn new() -> io::Result<Self> {
        Self::with(Backend::IoUring).or_else(|_| Self::with(Backend::Emulated))
    }

    /// A proactor with this backend.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] for [`Backend::IoUring`] without the feature of that name;
    /// whatever the kernel says otherwise.
    pub fn with(backend: Backend) -> io::Result<Self> {
        let engine = match backend {
            #[cfg(feature = "io-uring")]
            Backend::IoUring => Engine::Uring(Box::new(uring::Uring::new()?)),
            #[cfg(not(feature = "io-uring"))]
            Backend::IoUring => {
                let reason = "compiled without the feature io-uring";
                return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
            }
            Backend::Emulated => Engine::Emulated(Box::new(emulated::Emulated::new()?)),
        };
        Ok(Self { engine, connect_completions: Arc::default() })
    }

    /// The mechanism that carries out the operations.
    pub fn backend(&self) -> Backend {
        match &self.engine {
            #[cfg(feature = "io-uring")]
            Engine::Uring(_) => Backend::IoUring,
            Engine::Emulated(_) => Backend::Emulated,
        }
    }

    /// The reactor that runs within this proactor, made for one thread. Do not run it by itself;
    /// stopping it stops the proactor.
    pub fn reactor(&self) -> &Reactor {
        match &self.engine {
            #[cfg(feature = "io-uring")]
            Engine::Uring(uring) => uring.reactor(),
            Engine::Emulated(emulated) => emulated.reactor(),
        }
    }

    /// Attaches a socket, for operations on it. The proactor keeps it open until it is
    /// [detached](Self::detach).
    ///
    /// # Errors
    /// As [`Reactor::register`].
    pub fn attach(&self, socket: Arc<dyn AsFd + Send + Sync>) -> io::Result<AttachedSocket> {
        match &self.engine {
            #[cfg(feature = "io-uring")]
            Engine::Uring(uring) => uring.attach(socket),
            Engine::Emulated(emulated) => emulated.attach(socket),
        }
    }

    /// Connects to `address` within `timeout` in total, as [`reactor::connect`],
    /// and calls `done`, as a completion, with the stream or the reason why there is none.
    ///
    /// # Errors
    /// As [`Transport::start_connect`]; `done` gets every later error.
    pub fn connect<T: Transport>(
        &self,
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
        done: impl FnOnce(&Self, io::Result<T::Stream>) + Send + 'static,
    ) -> io::Result<ConnectHandle> {
        let pending = T::start_connect(address, timeout, options)?;
        let connect_completions = Arc::clone(&self.connect_completions);
        Ok(reactor::drive(self.reactor(), pending, move |_, stream| {
            connect_completions.lock().push_back(Box::new(move |proactor| done(proactor, stream)));
        }))
    }

    /// Waits for a peer to connect to a listening socket, whose descriptor is in
    /// [`OperationResult::peer`].
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`] if an accept or a receive is in progress on this socket;
    /// [`io::ErrorKind::NotConnected`] if it was detached.
    pub fn accept(
        &self,
        source: &AttachedSocket,
        completion: Arc<dyn CompletionHandler>,
    ) -> io::Result<()> {
        self.start(
            source,
            Direction::Receive,
            PendingOperation::new(Operation::Accept, Vec::new(), completion),
        )
    }

    /// Receives up to as many bytes as `buffer` is long, at least one; 0 at the end of the stream.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub fn receive(
        &self,
        source: &AttachedSocket,
        buffer: Vec<u8>,
        completion: Arc<dyn CompletionHandler>,
    ) -> io::Result<()> {
        self.start(
            source,
            Direction::Receive,
            PendingOperation::new(Operation::Receive, buffer, completion),
        )
    }

    /// Sends all of `buffer`, in as many steps as it takes. If it fails half way, the error does
    /// not say how much was sent.
    ///
    /// # Errors
    /// As [`accept`](Self::accept), if a send is in progress on this socket.
    pub fn send(
        &self,
        source: &AttachedSocket,
        buffer: Vec<u8>,
        completion: Arc<dyn CompletionHandler>,
    ) -> io::Result<()> {
        self.start(
            source,
            Direction::Send,
            PendingOperation::new(Operation::Send, buffer, completion),
        )
    }

    fn start(
        &self,
        source: &AttachedSocket,
        direction: Direction,
        pending: PendingOperation,
    ) -> io::Result<()> {
        source.begin(direction, pending)?;
        match &self.engine {
            #[cfg(feature = "io-uring")]
            Engine::Uring(uring) => uring.submit(source, direction),
            Engine::Emulated(emulated) => emulated.submit(source, direction),
        }
    }

    /// Detaches a socket. Operations in progress on it complete with `ECANCELED`, unless they are
    /// complete already. Idempotent.
    pub fn detach(&self, source: &AttachedSocket) {
        match &self.engine {
            #[cfg(feature = "io-uring")]
            Engine::Uring(uring) => uring.detach(source),
            Engine::Emulated(emulated) => emulated.detach(source),
        }
    }

    /// Waits for at most `timeout` (`None`: until an event comes) and calls the completion
    /// handlers. Returns their number; 0 if the time is up or only the reactor had events.
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`] if another thread runs this proactor, or the calling one
    /// from within a completion.
    pub fn handle_events(&self, timeout: Option<Duration>) -> io::Result<usize> {
        let mut count = match &self.engine {
            #[cfg(feature = "io-uring")]
            Engine::Uring(uring) => uring.handle_events(self, timeout),
            Engine::Emulated(emulated) => emulated.handle_events(self, timeout),
        }?;
        // Only the present ones, as with other completions.
        let told = self.connect_completions.lock().len();
        for _ in 0..told {
            let Some(done) = self.connect_completions.lock().pop_front() else { break };
            done(self);
            count += 1;
        }
        Ok(count)
    }

    /// Handles events until the [reactor](Self::reactor) is stopped.
    ///
    /// # Errors
    /// As [`handle_events`](Self::handle_events).
    pub fn run(&self) -> io::Result<()> {
        while !self.reactor().is_stopped() {
            self.handle_events(None)?;
        }
        Ok(())
    }
}

impl ConnectCompletions {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Box<Callback>>> {
        // Nothing that can panic runs under this lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ConnectCompletions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Connected").field(&self.lock().len()).finish()
    }
}
