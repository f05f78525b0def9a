//! The leadership of a connection: at any time one thread leads it, and only this thread reads from
//! it.
//!
//! The leader serves the requests that it reads. While it is in a servant, another thread may take
//! over the leadership, so that a servant that blocks does not delay the client's other requests.
//! The former leader notices when the servant returns. Each step is one atomic operation on one
//! word.
//!
//! When the leadership is handed over is decided in [`crate::server::connections::connection`] and
//! [`super::monitor`].

use armilla_giop::engine::{Activity, ReadState};
use std::sync::atomic::{AtomicU64, Ordering};

/// The leadership of one connection. The two lowest bits of the word are the state of the
/// connection; the rest counts its changes.
#[derive(Debug)]
pub(in crate::server) struct Leadership {
    word: AtomicU64,
    reads: AtomicU64,
}

/// The word as the leader last stored it. The thread whose token equals the word is the leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct LeadToken(u64);

const BUSY: u64 = 0;
const WAITING: u64 = 1;
const PARTIAL: u64 = 2;
const STATE_MASK: u64 = 3;

impl LeadToken {
    pub(in crate::server) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(in crate::server) const fn to_bits(self) -> u64 {
        self.0
    }

    const fn is_in(self, state: u64) -> bool {
        self.0 & STATE_MASK == state
    }

    const fn next(self, state: u64) -> Self {
        Self((self.0 & !STATE_MASK).wrapping_add(STATE_MASK + 1) | state)
    }
}

impl Leadership {
    /// The leadership of a connection that waits for its first message.
    pub(in crate::server) const fn new() -> Self {
        Self { word: AtomicU64::new(WAITING), reads: AtomicU64::new(0) }
    }

    /// The current token, for a thread that is the leader for another reason: the connection is
    /// new, or the reactor has given its event to this thread only.
    pub(in crate::server) fn token(&self) -> LeadToken {
        LeadToken(self.word.load(Ordering::Acquire))
    }

    /// Notes that the leader waits for a message, or (`partial`) for the rest of one. Returns
    /// whether a message has begun with this, so that a time limit begins which no request tells of.
    #[inline]
    pub(in crate::server) fn await_message(&self, token: &mut LeadToken, partial: bool) -> bool {
        let state = if partial { PARTIAL } else { WAITING };
        if !token.is_in(state) {
            self.set_state(token, state);
            return partial;
        }
        if partial {
            self.reads.fetch_add(1, Ordering::Relaxed);
        }
        false
    }

    /// Notes that the leader enters a servant.
    #[inline]
    pub(in crate::server) fn enter_servant(&self, token: &mut LeadToken) {
        self.set_state(token, BUSY);
    }

    /// Notes that the servant has returned. Returns `false` when this thread is no longer the
    /// leader.
    #[inline]
    pub(in crate::server) fn leave_servant(&self, token: &mut LeadToken) -> bool {
        let next = token.next(WAITING);
        let changed =
            self.word.compare_exchange(token.0, next.0, Ordering::AcqRel, Ordering::Relaxed);
        *token = next;
        changed.is_ok()
    }

    /// Takes the leadership from a leader that is still in the servant that it entered with `seen`.
    pub(in crate::server) fn take_over(&self, seen: LeadToken) -> Option<LeadToken> {
        if !seen.is_in(BUSY) {
            return None;
        }
        let mut token = seen;
        self.leave_servant(&mut token).then_some(token)
    }

    /// What the leader is doing, for timeouts.
    pub(in crate::server) fn activity(&self) -> Activity {
        let word = self.word.load(Ordering::Relaxed);
        let state = match word & STATE_MASK {
            BUSY => ReadState::Busy,
            PARTIAL => ReadState::Partial,
            _ => ReadState::Waiting,
        };
        Activity { state, serial: word >> 2, reads: self.reads.load(Ordering::Relaxed) }
    }

    #[inline]
    fn set_state(&self, token: &mut LeadToken, state: u64) {
        *token = token.next(state);
        self.word.store(token.0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leadership_is_taken_over_once_and_only_from_a_leader_in_a_servant() {
        let leadership = Leadership::new();
        let mut first = leadership.token();
        assert_eq!(leadership.take_over(first), None, "it waits");
        leadership.enter_servant(&mut first);
        let second = leadership.take_over(first).expect("it serves");
        assert_eq!(leadership.take_over(first), None, "taken already");
        assert!(!leadership.leave_servant(&mut first), "it does not lead any more");
        let mut second = second;
        assert!(leadership.await_message(&mut second, true));
        assert_eq!(leadership.activity().state, ReadState::Partial);
        leadership.enter_servant(&mut second);
        assert!(leadership.leave_servant(&mut second));
    }

    #[test]
    fn every_message_gets_a_serial_and_every_part_of_one_a_count() {
        let leadership = Leadership::new();
        let mut token = leadership.token();
        let begun = leadership.activity();
        assert!(!leadership.await_message(&mut token, false));
        assert_eq!(leadership.activity(), begun, "it waits as before");
        assert!(leadership.await_message(&mut token, true));
        let partial = leadership.activity();
        assert!(!leadership.await_message(&mut token, true), "it began before");
        let more = leadership.activity();
        assert_eq!((more.serial, more.state), (partial.serial, ReadState::Partial));
        assert_ne!(more.reads, partial.reads);
        leadership.enter_servant(&mut token);
        assert!(leadership.leave_servant(&mut token));
        assert_ne!(leadership.activity().serial, begun.serial);
    }
}
