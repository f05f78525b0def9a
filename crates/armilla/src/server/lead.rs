//! Who reads a connection: one thread leads it at any time, which is the only one to read from it.
//!
//! The leader serves what it reads itself. While it is in a servant another thread may take the
//! lead over, so that a servant that mark_blocked does not keep the client's other requests waiting; the
//! former leader finds out when it comes back. Both are one comparison of a word.

use armilla_giop::engine::{Mark, Stand};
use std::sync::atomic::{AtomicU64, Ordering};

/// The lead of one connection. The word counts up with every change of where the connection
/// stands, which its two lowest bits say.
#[derive(Debug)]
pub(super) struct Lead {
    word: AtomicU64,
    reads: AtomicU64,
}

/// The word as the leader left it last. Whoever has the one that is in force leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn(u64);

const BUSY: u64 = 0;
const WAITING: u64 = 1;
const HALFWAY: u64 = 2;
const STAND: u64 = 3;

impl Turn {
    pub(super) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(super) const fn to_bits(self) -> u64 {
        self.0
    }

    const fn stands(self, stand: u64) -> bool {
        self.0 & STAND == stand
    }

    const fn next(self, stand: u64) -> Self {
        Self((self.0 & !STAND).wrapping_add(STAND + 1) | stand)
    }
}

impl Lead {
    /// A connection that waits for its first message.
    pub(super) const fn new() -> Self {
        Self { word: AtomicU64::new(WAITING), reads: AtomicU64::new(0) }
    }

    /// The turn that is in force, for who has got the lead otherwise.
    pub(super) fn turn(&self) -> Turn {
        Turn(self.word.load(Ordering::Acquire))
    }

    /// Notes that the leader waits for a message, or for the rest of one.
    #[inline]
    pub(super) fn waits(&self, turn: &mut Turn, halfway: bool) {
        let stand = if halfway { HALFWAY } else { WAITING };
        if !turn.stands(stand) {
            self.stand(turn, stand);
        } else if halfway {
            self.reads.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Notes that the leader goes to a servant.
    #[inline]
    pub(super) fn serves(&self, turn: &mut Turn) {
        self.stand(turn, BUSY);
    }

    /// Notes that it has come back; `false` when it does not lead any more.
    #[inline]
    pub(super) fn served(&self, turn: &mut Turn) -> bool {
        let next = turn.next(WAITING);
        let changed =
            self.word.compare_exchange(turn.0, next.0, Ordering::AcqRel, Ordering::Relaxed);
        *turn = next;
        changed.is_ok()
    }

    /// Takes the lead from a leader that is in a servant since `seen`.
    pub(super) fn take(&self, seen: Turn) -> Option<Turn> {
        if !seen.stands(BUSY) {
            return None;
        }
        let mut turn = seen;
        self.served(&mut turn).then_some(turn)
    }

    /// What the connection shows of itself.
    pub(super) fn mark(&self) -> Mark {
        let word = self.word.load(Ordering::Relaxed);
        let stand = match word & STAND {
            BUSY => Stand::Busy,
            HALFWAY => Stand::Halfway,
            _ => Stand::Waiting,
        };
        Mark { stand, serial: word >> 2, reads: self.reads.load(Ordering::Relaxed) }
    }

    #[inline]
    fn stand(&self, turn: &mut Turn, stand: u64) {
        *turn = turn.next(stand);
        self.word.store(turn.0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_taken_once_and_from_one_who_serves() {
        let lead = Lead::new();
        let mut first = lead.turn();
        assert_eq!(lead.take(first), None, "it waits");
        lead.serves(&mut first);
        let second = lead.take(first).expect("it serves");
        assert_eq!(lead.take(first), None, "taken already");
        assert!(!lead.served(&mut first), "it does not lead any more");
        let mut second = second;
        lead.waits(&mut second, true);
        assert_eq!(lead.mark().stand, Stand::Halfway);
        lead.serves(&mut second);
        assert!(lead.served(&mut second));
    }

    #[test]
    fn every_message_gets_a_serial_and_every_part_of_one_a_count() {
        let lead = Lead::new();
        let mut turn = lead.turn();
        let begun = lead.mark();
        lead.waits(&mut turn, false);
        assert_eq!(lead.mark(), begun, "it waits as before");
        lead.waits(&mut turn, true);
        let halfway = lead.mark();
        lead.waits(&mut turn, true);
        let more = lead.mark();
        assert_eq!((more.serial, more.stand), (halfway.serial, Stand::Halfway));
        assert_ne!(more.reads, halfway.reads);
        lead.serves(&mut turn);
        assert!(lead.served(&mut turn));
        assert_ne!(lead.mark().serial, begun.serial);
    }
}
