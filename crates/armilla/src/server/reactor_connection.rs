//! Connections that wait in the reactor: they cost no thread and no buffer.
//!
//! A descriptor is armed for one event at a time. Who gets the event leads the connection, and arms
//! it again when nothing more has arrived; while the client does not take its replies, it is armed
//! for room only, so that no more requests are read meanwhile; unless it carries requests both ways, and
//! replies must be read.

use super::connection::{AfterServing, Connection, ServedBy};
use super::leadership::LeadToken;
use super::output::Output;
use super::reactor_pool::ReactorPool;
use super::workers::Worker;
use armilla_ipc::reactor::{Handler, Interest, Next, Reactor, Ready, Token};
use std::io;
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, OnceLock};

/// A connection's place in the reactor.
pub(super) struct ReactorConnection {
    reactor_pool: Arc<ReactorPool>,
    token: OnceLock<Token>,
}

/// What the reactor knows of a connection.
struct Watched(Arc<Connection>);

impl Handler for Watched {
    fn descriptor(&self) -> BorrowedFd<'_> {
        // Only streams that have a descriptor are given to the reactor.
        self.0.stream.descriptor().expect("a reactor_connection stream has a descriptor")
    }

    fn interest(&self) -> Interest {
        Interest::NONE
    }

    /// Serving is for when this has returned: then others may arm the descriptor meanwhile.
    fn ready(&self, _: &Reactor, _: Token, _: Ready) -> Next {
        ReactorPool::set_ready(&self.0);
        Next::Pause
    }
}

impl ReactorConnection {
    pub(super) fn new(reactor_pool: Arc<ReactorPool>) -> Self {
        Self { reactor_pool, token: OnceLock::new() }
    }

    /// Begins to wait for the requests of a new connection.
    ///
    /// # Errors
    /// If the kernel cannot watch one more.
    pub(super) fn begin(&self, connection: &Arc<Connection>) -> io::Result<()> {
        let token = self.reactor_pool.reactor.register(Arc::new(Watched(connection.clone())))?;
        self.token.set(token).ok();
        self.wait_for_more(connection);
        Ok(())
    }

    /// Lets go of the leadership until there is something to read.
    pub(super) fn wait_for_more(&self, connection: &Connection) {
        let mut output = connection.output.lock();
        output.leaderless = true;
        match output.is_stuck() {
            true => self.wait_for_room(connection, &output),
            false => self.arm(Interest::READ),
        }
    }

    /// Waits until the client takes more of what is queued.
    pub(super) fn wait_for_room(&self, connection: &Connection, output: &Output) {
        let reads = output.leaderless && connection.is_bidirectional();
        self.arm(if reads { Interest::READ | Interest::WRITE } else { Interest::WRITE });
    }

    pub(super) fn leave(&self) {
        if let Some(token) = self.token.get() {
            self.reactor_pool.reactor.deregister(*token);
        }
    }

    fn arm(&self, interest: Interest) {
        if let Some(token) = self.token.get() {
            // A descriptor that is open and watched can be armed.
            self.reactor_pool.reactor.resume(*token, interest).ok();
        }
    }
}

impl Connection {
    /// Does what the reactor pending for.
    pub(super) fn ready(self: &Arc<Self>, worker: &mut Worker) {
        let ServedBy::Reactor(reactor_connection) = &self.served_by else { return };
        let mut output = self.output.lock();
        let mut room = false;
        if output.is_stuck() {
            match self.flush(&mut output) {
                Ok(true) => room = true,
                Ok(false) if self.is_bidirectional() => {
                    let leads = std::mem::take(&mut output.leaderless);
                    reactor_connection.wait_for_room(self, &output);
                    output.leaderless = leads;
                }
                Ok(false) => return reactor_connection.wait_for_room(self, &output),
                Err(_) => {
                    output.give_up();
                    self.stream.shutdown(Shutdown::Both).ok();
                }
            }
            if output.closes() {
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
    pub(super) fn proceed(
        self: &Arc<Self>,
        mut token: LeadToken,
        worker: &mut Worker,
        fetch: AfterServing,
    ) {
        let ServedBy::Reactor(reactor_connection) = &self.served_by else { return };
        worker.status.set_connection(self);
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
