//! Connections that wait in the reactor. An idle one costs no thread and no buffer.
//!
//! A descriptor is armed for one event at a time. The thread that gets the event leads the
//! connection, and arms the descriptor again when nothing more has arrived. While the client does
//! not read its replies, the descriptor is armed for writing only, so that no more requests are
//! read. A bidirectional connection is the exception: there, replies must be read.

use super::connection::{AfterServing, Connection, ServedBy};
use super::output::Output;
use crate::server::threads::leadership::LeadToken;
use crate::server::threads::reactor_pool::ReactorPool;
use crate::server::threads::workers::Worker;
use armilla_ipc::reactor::{Handler, Interest, Next, Reactor, Ready, Token};
use std::io;
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, OnceLock};

/// The registration of a connection with the reactor.
pub(in crate::server) struct ReactorConnection {
    reactor_pool: Arc<ReactorPool>,
    token: OnceLock<Token>,
}

/// A connection as the reactor's event handler.
struct Watched(Arc<Connection>);

impl Handler for Watched {
    fn descriptor(&self) -> BorrowedFd<'_> {
        // Only streams with a descriptor are registered with the reactor.
        self.0.stream.descriptor().expect("a reactor_connection stream has a descriptor")
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

    /// Begins to wait for the requests of a new connection.
    ///
    /// # Errors
    /// If the kernel cannot watch another descriptor.
    pub(in crate::server) fn begin(&self, connection: &Arc<Connection>) -> io::Result<()> {
        let token = self.reactor_pool.reactor.register(Arc::new(Watched(connection.clone())))?;
        self.token.set(token).ok();
        self.wait_for_more(connection);
        Ok(())
    }

    /// Gives up the leadership until there is something to read.
    pub(in crate::server) fn wait_for_more(&self, connection: &Connection) {
        let mut output = connection.output.lock();
        output.leaderless = true;
        match output.has_queued() {
            true => self.wait_for_room(connection, &output),
            false => self.arm(Interest::READ),
        }
        drop(output);
        if self.is_stopped() {
            connection.abandon();
        }
    }

    /// Whether the reactor was stopped, so that nobody waits for the connection any more.
    pub(in crate::server) fn is_stopped(&self) -> bool {
        self.reactor_pool.reactor.is_stopped()
    }

    /// Waits until the client reads more of what is queued.
    pub(in crate::server) fn wait_for_room(&self, connection: &Connection, output: &Output) {
        let reads = output.leaderless && connection.is_bidirectional();
        self.arm(if reads { Interest::READ | Interest::WRITE } else { Interest::WRITE });
    }

    pub(in crate::server) fn deregister(&self) {
        if let Some(token) = self.token.get() {
            self.reactor_pool.reactor.deregister(*token);
        }
    }

    fn arm(&self, interest: Interest) {
        if let Some(token) = self.token.get() {
            // Arming an open, registered descriptor does not fail.
            self.reactor_pool.reactor.resume(*token, interest).ok();
        }
    }
}

impl Connection {
    /// Handles an event of the reactor: sends what is queued, and serves what has arrived.
    pub(in crate::server) fn ready(self: &Arc<Self>, worker: &mut Worker) {
        let ServedBy::Reactor(reactor_connection) = &self.served_by else { return };
        let mut output = self.output.lock();
        let mut room = false;
        if output.has_queued() {
            match self.flush(&mut output) {
                Ok(true) => room = true,
                Ok(false) if self.is_bidirectional() => {
                    let leads = std::mem::take(&mut output.leaderless);
                    reactor_connection.wait_for_room(self, &output);
                    output.leaderless = leads;
                }
                Ok(false) => return reactor_connection.wait_for_room(self, &output),
                Err(_) => {
                    output.discard_queue();
                    self.stream.shutdown(Shutdown::Both).ok();
                }
            }
            if output.closes_when_sent() {
                return self.close();
            }
        }
        let leads = std::mem::take(&mut output.leaderless);
        drop(output);
        if let Some(link) = self.link().filter(|_| room) {
            link.unblock();
        }
        if leads {
            self.proceed(self.leadership.token(), worker, AfterServing::Poll);
        }
    }

    /// Leads the connection until there is nothing more to serve.
    pub(in crate::server) fn proceed(
        self: &Arc<Self>,
        mut token: LeadToken,
        worker: &mut Worker,
        fetch: AfterServing,
    ) {
        let ServedBy::Reactor(reactor_connection) = &self.served_by else { return };
        worker.status.set_connection(self);
        let _waiting = self.extension.begin();
        let served = self.serve(&mut token, worker, fetch);
        worker.status.clear_connection();
        match served {
            Ok(true) => {
                self.park(&mut token, worker);
                reactor_connection.wait_for_more(self);
            }
            Ok(false) => {}
            Err(end) => self.conclude(&end),
        }
    }
}
