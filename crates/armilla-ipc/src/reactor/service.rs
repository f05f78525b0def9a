//! The handler of an acceptor: it accepts peers in the reactor, and each stream gets a handler.

use super::{Handler, Interest, Next, Reactor, Ready, Timer, Token};
use crate::error::is_resource_exhausted;
use crate::{Acceptor, Transport};
use rustix::fd::{AsFd, BorrowedFd};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The pause of an acceptor while the process has no descriptors or memory left.
const EXHAUSTION_PAUSE: Duration = Duration::from_millis(20);

/// Accepts the peers of `acceptor` in the reactor, and registers the handler that `make` makes for
/// each stream. A stream for which it fails is closed.
///
/// The timeout of the acceptor is zero from now on. Deregistering the token drops it, and with it
/// the listening socket. A peer that connects and sends nothing holds up no other.
///
/// # Errors
/// As [`Reactor::register`] and [`Acceptor::set_timeout`].
pub fn serve<T: Transport + 'static>(
    reactor: &Reactor,
    acceptor: T::Acceptor,
    make: impl Fn(&Reactor, T::Stream) -> io::Result<Arc<dyn Handler>> + Send + Sync + 'static,
) -> io::Result<Token>
where
    T::Acceptor: AsFd,
{
    acceptor.set_timeout(Some(Duration::ZERO))?;
    reactor.register(Arc::new(AcceptHandler::<T, _> { acceptor, make }))
}

struct AcceptHandler<T: Transport, F> {
    acceptor: T::Acceptor,
    make: F,
}

impl<T, F> Handler for AcceptHandler<T, F>
where
    T: Transport<Acceptor: AsFd>,
    F: Fn(&Reactor, T::Stream) -> io::Result<Arc<dyn Handler>> + Send + Sync,
{
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.acceptor.as_fd()
    }

    /// Accepts one peer: the next one may as well be another thread's.
    fn ready(&self, reactor: &Reactor, token: Token, _: Ready) -> Next {
        match T::accept(&self.acceptor) {
            Ok(Some(stream)) => {
                // A stream that gets no handler is dropped, and the peer sees its end.
                let _ = (self.make)(reactor, stream).and_then(|handler| reactor.register(handler));
                Next::READ
            }
            Ok(None) => Next::Deregister,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Next::READ,
            Err(error) if is_resource_exhausted(&error) => {
                let wake = move |reactor: &Reactor, _: Timer| {
                    // If it fails, the acceptor is no longer registered.
                    let _ = reactor.resume(token, Interest::READ);
                    None
                };
                reactor.arm(EXHAUSTION_PAUSE, Arc::new(wake));
                Next::Pause
            }
            Err(_) => Next::Deregister,
        }
    }

    fn closed(&self, _: &Reactor, _: Token) {
        self.acceptor.close();
    }
}
