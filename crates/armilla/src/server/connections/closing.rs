//! How a connection ends: the closing message, the timeouts that wake its leader, and closing.
//!
//! Why it ends, and what is logged, is in [`crate::server::reply::close_reason`].

use super::connection::Connection;
use super::output::Output;
use crate::callbacks::guarded;
use crate::exception::Completion;
use crate::server::reply::close_reason::CloseReason;
use crate::server::threads::served_by::ServedBy;
use crate::server::threads::worker::Worker;
use armilla_giop::Version;
use armilla_giop::engine::TimeoutKind;
use parking_lot::MutexGuard;
use std::io;
use std::net::Shutdown;
use std::sync::atomic::Ordering;

/// The wake reasons; 0 means that the connection was not woken.
const WAKE_CLOSING: u8 = 1;
const WAKE_STALLED: u8 = 2;
const WAKE_SLOW: u8 = 3;
const WAKE_BROKEN: u8 = 4;

impl Connection {
    /// Ends the connection. The leader calls it and does not lead any more. Requests in progress
    /// are answered first.
    pub(in crate::server) fn conclude(&self, end: &CloseReason) {
        end.report(self.peer_name(), self.orb.settings());
        if end.is_breach()
            && let Some(interceptors) = self.orb.server_interceptors()
        {
            interceptors.broke_protocol(self.stream.peer());
        }
        let version = match end {
            CloseReason::Framing(_) => self.failed_version(),
            _ => Version::V1_0,
        };
        self.output.lock().responder.close(end.closing_message(version));
        self.end_calls(end);
        let mut output = self.output.lock();
        output.gone |=
            matches!(end, CloseReason::Peer | CloseReason::CutShort | CloseReason::Io(_));
        self.send_closing_message(&mut output);
    }

    /// Sends the closing message and closes, once no request is in progress.
    pub(in crate::server) fn send_closing_message(&self, output: &mut MutexGuard<'_, Output>) {
        if let Some(closing_message) = output.responder.poll_closing_message() {
            let message = closing_message.as_ref().map_or(&[][..], |message| &message[..]);
            if self.send_last(output, message) {
                self.close();
            }
        }
    }

    /// Closes the connection and removes it from the registry.
    pub(in crate::server) fn close(&self) {
        self.workers.registry.retire(self.number);
        // Requests that arrived meanwhile were not begun. They are read and discarded: unread
        // octets would make the kernel reset the connection, and the client might lose the closing
        // message.
        self.stream.shutdown(Shutdown::Write).ok();
        let mut rest = [0; 4096];
        let discarded = || matches!(self.stream.try_recv(&mut rest), Ok(count) if count > 0);
        std::iter::repeat_with(discarded).take(64).take_while(|more| *more).for_each(drop);
        self.stream.shutdown(Shutdown::Both).ok();
        if let ServedBy::Reactor(reactor_connection) = &self.served_by {
            reactor_connection.deregister();
        }
        self.workers.registry.leave(self.number);
    }

    /// Whether a reply is pending in either direction. Such a connection cannot be closed as idle.
    pub(in crate::server) fn has_pending_replies(&self) -> bool {
        let output = self.output.try_lock();
        output.is_none_or(|output| output.responder.in_progress() > 0) || self.is_calling()
    }

    /// Shuts the connection down if the client does not read what is queued for it.
    pub(in crate::server) fn close_if_stuck(&self) {
        if self.output.try_lock().is_some_and(|output| output.has_queued()) {
            self.stream.shutdown(Shutdown::Both).ok();
        }
    }

    /// Makes the current read, or else the next one, return zero octets.
    pub(in crate::server) fn wake(&self, timeout: TimeoutKind) {
        let wake_reason = match timeout {
            TimeoutKind::Idle => WAKE_CLOSING,
            TimeoutKind::Stalled => WAKE_STALLED,
            TimeoutKind::Slow => WAKE_SLOW,
        };
        self.wake_leader(wake_reason);
    }

    /// Lets the thread that leads the connection now end it: `end` is why another thread, which has
    /// led it before, could not reply. The client would wait for that reply for ever.
    #[cold]
    pub(in crate::server) fn end_by_leader(&self, end: &CloseReason) {
        end.report(self.peer_name(), self.orb.settings());
        self.wake_leader(WAKE_BROKEN);
    }

    fn wake_leader(&self, wake_reason: u8) {
        self.wake_reason.store(wake_reason, Ordering::Release);
        // A connection that is already closed needs no waking.
        self.stream.shutdown(Shutdown::Read).ok();
    }

    /// Ends the connection, of which the shutdown does not wait any more: what the client has not
    /// read is discarded, and the client sees the end. A thread that serves a request of the
    /// connection goes on, replies if the client reads, and ends the connection. One that has a
    /// thread of its own ends with that.
    pub(in crate::server) fn abandon(&self) {
        if !matches!(self.served_by, ServedBy::Reactor(_)) {
            return;
        }
        if std::mem::take(&mut self.output.lock().leaderless) {
            self.conclude(&CloseReason::Ours);
        }
        let mut output = self.output.lock();
        if output.has_queued() {
            output.discard_queue();
            self.stream.shutdown(Shutdown::Both).ok();
            self.send_closing_message(&mut output);
            if output.closes_when_sent() {
                self.close();
            }
        }
    }

    /// Runs what a thread does as the leader of the connection. A panic that ends nowhere else ends
    /// the connection, with the requests that are in progress on it, and not the thread.
    pub(in crate::server) fn lead_guarded(
        &self,
        worker: &mut Worker,
        lead: impl FnOnce(&mut Worker),
    ) {
        let led = guarded("what served a connection", Completion::Maybe, || lead(worker));
        if let Err(panicked) = led {
            worker.recover();
            self.end_calls(&CloseReason::Io(io::Error::other(panicked)));
            self.output.lock().discard_queue();
            self.close();
        }
    }

    /// Why a read returned zero octets.
    #[cold]
    pub(in crate::server) fn reason_for_end(&self, partial: bool) -> CloseReason {
        match self.wake_reason.load(Ordering::Acquire) {
            WAKE_CLOSING => CloseReason::Ours,
            WAKE_STALLED => CloseReason::Stalled,
            WAKE_SLOW => CloseReason::Trickled,
            WAKE_BROKEN => CloseReason::Io(io::Error::other("a reply was not sent")),
            _ if partial => CloseReason::CutShort,
            _ => CloseReason::Peer,
        }
    }
}
