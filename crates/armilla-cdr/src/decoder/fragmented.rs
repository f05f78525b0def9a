//! Octets in fragments of GIOP 1.1, each with its own alignment.
//!
//! Only GIOP 1.1 aligns the data of a fragment from the start of that fragment (CORBA 3.4 Part 2,
//! 9.4.9), so the fragments cannot be concatenated and read as one. A [`Decoder`] reads one
//! fragment at a time, and calls this module at its end, off the fast path. It also does so at the
//! end of a chunk of a value, which `crate::value` handles.

use super::{Decoder, truncated};
use crate::large::{LARGE_MEMORY, counted, reserve_large};
use crate::{ByteOrder, CdrResult};
use alloc::vec::Vec;

/// The data of fragments, concatenated without their headers, so that strings and octet sequences
/// across fragments can be borrowed.
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
    /// The start of each fragment but the first.
    starts: Vec<usize>,
    /// The length of the header that preceded each fragment but the first.
    offset: usize,
}

/// From this size on memory grows in smaller steps.
const LARGE: usize = 1 << 20;

impl FragmentedOctets {
    /// The first fragment. Its first octet is the origin of its alignment. The data of every
    /// further fragment is at `offset` from such an origin, which is the length of the fragment's
    /// header. The first fragment includes its header, so it is at least as long.
    pub const fn new(first: Vec<u8>, offset: usize) -> Self {
        Self { octets: first, starts: Vec::new(), offset }
    }

    /// Begins anew with this first fragment, in the same memory.
    pub fn restart(&mut self, first: &[u8]) {
        self.octets.clear();
        self.starts.clear();
        self.extend(first);
    }

    /// Copies `other` into the memory of this one.
    pub fn copy_from(&mut self, other: &Self) {
        self.restart(&other.octets);
        self.starts.extend_from_slice(&other.starts);
        self.offset = other.offset;
    }

    /// The memory that it holds, in octets.
    pub const fn capacity(&self) -> usize {
        counted(&self.octets)
    }

    /// Appends octets to the last fragment.
    pub fn extend(&mut self, octets: &[u8]) {
        self.reserve(octets.len());
        self.octets.extend_from_slice(octets);
    }

    /// Appends a fragment.
    pub fn push(&mut self, fragment: &[u8]) {
        self.starts.push(self.octets.len());
        self.extend(fragment);
    }

    /// Makes room for `more` octets. A large message gets a quarter more than it has, not twice as
    /// much: its memory counts.
    #[inline]
    fn reserve(&mut self, more: usize) {
        let (len, capacity) = (self.octets.len(), self.octets.capacity());
        if capacity - len < more && len + more >= LARGE_MEMORY {
            let usual = if len >= LARGE { len / 4 } else { len };
            reserve_large(&mut self.octets, len + more.max(usual));
        }
    }

    /// All octets.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// All octets, mutable.
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

    /// The end of the fragment with this index.
    fn end(&self, fragment: u32) -> usize {
        self.starts.get(fragment as usize).copied().unwrap_or(self.octets.len())
    }

    /// The start of the fragment with this index.
    fn start(&self, fragment: u32) -> usize {
        fragment.checked_sub(1).map_or(0, |before| self.end(before))
    }

    /// The start of the decoder's view of the fragment with this index. The octets before the
    /// fragment stand for its header, which determines the alignment.
    fn base(&self, fragment: u32) -> usize {
        match fragment {
            0 => 0,
            _ => self.start(fragment).saturating_sub(self.offset),
        }
    }

    /// The index of the fragment that contains `place`.
    fn fragment_at(&self, place: usize) -> u32 {
        // A message has fewer than 2³² octets, and few of its fragments are empty.
        self.starts.partition_point(|start| *start <= place) as u32
    }
}

impl<'a> Decoder<'a> {
    /// Reads `N` octets after the current fragment. A number is never split.
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

    /// Moves to the next octets, which have their own alignment, when the current fragment or chunk
    /// is used up.
    #[cold]
    pub(super) fn go_on_behind(&mut self, alignment: usize) {
        if self.next_chunk() {
            return self.align(alignment);
        }
        while self.here() == 0 && self.enter_next() {
            self.align(alignment);
        }
    }

    /// Reads `len` octets that continue after the current fragment.
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

    /// Moves to `place`, which is within the current chunk.
    pub(crate) fn skip_to(&mut self, place: usize) {
        while self.fragments.is_some_and(|fragments| fragments.end(self.fragment) < place)
            && self.enter_next()
        {}
        self.position = place - self.base();
    }

    /// Moves to `place`, and limits the view to the octets before `end`.
    pub(crate) fn go_to(&mut self, place: usize, end: usize) {
        self.fragment = self.fragments.map_or(0, |fragments| fragments.fragment_at(place));
        self.position = place.saturating_sub(self.base());
        self.see_up_to(end);
    }

    /// Limits the view to the octets of the current fragment before `end`.
    pub(crate) fn see_up_to(&mut self, end: usize) {
        let (all, base) = (self.all(), self.base());
        let end = self.fragments.map_or(end, |fragments| end.min(fragments.end(self.fragment)));
        self.octets = all.get(base..end).unwrap_or_default();
    }

    /// The position in all fragments together, without headers, which is the base of indirections
    /// (CORBA 3.4 Part 2, 9.3.5.1).
    #[inline]
    pub(crate) fn place(&self) -> usize {
        self.base() + self.position.min(self.octets.len())
    }

    /// The start of the decoder's view.
    #[inline]
    pub(crate) fn base(&self) -> usize {
        self.fragments.map_or(0, |fragments| fragments.base(self.fragment))
    }

    /// The index of the current fragment.
    pub(crate) const fn fragment(&self) -> u32 {
        self.fragment
    }

    /// Whether everything since this fragment has the alignment of a single message.
    pub(crate) fn is_aligned_since(&self, fragment: u32) -> bool {
        let aligned = |fragments: &FragmentedOctets| {
            let mut origins =
                (fragment..=self.fragment).map(|fragment| fragments.base(fragment) % 8);
            origins.next().is_none_or(|first| origins.all(|origin| origin == first))
        };
        self.fragments.is_none_or(aligned)
    }

    /// The octets of all fragments, including those outside the view.
    pub(crate) fn all(&self) -> &'a [u8] {
        match (self.fragments, &self.values) {
            (Some(fragments), _) => &fragments.octets,
            (None, Some(values)) => values.all(),
            (None, None) => self.octets,
        }
    }

    /// Moves to the start of the next fragment, if there is one.
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
