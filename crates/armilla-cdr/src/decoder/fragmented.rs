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
pub struct FragmentedOctets {
    octets: Vec<u8>,
    /// Where each piece but the first begins.
    starts: Vec<usize>,
    /// How far every piece but the first stands from the origin of its alignment.
    offset: usize,
}

impl FragmentedOctets {
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
        let mut decoder = Decoder { pieces, ..Decoder::at(&self.octets, position, order) };
        if pieces.is_some() {
            decoder.go_to(position, self.octets.len());
        }
        decoder
    }

    /// Where the piece with this index ends.
    fn end(&self, piece: u32) -> usize {
        self.starts.get(piece as usize).copied().unwrap_or(self.octets.len())
    }

    /// Where the piece with this index begins.
    fn start(&self, piece: u32) -> usize {
        piece.checked_sub(1).map_or(0, |before| self.end(before))
    }

    /// Where what a decoder sees of the piece with this index begins: the octets before the piece stand
    /// in for the header that set its alignment.
    fn base(&self, piece: u32) -> usize {
        match piece {
            0 => 0,
            _ => self.start(piece).saturating_sub(self.offset),
        }
    }

    /// The piece in which the octet at `place` stands.
    fn piece_at(&self, place: usize) -> u32 {
        // A message has less than 2³² octets, and its pieces are not empty but for a few.
        self.starts.partition_point(|start| *start <= place) as u32
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
        let seen = pieces.octets.get(self.place()..self.end_of_chunk());
        let taken = seen.and_then(|left| left.get(..len)).ok_or(failure)?;
        self.skip_to(self.place() + len);
        Ok(taken)
    }

    /// Goes to `place`, which is no further away than the present chunk reaches.
    pub(crate) fn skip_to(&mut self, place: usize) {
        while self.pieces.is_some_and(|pieces| pieces.end(self.piece) < place) && self.enter_next()
        {
        }
        self.position = place - self.base();
    }

    /// Goes to `place` and sees what follows it up to `end`.
    pub(crate) fn go_to(&mut self, place: usize, end: usize) {
        self.piece = self.pieces.map_or(0, |pieces| pieces.piece_at(place));
        self.position = place.saturating_sub(self.base());
        self.see_up_to(end);
    }

    /// Sees what there is of the present piece up to `end`.
    pub(crate) fn see_up_to(&mut self, end: usize) {
        let (all, base) = (self.all(), self.base());
        let end = self.pieces.map_or(end, |pieces| end.min(pieces.end(self.piece)));
        self.octets = all.get(base..end).unwrap_or_default();
    }

    /// How many octets stand before those that come next: as [`position`](Self::position), but with all
    /// pieces put together, as indirections count (CORBA 3.4 Part 2, 9.3.5.1).
    #[inline]
    pub(crate) fn place(&self) -> usize {
        self.base() + self.position.min(self.octets.len())
    }

    /// Where what the decoder sees begins.
    #[inline]
    pub(crate) fn base(&self) -> usize {
        self.pieces.map_or(0, |pieces| pieces.base(self.piece))
    }

    /// Which piece is read.
    pub(crate) const fn piece(&self) -> u32 {
        self.piece
    }

    /// Whether what was read since this piece is aligned as if it had come in one.
    pub(crate) fn is_aligned_since(&self, piece: u32) -> bool {
        let aligned = |pieces: &FragmentedOctets| {
            let mut origins = (piece..=self.piece).map(|piece| pieces.base(piece) % 8);
            origins.next().is_none_or(|first| origins.all(|origin| origin == first))
        };
        self.pieces.is_none_or(aligned)
    }

    /// The octets of all pieces, also those that the decoder does not see.
    pub(crate) fn all(&self) -> &'a [u8] {
        match (self.pieces, &self.values) {
            (Some(pieces), _) => &pieces.octets,
            (None, Some(values)) => values.all(),
            (None, None) => self.octets,
        }
    }

    /// Goes to the start of the next piece, if there is one.
    fn enter_next(&mut self) -> bool {
        let Some(pieces) = self.pieces else { return false };
        let (next, end) = (self.piece + 1, self.end_of_chunk());
        if next as usize > pieces.starts.len() || pieces.start(next) >= end {
            return false;
        }
        self.go_to(pieces.start(next), end);
        true
    }
}
