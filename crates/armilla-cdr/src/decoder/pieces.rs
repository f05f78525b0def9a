//! Octets that arrived in pieces, each with an alignment of its own.
//!
//! Only GIOP 1.1 does this: it aligns what is in a fragment from the start of that fragment (CORBA
//! 3.4 Part 2, 9.4.9), so pieces put together cannot be read as one. A [`Decoder`] reads one piece
//! at a time and comes here, off its usual path, when that piece is used up. So it does at the end of
//! a chunk of a value, which is then left to `crate::value`.

use super::{Decoder, truncated};
use crate::{ByteOrder, CdrResult};
use alloc::vec::Vec;

/// Octets in pieces. They lie one behind the other without the headers that came with them, so that
/// strings and octet sequences can be borrowed across.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces {
    octets: Vec<u8>,
    /// Where each piece but the first begins.
    starts: Vec<usize>,
    /// How far every piece but the first stands from the origin of its alignment.
    offset: usize,
}

impl Pieces {
    /// The first piece, whose first octet is the origin of its alignment. Every further piece
    /// counts as standing `offset` octets behind such an origin: those of the header that came
    /// with it. The first piece still has its header, so it is at least as long.
    pub const fn new(first: Vec<u8>, offset: usize) -> Self {
        Self { octets: first, starts: Vec::new(), offset }
    }

    /// Appends octets to the last piece.
    pub fn extend(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    /// Appends a piece.
    pub fn push(&mut self, piece: &[u8]) {
        self.starts.push(self.octets.len());
        self.octets.extend_from_slice(piece);
    }

    /// All octets.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// All octets, to be changed in place.
    pub fn octets_mut(&mut self) -> &mut [u8] {
        &mut self.octets
    }

    /// A decoder at `position` of all octets.
    pub fn decoder(&self, position: usize, order: ByteOrder) -> Decoder<'_> {
        let pieces = Some(self).filter(|_| !self.starts.is_empty());
        let first = &self.octets[..self.end(0)];
        let mut decoder = Decoder { pieces, ..Decoder::at(first, position, order) };
        while position > self.end(decoder.piece) && decoder.enter_next() {
            decoder.position += position - self.start(decoder.piece);
        }
        decoder
    }

    /// How many octets there are behind the piece with this index.
    pub(super) fn behind(&self, piece: u32) -> usize {
        self.octets.len() - self.end(piece)
    }

    /// Where the piece with this index ends.
    fn end(&self, piece: u32) -> usize {
        self.starts.get(piece as usize).copied().unwrap_or(self.octets.len())
    }

    /// Where the piece with this index begins.
    fn start(&self, piece: u32) -> usize {
        piece.checked_sub(1).map_or(0, |before| self.end(before))
    }
}

impl<'a> Decoder<'a> {
    /// Takes `N` octets that are not in the present piece any more. A number never lies in two.
    #[cold]
    pub(super) fn take_behind<const N: usize>(&mut self) -> CdrResult<[u8; N]> {
        let failure = truncated(self.position, self.remaining(), N);
        if self.next_chunk() {
            return self.take();
        }
        while self.here() == 0 && self.enter_next() {
            self.align(N);
            if let Some(taken) = self.octets.get(self.position..).and_then(<[u8]>::first_chunk) {
                self.position += N;
                return Ok(*taken);
            }
        }
        Err(failure)
    }

    /// Goes to the next octets, which are aligned from their own origin, when the present piece or
    /// chunk is used up.
    #[cold]
    pub(super) fn go_on_behind(&mut self, alignment: usize) {
        if self.next_chunk() {
            return self.align(alignment);
        }
        while self.here() == 0 && self.enter_next() {
            self.align(alignment);
        }
    }

    /// Takes `len` octets that go on behind the present piece.
    #[cold]
    pub(super) fn raw_behind(&mut self, len: usize) -> CdrResult<&'a [u8]> {
        let failure = truncated(self.position, self.remaining(), len);
        if self.next_chunk() {
            return self.raw(len);
        }
        let pieces = self.pieces.ok_or(failure)?;
        let start = pieces.end(self.piece) - self.here();
        let taken = pieces.octets.get(start..).and_then(|left| left.get(..len)).ok_or(failure)?;
        let end = start + len;
        while pieces.end(self.piece) < end && self.enter_next() {}
        self.position = self.octets.len() - (pieces.end(self.piece) - end);
        Ok(taken)
    }

    /// Goes to the start of the next piece, if there is one.
    fn enter_next(&mut self) -> bool {
        let Some(pieces) = self.pieces else { return false };
        if self.piece as usize == pieces.starts.len() {
            return false;
        }
        self.piece += 1;
        // The octets before the piece stand in for the header that set its alignment.
        let start = pieces.start(self.piece);
        let offset = pieces.offset.min(start);
        self.octets = &pieces.octets[start - offset..pieces.end(self.piece)];
        self.position = offset;
        true
    }
}
