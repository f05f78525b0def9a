//! Connections that a reactor establishes: no thread waits, and each stream gets a handler.

use super::{Handler, Interest, Next, Reactor, Ready, Timer, Token};
use crate::{Address, PendingConnect, StreamOptions, Transport, WaitCondition};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, io};

type NewHandler = io::Result<Arc<dyn Handler>>;

/// Connects to `address` in the reactor, within `timeout` in total. Has `make`, called once by a
/// thread of the reactor with the stream or the reason why there is none, make a handler, and
/// registers it; a handler that is not made or cannot be registered is dropped, and the peer sees
/// the end.
///
/// Neither this call nor a thread of the reactor blocks. Only the resolution of a host name takes a
/// thread of its own.
///
/// ```
/// # use armilla_ipc::reactor::{Handler, Next, Reactor, Ready, Token, connect};
/// # use armilla_ipc::{Address, Stream, StreamOptions, TcpAcceptor, tcp::{Tcp, TcpStream}};
/// # use std::{os::fd::{AsFd, BorrowedFd}, sync::Arc, time::Duration};
/// # struct Greeter(TcpStream);
/// # impl Handler for Greeter {
/// #     fn descriptor(&self) -> BorrowedFd<'_> { self.0.as_fd() }
/// #     fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next { Next::Deregister }
/// # }
/// # let options = StreamOptions::default();
/// # let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &options)?;
/// # let (server, reactor) = (acceptor.local().clone(), Reactor::new()?);
/// let limit = Some(Duration::from_secs(5));
/// connect::<Tcp>(&reactor, &server, limit, &options, |reactor, stream| {
///     let stream = stream.inspect_err(|error| eprintln!("{error}"))?;
///     stream.send_all(b"hello")?;
///     # reactor.stop();
///     Ok(Arc::new(Greeter(stream)))
/// })?;
/// reactor.run()?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// As [`Transport::start_connect`]; `make` gets every later error.
pub fn connect<T: Transport>(
    reactor: &Reactor,
    address: &Address,
    timeout: Option<Duration>,
    options: &StreamOptions,
    make: impl FnOnce(&Reactor, io::Result<T::Stream>) -> NewHandler + Send + 'static,
) -> io::Result<ConnectHandle> {
    let pending = T::start_connect(address, timeout, options)?;
    Ok(drive(reactor, pending, |reactor, stream| {
        let _ = make(reactor, stream).and_then(|handler| reactor.register(handler));
    }))
}

/// Drives `start_connect` in the reactor and tells `done` of its end.
fn drive<S: 'static>(
    reactor: &Reactor,
    pending: Box<dyn PendingConnect<S>>,
    done: impl FnOnce(&Reactor, io::Result<S>) + Send + 'static,
) -> ConnectHandle {
    let done = Box::new(done);
    let state = State { pending, done, timer: None, token: None };
    let drive = Arc::new(ConnectDriver(Mutex::new(Some(state))));
    let first = Arc::clone(&drive);
    // The reactor makes the first step too, so that only its threads call `done`.
    let timer = reactor.arm(Duration::ZERO, resume_timer(&drive));
    if let Some(state) = &mut *first.lock() {
        state.timer.get_or_insert(timer);
    }
    ConnectHandle { drive }
}

/// A handle on a connection in progress in a reactor. Dropping it does not cancel the connection.
#[derive(Clone)]
pub struct ConnectHandle {
    drive: Arc<dyn Cancel>,
}

impl ConnectHandle {
    /// Cancels the connection; false if it is established already, or has failed. After a
    /// cancellation nothing is reported. `reactor` must be the one that establishes the connection.
    pub fn cancel(&self, reactor: &Reactor) -> bool {
        self.drive.cancel(reactor)
    }
}

impl fmt::Debug for ConnectHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connecting").finish_non_exhaustive()
    }
}

trait Cancel: Send + Sync {
    fn cancel(&self, reactor: &Reactor) -> bool;
}

/// A connection in progress, `None` once it is over.
struct ConnectDriver<S>(Mutex<Option<State<S>>>);

struct State<S> {
    pending: Box<dyn PendingConnect<S>>,
    done: Box<Done<S>>,
    timer: Option<Timer>,
    token: Option<Token>,
}

type Done<S> = dyn FnOnce(&Reactor, io::Result<S>) + Send;

impl<S> State<S> {
    /// Ends every wait.
    fn disarm(&mut self, reactor: &Reactor) {
        self.timer.take().map(|timer| reactor.cancel(timer));
        self.token.take().map(|token| reactor.deregister(token));
    }
}

impl<S: 'static> ConnectDriver<S> {
    fn lock(&self) -> MutexGuard<'_, Option<State<S>>> {
        // A connection whose step has panicked is over.
        self.0.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            let mut state = poisoned.into_inner();
            *state = None;
            state
        })
    }

    /// Goes on as far as possible without waiting.
    fn advance(self: &Arc<Self>, reactor: &Reactor) {
        let mut place = self.lock();
        let Some(state) = &mut *place else { return };
        state.disarm(reactor);
        let result = match state.pending.advance() {
            Ok(Some(stream)) => Ok(stream),
            Err(error) => Err(error),
            Ok(None) => match self.arm(reactor, state) {
                Ok(()) => return,
                Err(error) => Err(error),
            },
        };
        let state = place.take();
        drop(place);
        if let Some(state) = state {
            (state.done)(reactor, result);
        }
    }

    /// Registers for the wait condition.
    fn arm(self: &Arc<Self>, reactor: &Reactor, state: &mut State<S>) -> io::Result<()> {
        let WaitCondition { descriptor, interest, limit } = state.pending.wait_condition();
        if let Some(descriptor) = descriptor {
            // A copy, because the connection may close its own before the handler is deregistered.
            let descriptor = descriptor.try_clone_to_owned()?;
            let drive = Arc::clone(self);
            state.token =
                Some(reactor.register(Arc::new(ConnectHandler { descriptor, interest, drive }))?);
        }
        state.timer = limit.map(|limit| reactor.arm(limit, resume_timer(self)));
        Ok(())
    }
}

impl<S: 'static> Cancel for ConnectDriver<S> {
    fn cancel(&self, reactor: &Reactor) -> bool {
        let Some(mut state) = self.lock().take() else { return false };
        state.disarm(reactor);
        true
    }
}

/// Goes on when the time is over.
fn resume_timer<S: 'static>(drive: &Arc<ConnectDriver<S>>) -> Arc<dyn super::TimerHandler> {
    let drive = Arc::clone(drive);
    Arc::new(move |reactor: &Reactor, _: Timer| {
        drive.advance(reactor);
        None
    })
}

/// Goes on when the descriptor is ready.
struct ConnectHandler<S> {
    descriptor: OwnedFd,
    interest: Interest,
    drive: Arc<ConnectDriver<S>>,
}

impl<S: 'static> Handler for ConnectHandler<S> {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    fn interest(&self) -> Interest {
        self.interest
    }

    fn ready(&self, reactor: &Reactor, _: Token, _: Ready) -> Next {
        self.drive.advance(reactor);
        Next::Deregister
    }
}
