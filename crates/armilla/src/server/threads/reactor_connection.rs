//! The registration of a connection with the reactor.
//!
//! A descriptor is armed for one event at a time. The thread that gets the event leads the
//! connection, and arms the descriptor again when nothing more has arrived.

use super::reactor_pool::ReactorPool;
use super::served::SharedConnection;
use armilla_ipc::reactor::{Handler, Interest, Next, Reactor, Ready, Token};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, OnceLock};

/// The registration of a connection with the reactor.
pub(in crate::server) struct ReactorConnection {
    reactor_pool: Arc<ReactorPool>,
    token: OnceLock<Token>,
}

/// A connection as the reactor's event handler.
struct Watched(SharedConnection);

impl Handler for Watched {
    fn descriptor(&self) -> BorrowedFd<'_> {
        // Only streams with a descriptor are registered with the reactor.
        self.0.descriptor().expect("a stream that the reactor watches has a descriptor")
    }

    fn interest(&self) -> Interest {
        Interest::NONE
    }

    /// The thread serves the connection after this has returned, so that other threads may arm the
    /// descriptor meanwhile.
    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        ReactorPool::set_ready(&self.0);
        Next::Pause
    }
}

impl ReactorConnection {
    pub(in crate::server) fn new(reactor_pool: Arc<ReactorPool>) -> Self {
        Self { reactor_pool, token: OnceLock::new() }
    }

    /// Registers the connection, which is not armed yet.
    ///
    /// # Errors
    /// If the kernel cannot watch another descriptor.
    pub(in crate::server) fn register(&self, connection: SharedConnection) -> io::Result<()> {
        let token = self.reactor_pool.reactor.register(Arc::new(Watched(connection)))?;
        self.token.set(token).ok();
        Ok(())
    }

    /// Whether the reactor was stopped, so that nobody waits for the connection any more.
    pub(in crate::server) fn is_stopped(&self) -> bool {
        self.reactor_pool.reactor.is_stopped()
    }

    pub(in crate::server) fn deregister(&self) {
        if let Some(token) = self.token.get() {
            self.reactor_pool.reactor.deregister(*token);
        }
    }

    pub(in crate::server) fn arm(&self, interest: Interest) {
        if let Some(token) = self.token.get() {
            // Arming an open, registered descriptor does not fail.
            self.reactor_pool.reactor.resume(*token, interest).ok();
        }
    }
}
