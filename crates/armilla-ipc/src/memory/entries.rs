//! The entries of a table, and how their values are reclaimed.
//!
//! # Safety contract
//! Of what `entry.rs` asks, this file keeps:
//!
//! - [`Entries::take`] alone takes values out, under the lock, after it has checked the state and
//!   the hazard pointers. Its callers have found the value retired, then issued a heavy fence, and
//!   look at the hazard pointers afterwards; or no thread can access the value any more. They name
//!   the generation that they found: another thread may have taken that value out meanwhile, and
//!   the next value of the entry may be retired by now, about which that fence and that scan say
//!   nothing.
//! - *Entries do not move*, and live until all of them go.

#![allow(unsafe_code)]

use super::entry::Entry;
use super::hazard;
use super::huge_pages;
use crate::fence;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Segment `s` holds `FIRST << s` entries, so that the table grows without moving what is in it.
pub(super) const FIRST: usize = 64;

/// Enough segments for 2³¹ entries. Greater indices are free for other uses.
const SEGMENTS: usize = 26;

pub(super) struct Entries<T> {
    segments: [OnceLock<Segment<T>>; SEGMENTS],
    free: Mutex<FreeEntries>,
}

struct Segment<T> {
    /// Not in the order of their indices: see `scattered`.
    entries: Box<[Entry<T>]>,
    /// The last owner of each entry.
    owners: Box<[AtomicU32]>,
}

#[derive(Default)]
pub(super) struct FreeEntries {
    pub(super) given_back: Vec<u32>,
    pub(super) never_used: u32,
}

impl FreeEntries {
    fn take(&mut self) -> u32 {
        self.given_back.pop().unwrap_or_else(|| {
            let index = self.never_used;
            self.never_used += 1;
            index
        })
    }
}

impl<T> Entries<T> {
    pub(super) fn new() -> Self {
        Self { segments: [const { OnceLock::new() }; SEGMENTS], free: Mutex::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, FreeEntries> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline(always)]
    pub(super) fn entry(&self, index: u32) -> Option<&Entry<T>> {
        let (segment, number) = locate(index);
        self.segments.get(segment)?.get()?.entries.get(scattered(number))
    }

    /// The index of one of these entries.
    fn index(&self, entry: &Entry<T>) -> Option<u32> {
        self.index_at(std::ptr::from_ref(entry).addr())
    }

    /// The index of the entry at this address, if it is one of these.
    pub(super) fn index_at(&self, address: usize) -> Option<u32> {
        self.segments().find_map(|(first, segment)| Some(first + segment.number(address)? as u32))
    }

    /// The segments that exist, each with the index of its first entry. A thread that grows the
    /// table may be slower than the next one: there may be gaps.
    fn segments(&self) -> impl Iterator<Item = (u32, &Segment<T>)> {
        let first = |segment: usize| ((FIRST << segment) - FIRST) as u32;
        let segments = self.segments.iter().enumerate();
        segments.filter_map(move |(number, segment)| Some((first(number), segment.get()?)))
    }

    /// Takes a free entry, and returns its index.
    pub(super) fn take_free(&self) -> u32 {
        self.lock().take()
    }

    /// Every entry that was ever taken.
    pub(super) fn used(&self) -> impl Iterator<Item = &Entry<T>> {
        let used = self.lock().never_used;
        (0..used).filter_map(|index| self.entry(index))
    }

    /// The last owner of each entry, by its index.
    pub(super) fn owners(&self) -> impl Iterator<Item = (u32, &AtomicU32)> {
        self.segments().flat_map(|(first, segment)| (first..).zip(&segment.owners))
    }

    pub(super) fn last_owner(&self, index: u32) -> Option<&AtomicU32> {
        let (segment, number) = locate(index);
        self.segments.get(segment)?.get()?.owners.get(number)
    }

    pub(super) fn entry_or_grow(&self, index: u32) -> (&Entry<T>, &AtomicU32) {
        let (segment, number) = locate(index);
        let segment = self.segments[segment].get_or_init(|| Segment::new(FIRST << segment));
        // `locate` gives numbers within the segment.
        (&segment.entries[scattered(number)], &segment.owners[number])
    }

    /// Reclaims the value of an entry that was found `reclaimable` a moment ago, unless a thread
    /// accesses it or refers to it again; then that thread reclaims it later.
    #[inline]
    pub(super) fn reclaim_if(&self, entry: &Entry<T>, reclaimable: Option<u32>) {
        if let Some(generation) = reclaimable {
            self.reclaim(entry, generation);
        }
    }

    /// The same for the value of this generation.
    #[cold]
    pub(super) fn reclaim(&self, entry: &Entry<T>, generation: u32) {
        fence::heavy();
        // Without the lock: the program may do anything when its value is dropped.
        drop(self.take(entry, generation, hazard::is_protected));
    }

    /// Takes the value of this generation out, and frees the entry, where the value is retired, has
    /// no references, and `is_protected` finds no hazard pointer.
    pub(super) fn take(
        &self,
        entry: &Entry<T>,
        generation: u32,
        is_protected: impl Fn([NonZeroUsize; 2]) -> bool,
    ) -> Option<T> {
        let mut free = self.lock();
        // The references last: a thread may have made one before it cleared its hazard pointer.
        if is_protected(entry.hazard_words()) || entry.state.reclaimable() != Some(generation) {
            return None;
        }
        let index = self.index(entry)?;
        // SAFETY: the value is retired, without references or hazard pointers, and this thread has
        // the lock.
        let value = unsafe { entry.take() };
        entry.state.clear();
        free.given_back.push(index);
        Some(value)
    }
}

impl<T> Segment<T> {
    fn new(size: usize) -> Self {
        let mut entries = Vec::with_capacity(size);
        huge_pages::advise(entries.spare_capacity_mut());
        entries.extend((0..size).map(|_| Entry::empty()));
        let owners = (0..size).map(|_| AtomicU32::new(0)).collect();
        Self { entries: entries.into(), owners }
    }

    /// The number within the segment of the entry at this address, if it lies there.
    fn number(&self, address: usize) -> Option<usize> {
        let distance = address.wrapping_sub(self.entries.as_ptr().addr());
        let offset = distance / size_of::<Entry<T>>();
        (offset < self.entries.len()).then(|| scattered(offset))
    }
}

/// The segment of an entry, and its number there.
#[inline]
const fn locate(index: u32) -> (usize, usize) {
    // Wide enough for every index, whatever a word is: it may come from a stranger's key.
    let (shifted, first) = (index as u64 + FIRST as u64, FIRST as u64);
    let segment = shifted.ilog2() - first.ilog2();
    (segment as usize, (shifted - (first << segment)) as usize)
}

/// The position in its segment of the entry with this number, and the number of the entry at this
/// position: neighbours are exchanged. Entries at equal distances, as of every thousandth object,
/// would otherwise share a few sets of the cache and evict one another.
#[inline]
const fn scattered(number: usize) -> usize {
    number ^ ((number >> 11) % FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_follow_one_another_through_the_segments() {
        let mut expected = (0, 0);
        for index in 0..10_000 {
            assert_eq!(locate(index), expected);
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert!(locate(u32::MAX >> 1).0 < SEGMENTS);
        let entries = Entries::<u8>::new();
        for index in u32::MAX - 2 * FIRST as u32..=u32::MAX {
            assert!(locate(index).0 + 1 >= SEGMENTS && entries.entry(index).is_none(), "{index}");
        }
    }

    #[test]
    fn every_entry_of_a_segment_has_one_number() {
        for size in (0..14).map(|segment| FIRST << segment) {
            let mut taken = vec![false; size];
            for number in 0..size {
                assert_eq!(scattered(scattered(number)), number);
                assert!(!std::mem::replace(&mut taken[scattered(number)], true));
            }
        }
    }

    #[test]
    fn an_entry_is_found_wherever_its_segment_lies() {
        let entries = Entries::<u64>::new();
        for index in 0..(FIRST << 6) as u32 {
            let (entry, _) = entries.entry_or_grow(index);
            assert_eq!(entries.index(entry), Some(index));
        }
        let segment = Segment::<u64>::new(FIRST);
        let (start, size) = (segment.entries.as_ptr().addr(), size_of::<Entry<u64>>());
        let beyond = start + FIRST * size;
        for outside in [0, start - 1, start - size, start - 100 * size, beyond, usize::MAX] {
            assert_eq!(segment.number(outside), None);
        }
    }

    /// Most processors choose the set of the second-level cache by eleven bits above the line. A
    /// set has room for eight lines or more.
    #[test]
    fn entries_at_equal_distances_share_no_set_of_the_cache_with_many() {
        for distance in [512, 1000, 1024] {
            let mut sets = [0; 2048];
            (0..1000).for_each(|turn| sets[scattered(turn * distance) % 2048] += 1);
            assert!(sets.iter().all(|lines| *lines <= 8), "{distance}");
        }
    }
}
