//! Octets that arrived in fragments of GIOP 1.1, each with an alignment of its own.
//!
//! Only GIOP 1.1 does this: it aligns what is in a fragment from the start of that fragment (CORBA
//! 3.4 Part 2, 9.4.9), so fragments put together cannot be read as one. A [`Decoder`] reads one
//! fragment at a time and comes here, off its usual path, when that fragment is used up. So it does
//! at the end of a chunk of a value, which is then left to `crate::value`.

use super::{Decoder, truncated};
use crate::{ByteOrder, CdrResult};
use alloc::vec::Vec;

/// The data of fragments, concatenated without their headers, so that strings and octet sequences
/// can be borrowed across the seams.
///
/// ```
/// use armilla_cdr::{ByteOrder, FragmentedOctets};
///
/// // Each further fragment was preceded by a header of 4 octets.
/// let mut octets = FragmentedOctets::new(vec![0, 0, 0, 7, 1], 4);
/// octets.push(&[0, 0, 0, 8]);
/// let mut input = octets.decoder(0, ByteOrder::Big);
/// assert_eq!((input.u32()?, input.u8()?, input.u32()?), (7, 1, 8));
/// # Ok::<(), armilla_cdr::CdrError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentedOctets {
    octets: Vec<u8>,
    /// Where each fragment but the first begins.
    starts: Vec<usize>,
    /// The length of the header that preceded each fragment but the first.
    offset: usize,
}

impl FragmentedOctets {
    /// The first fragment, whose first octet is the origin of its alignment. Every further fragment
    /// counts as standing `offset` octets behind such an origin: those of the header that came
    /// with it. The first fragment still has its header, so it is at least as long.
    pub const fn new(first: Vec<u8>, offset: usize) -> Self {
        Self { octets: first, starts: Vec::new(), offset }
    }

    /// Appends octets to the last fragment.
    pub fn extend(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    /// Appends a fragment.
    pub fn push(&mut self, fragment: &[u8]) {
        self.starts.push(self.octets.len());
        self.octets.extend_from_slice(fragment);
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
        let fragments = Some(self).filter(|_| !self.starts.is_empty());
        let mut decoder = Decoder { fragments, ..Decoder::at(&self.octets, position, order) };
        if fragments.is_some() {
            decoder.go_to(position, self.octets.len());
        }
        decoder
    }

    /// Where the fragment with this index ends.
    fn end(&self, fragment: u32) -> usize {
        self.starts.get(fragment as usize).copied().unwrap_or(self.octets.len())
    }

    /// Where the fragment with this index begins.
    fn start(&self, fragment: u32) -> usize {
        fragment.checked_sub(1).map_or(0, |before| self.end(before))
    }

    /// Where what a decoder sees of the fragment with this index begins: the octets before the
    /// fragment stand in for the header that set its alignment.
    fn base(&self, fragment: u32) -> usize {
        match fragment {
            0 => 0,
            _ => self.start(fragment).saturating_sub(self.offset),
        }
    }

    /// The fragment in which the octet at `place` stands.
    fn fragment_at(&self, place: usize) -> u32 {
        // A message has less than 2³² octets, and its fragments are not empty but for a few.
        self.starts.partition_point(|start| *start <= place) as u32
    }
}

impl<'a> Decoder<'a> {
    /// Takes `N` octets that are not in the present fragment any more. A number never lies in two.
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

    /// Goes to the next octets, which are aligned from their own origin, when the present fragment
    /// or chunk is used up.
    #[cold]
    pub(super) fn go_on_behind(&mut self, alignment: usize) {
        if self.next_chunk() {
            return self.align(alignment);
        }
        while self.here() == 0 && self.enter_next() {
            self.align(alignment);
        }
    }

    /// Takes `len` octets that go on behind the present fragment.
    #[cold]
    pub(super) fn raw_behind(&mut self, len: usize) -> CdrResult<&'a [u8]> {
        let failure = truncated(self.position, self.remaining(), len);
        if self.next_chunk() {
            return self.raw(len);
        }
        let fragments = self.fragments.ok_or(failure)?;
        let seen = fragments.octets.get(self.place()..self.end_of_chunk());
        let taken = seen.and_then(|left| left.get(..len)).ok_or(failure)?;
        self.skip_to(self.place() + len);
        Ok(taken)
    }

    /// Goes to `place`, which is no further away than the present chunk reaches.
    pub(crate) fn skip_to(&mut self, place: usize) {
        while self.fragments.is_some_and(|fragments| fragments.end(self.fragment) < place)
            && self.enter_next()
        {}
        self.position = place - self.base();
    }

    /// Goes to `place` and sees what follows it up to `end`.
    pub(crate) fn go_to(&mut self, place: usize, end: usize) {
        self.fragment = self.fragments.map_or(0, |fragments| fragments.fragment_at(place));
        self.position = place.saturating_sub(self.base());
        self.see_up_to(end);
    }

    /// Sees what there is of the present fragment up to `end`.
    pub(crate) fn see_up_to(&mut self, end: usize) {
        let (all, base) = (self.all(), self.base());
        let end = self.fragments.map_or(end, |fragments| end.min(fragments.end(self.fragment)));
        self.octets = all.get(base..end).unwrap_or_default();
    }

    /// How many octets stand before those that come next: as [`position`](Self::position), but with
    /// all fragments put together, as indirections count (CORBA 3.4 Part 2, 9.3.5.1).
    #[inline]
    pub(crate) fn place(&self) -> usize {
        self.base() + self.position.min(self.octets.len())
    }

    /// Where what the decoder sees begins.
    #[inline]
    pub(crate) fn base(&self) -> usize {
        self.fragments.map_or(0, |fragments| fragments.base(self.fragment))
    }

    /// Which fragment is read.
    pub(crate) const fn fragment(&self) -> u32 {
        self.fragment
    }

    /// Whether what was read since this fragment is aligned as if it had come in one.
    pub(crate) fn is_aligned_since(&self, fragment: u32) -> bool {
        let aligned = |fragments: &FragmentedOctets| {
            let mut origins =
                (fragment..=self.fragment).map(|fragment| fragments.base(fragment) % 8);
            origins.next().is_none_or(|first| origins.all(|origin| origin == first))
        };
        self.fragments.is_none_or(aligned)
    }

    /// The octets of all fragments, also those that the decoder does not see.
    pub(crate) fn all(&self) -> &'a [u8] {
        match (self.fragments, &self.values) {
            (Some(fragments), _) => &fragments.octets,
            (None, Some(values)) => values.all(),
            (None, None) => self.octets,
        }
    }

    /// Goes to the start of the next fragment, if there is one.
    fn enter_next(&mut self) -> bool {
        let Some(fragments) = self.fragments else { return false };
        let (next, end) = (self.fragment + 1, self.end_of_chunk());
        if next as usize > fragments.starts.len() || fragments.start(next) >= end {
            return false;
        }
        self.go_to(fragments.start(next), end);
        true
    }
}
