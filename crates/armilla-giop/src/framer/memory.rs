//! How much memory the receive buffer has: it grows with a message that arrives, and shrinks again.

use super::{Framer, INITIAL, RETAINED};
use alloc::vec;
use alloc::vec::Vec;
use armilla_cdr::{LARGE_MEMORY, reserve_large};
use core::mem;

/// Messages begin at a multiple of this address in large buffers. The memory of a large allocation
/// begins 16 octets behind a page, and some processors (AMD Zen 3) copy to there at half their
/// speed. That is what most of the time of a large read is.
const ALIGNMENT: usize = 64;

impl Framer {
    /// The octets of memory that the framer will hold after the next read, beyond what every
    /// connection has: for a message that is incomplete.
    #[cold]
    pub fn expected_memory(&self) -> usize {
        let held = self.end - self.start;
        let buffer = match held {
            0 => 0,
            _ if self.end < self.buffer.len() && self.needed <= self.buffer.len() - self.start => {
                self.buffer.len()
            }
            _ => self.enlarged(),
        };
        buffer.saturating_sub(INITIAL) + self.fragments_memory()
    }

    /// The memory of the fragments whose messages are incomplete, in octets.
    pub fn fragments_memory(&self) -> usize {
        self.reassembly.memory()
    }

    /// The length of the buffer when it is full the next time.
    fn enlarged(&self) -> usize {
        let full = self.buffer.len();
        (self.needed + ALIGNMENT).max(full + INITIAL).min(full + self.end - self.start)
    }

    /// Where messages begin in the buffer.
    pub(super) fn front(&self) -> usize {
        match self.buffer.len() > INITIAL {
            true => self.buffer.as_ptr().align_offset(ALIGNMENT) % ALIGNMENT,
            false => 0,
        }
    }

    /// Frees the memory of large messages, unless octets wait there; the last message is released.
    /// Returns how many octets that were.
    #[cold]
    pub fn release_memory(&mut self) -> usize {
        self.release();
        let fragments = self.reassembly.release_memory();
        if self.start != self.end || self.buffer.len() <= INITIAL {
            return fragments;
        }
        (self.start, self.end) = (0, 0);
        fragments + mem::take(&mut self.buffer).len()
    }

    /// Moves the incomplete message to the front, or enlarges the buffer for it by no more than has
    /// arrived. Each octet moves at most once this way.
    #[cold]
    pub(super) fn make_room(&mut self) {
        if self.start > self.front() {
            self.move_to(self.front());
        }
        let full = self.buffer.len();
        if self.end == full {
            let length = self.enlarged();
            match length >= LARGE_MEMORY {
                true => reserve_large(&mut self.buffer, length),
                false => self.buffer.reserve_exact(length - full),
            }
            self.buffer.resize(length, 0);
            // The front of large buffers is further behind. Growth leaves more space than that.
            if self.start < self.front() {
                self.move_to(self.front());
            }
        }
    }

    /// Moves the incomplete message.
    pub(super) fn move_to(&mut self, place: usize) {
        self.buffer.copy_within(self.start..self.end, place);
        self.moved_to(place);
    }

    /// Continues with the octets `rest`, which were at `from` in the memory used before.
    #[inline]
    pub(super) fn carry_over(&mut self, rest: &[u8], from: usize) {
        if !rest.is_empty() {
            if self.buffer.len() < rest.len() {
                self.buffer.resize(rest.len().max(INITIAL), 0);
            }
            self.buffer[..rest.len()].copy_from_slice(rest);
        }
        self.scanned = self.scanned.saturating_sub(from);
        (self.start, self.end) = (0, rest.len());
    }

    /// Swaps the memory of `lender` in, and the received octets with it.
    #[cold]
    pub(super) fn borrow(&mut self, lender: &mut Vec<u8>) {
        mem::swap(&mut self.buffer, lender);
        if self.buffer.len() < INITIAL {
            self.buffer = vec![0; INITIAL];
        }
        let front = self.front();
        if self.start != self.end {
            let held = &lender[self.start..self.end];
            self.buffer[front..front + held.len()].copy_from_slice(held);
        }
        self.moved_to(front);
    }

    /// Adjusts positions after the octets from `start` on were moved to `place`.
    pub(super) fn moved_to(&mut self, place: usize) {
        self.end = self.end - self.start + place;
        self.scanned = self.scanned.saturating_sub(self.start) + place;
        self.start = place;
    }

    /// Provides enough memory, and releases some of it after a large message.
    #[cold]
    #[inline(never)]
    pub(super) fn resize(&mut self, memory: &mut Vec<u8>) {
        // While large messages follow each other, the memory that they need stays.
        let usual = self.last.min(mem::replace(&mut self.before, self.last));
        let retained = RETAINED.max(2 * usual);
        let large = memory.len() > INITIAL && (self.last <= INITIAL || memory.len() > retained);
        if large || memory.len() < INITIAL {
            *memory = vec![0; INITIAL];
        }
    }
}
