//! What a call that has expired tells of its connection; see [`silence`](super::super::silence).

use crate::client::connection::multiplexed::MultiplexedConnection;
use crate::client::connection::silence::PATIENCE;
use crate::log::report;
use crate::sync::lock;
use armilla_ipc::{CoarseInstant, Readiness, coarse_now};
use std::sync::atomic::Ordering;

impl MultiplexedConnection {
    /// Counts that octets have arrived. Only the reader does.
    #[inline]
    pub(super) fn note_arrival(&self) {
        let arrived = self.arrived.load(Ordering::Relaxed);
        self.arrived.store(arrived.wrapping_add(1), Ordering::Relaxed);
    }

    /// A count of what has arrived.
    #[inline]
    pub(super) fn arrived(&self) -> u64 {
        match &self.carrier {
            None => self.arrived.load(Ordering::Relaxed),
            Some(carrier) => carrier.arrived(),
        }
    }

    /// Whether calls can begin: the connection is neither closing nor silent.
    pub(in crate::client) fn takes_calls(&self) -> bool {
        let state = lock(&self.state);
        state.initiator.is_open() && !state.silence.is_found(self.arrived())
    }

    /// Whether the connection is open, and was found silent.
    pub(in crate::client) fn is_silent(&self) -> bool {
        let state = lock(&self.state);
        state.initiator.is_open() && state.silence.is_found(self.arrived())
    }

    /// Looks whether something has come at last.
    #[cold]
    pub(super) fn has_revived(&self) -> bool {
        if !matches!(self.stream.readiness(), Ok(Readiness::Idle)) {
            self.read_available();
        }
        self.takes_calls()
    }

    /// Notes that a call has expired, which began at `started`. If the connection is silent, it
    /// takes no more calls, and those that wait for room on it go elsewhere. The caller holds no
    /// lock.
    #[cold]
    pub(super) fn note_expired(&self, started: CoarseInstant) {
        let Some(listener) = &self.silence_listener else { return };
        // What has arrived and was not read yet counts: this process may have been stopped.
        if !matches!(self.stream.readiness(), Ok(Readiness::Idle)) {
            return;
        }
        let now = coarse_now();
        let mut state = lock(&self.state);
        let arrived = self.arrived();
        if !state.initiator.is_open() || state.silence.is_found(arrived) {
            return;
        }
        let Some(since) = state.silence.find(arrived, now, now.since(started)) else { return };
        drop(state);
        report!(
            warn,
            "nothing arrives on a connection, which takes no more calls",
            peer = self.peer(),
            milliseconds = now.since(since).as_millis(),
        );
        self.room.notify_all();
        self.leave_room();
        listener.went_silent(since);
    }

    /// Notes that a call was cancelled, which began at `started`.
    #[cold]
    pub(in crate::client) fn note_cancelled(&self, started: CoarseInstant) {
        if coarse_now().since(started) >= PATIENCE {
            self.note_expired(started);
        }
    }

    /// Takes note that another connection to the same address is silent since `since`. So is this
    /// one, if nothing has arrived since then either.
    pub(in crate::client) fn distrust(&self, since: CoarseInstant) {
        let now = coarse_now();
        let mut state = lock(&self.state);
        let arrived = self.arrived();
        match state.initiator.is_idle() {
            true if state.last_used <= since => drop(state.silence.mark(arrived, now)),
            true => {}
            false => drop(state.silence.find(arrived, now, now.since(since))),
        }
    }

    /// Takes calls again although nothing arrives, for a while: there is no better connection.
    pub(in crate::client) fn trust(&self) {
        lock(&self.state).silence.trust(coarse_now());
    }

    /// Takes no more calls, whatever may still arrive. The connection is closed when those under way
    /// have ended.
    pub(in crate::client) fn leave(&self) {
        let mut state = lock(&self.state);
        state.initiator.close();
        state.left = true;
        drop(state);
        self.close_when_idle();
    }

    /// Whether nothing waits for the connection that was [left](Self::leave), nor for its queue.
    pub(in crate::client) fn is_finished(&self) -> bool {
        let idle = {
            let state = lock(&self.state);
            if state.lost.is_some() {
                return true;
            }
            state.initiator.is_idle()
        };
        idle && lock(&self.outgoing).is_empty()
    }
}
