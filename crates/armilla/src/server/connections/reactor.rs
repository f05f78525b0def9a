//! Connections that wait in the reactor. An idle one costs no thread and no buffer.
//!
//! A descriptor is armed for one event at a time. The thread that gets the event leads the
//! connection, and arms the descriptor again when nothing more has arrived. While the client does
//! not read its replies, the descriptor is armed for writing only, so that no more requests are
//! read. A bidirectional connection is the exception: there, replies must be read.
//!
//! Of shared memory the descriptor is the doorbell, which the other side rings once for each time
//! that it is armed; whoever gets the event looks for what it may mean.

use super::connection::Connection;
use super::output::Output;
use crate::server::threads::leadership::LeadToken;
use crate::server::threads::reactor_connection::ReactorConnection;
use crate::server::threads::served::AfterServing;
use crate::server::threads::served_by::ServedBy;
use crate::server::threads::worker::Worker;
use armilla_ipc::reactor::Interest;
use std::net::Shutdown;
use std::sync::Arc;

impl Connection {
    /// Gives up the leadership until there is something to read.
    pub(in crate::server) fn wait_for_more(&self, reactor_connection: &ReactorConnection) {
        let mut output = self.output.lock();
        output.leaderless = true;
        match output.has_queued() {
            true => self.wait_for_room(reactor_connection, &output),
            false => reactor_connection.arm(self.stream.watch_for(Interest::READ)),
        }
        drop(output);
        if reactor_connection.is_stopped() {
            self.abandon();
        }
    }

    /// Waits until the client reads more of what is queued.
    pub(in crate::server) fn wait_for_room(
        &self,
        reactor_connection: &ReactorConnection,
        output: &Output,
    ) {
        let reads = output.leaderless && self.is_bidirectional();
        let interest = if reads { Interest::READ | Interest::WRITE } else { Interest::WRITE };
        reactor_connection.arm(self.stream.watch_for(interest));
    }

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
                    self.wait_for_room(reactor_connection, &output);
                    output.leaderless = leads;
                }
                Ok(false) => return self.wait_for_room(reactor_connection, &output),
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
        mut fetch: AfterServing,
    ) {
        let ServedBy::Reactor(reactor_connection) = &self.served_by else { return };
        worker.status.set_connection(self.clone());
        let _waiting = self.extension.begin();
        let served = loop {
            match self.serve(&mut token, worker, fetch) {
                // The descriptor does not tell of it.
                Ok(true) if self.stream.has_buffered() => fetch = AfterServing::Poll,
                served => break served,
            }
        };
        worker.status.clear_connection();
        match served {
            Ok(true) => {
                self.park(&mut token, worker);
                self.wait_for_more(reactor_connection);
            }
            Ok(false) => {}
            Err(end) => self.conclude(&end),
        }
    }
}
