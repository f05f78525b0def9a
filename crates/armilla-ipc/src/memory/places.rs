//! The places of a table, and who takes out what stands in them.
//!
//! # Safety contract
//! Of what `place.rs` asks, this file keeps:
//!
//! - [`Places::take_left`] alone takes things out, under the lock, where all is so as it must be: those who call it
//!   have found the thing leaving, then passed a heavy fence, and scan the hazard pointers; or nobody can look any more.
//!   They say by its generation what they found. Others may have taken that out meanwhile, and something else that
//!   stands there may be leaving by now: of that fence and that scan it knows nothing.
//! - *Places do not move*, and stay until all go.

#![allow(unsafe_code)]

use super::hazard;
use super::huge_pages;
use super::place::Place;
use crate::fence;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Segment `s` holds `FIRST << s` places, so that the table grows without moving what is in it.
pub(super) const FIRST: usize = 64;

/// Enough segments for 2³¹ places. No place has a higher number, so that those numbers can stand
/// for something else.
const SEGMENTS: usize = 26;

pub(super) struct Places<T> {
    segments: [OnceLock<Segment<T>>; SEGMENTS],
    free: Mutex<FreePlaces>,
}

struct Segment<T> {
    /// Not in the order of their numbers: see `scattered`.
    places: Box<[Place<T>]>,
    /// Whose it was last, of each place.
    owners: Box<[AtomicU32]>,
}

#[derive(Default)]
pub(super) struct FreePlaces {
    pub(super) given_back: Vec<u32>,
    pub(super) never_used: u32,
}

impl FreePlaces {
    fn take(&mut self) -> u32 {
        self.given_back.pop().unwrap_or_else(|| {
            let index = self.never_used;
            self.never_used += 1;
            index
        })
    }
}

impl<T> Places<T> {
    pub(super) fn new() -> Self {
        Self { segments: [const { OnceLock::new() }; SEGMENTS], free: Mutex::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, FreePlaces> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline(always)]
    pub(super) fn place(&self, index: u32) -> Option<&Place<T>> {
        let (segment, number) = locate(index);
        self.segments.get(segment)?.get()?.places.get(scattered(number))
    }

    /// The number of one of these places.
    fn index(&self, place: &Place<T>) -> Option<u32> {
        self.index_at(std::ptr::from_ref(place).addr())
    }

    /// The number of the place at this address, if it is one of these.
    pub(super) fn index_at(&self, address: usize) -> Option<u32> {
        self.segments().find_map(|(first, segment)| Some(first + segment.number(address)? as u32))
    }

    /// Those that there are, each with the number of its first place. A thread that grows the table may be slower than the
    /// next one.
    fn segments(&self) -> impl Iterator<Item = (u32, &Segment<T>)> {
        let first = |segment: usize| ((FIRST << segment) - FIRST) as u32;
        let segments = self.segments.iter().enumerate();
        segments.filter_map(move |(number, segment)| Some((first(number), segment.get()?)))
    }

    /// A free place, given away.
    pub(super) fn take_free(&self) -> u32 {
        self.lock().take()
    }

    /// Every place that was ever given away.
    pub(super) fn used(&self) -> impl Iterator<Item = &Place<T>> {
        let used = self.lock().never_used;
        (0..used).filter_map(|index| self.place(index))
    }

    /// Whose it was last, of each place by its number.
    pub(super) fn owners(&self) -> impl Iterator<Item = (u32, &AtomicU32)> {
        self.segments().flat_map(|(first, segment)| (first..).zip(&segment.owners))
    }

    pub(super) fn last_owner(&self, index: u32) -> Option<&AtomicU32> {
        let (segment, number) = locate(index);
        self.segments.get(segment)?.get()?.owners.get(number)
    }

    pub(super) fn place_or_grow(&self, index: u32) -> (&Place<T>, &AtomicU32) {
        let (segment, number) = locate(index);
        let segment = self.segments[segment].get_or_init(|| Segment::new(FIRST << segment));
        // `locate` gives numbers within the segment.
        (&segment.places[scattered(number)], &segment.owners[number])
    }

    /// Ends what was found `left` a moment ago, leaving and held by nobody, unless somebody looks at it or holds it
    /// again; who does sees to it later.
    #[inline]
    pub(super) fn clear_left(&self, place: &Place<T>, left: Option<u32>) {
        if let Some(generation) = left {
            self.clear(place, generation);
        }
    }

    #[cold]
    pub(super) fn clear(&self, place: &Place<T>, generation: u32) {
        fence::heavy();
        // Without the lock: the program may do anything when what was its own is dropped.
        drop(self.take_left(place, generation, hazard::is_protected));
    }

    /// Takes out what is leaving by this generation, and gives its place back, where nobody holds it and `is_protected`
    /// does not find that somebody looks at it.
    pub(super) fn take_left(
        &self,
        place: &Place<T>,
        generation: u32,
        is_protected: impl Fn([NonZeroUsize; 2]) -> bool,
    ) -> Option<T> {
        let mut free = self.lock();
        // The holds last: who looked may have held it before the hazard pointer was cleared.
        if is_protected(place.words()) || place.life.left() != Some(generation) {
            return None;
        }
        let index = self.index(place)?;
        // SAFETY: it is leaving, held by nobody and looked at by nobody, and this thread has the lock.
        let gone = unsafe { place.take() };
        place.life.end();
        free.given_back.push(index);
        Some(gone)
    }
}

impl<T> Segment<T> {
    fn new(size: usize) -> Self {
        let mut places = Vec::with_capacity(size);
        huge_pages::advise(places.spare_capacity_mut());
        places.extend((0..size).map(|_| Place::empty()));
        let owners = (0..size).map(|_| AtomicU32::new(0)).collect();
        Self { places: places.into(), owners }
    }

    /// The number within the segment of the place at this address, if it lies in it.
    fn number(&self, address: usize) -> Option<usize> {
        let distance = address.wrapping_sub(self.places.as_ptr().addr());
        let offset = distance / size_of::<Place<T>>();
        (offset < self.places.len()).then(|| scattered(offset))
    }
}

/// In which segment a place lies, and which of it that is.
#[inline]
const fn locate(index: u32) -> (usize, usize) {
    let shifted = index as usize + FIRST;
    let segment = (shifted.ilog2() - FIRST.ilog2()) as usize;
    (segment, shifted - (FIRST << segment))
}

/// Where the place with this number lies in its segment, and which number lies there: neighbours change places.
/// Places at equal distances, as of every thousandth object, would otherwise share a few sets of the processor's
/// cache, and no more of them would stay there than have room in these.
#[inline]
const fn scattered(number: usize) -> usize {
    number ^ ((number >> 11) % FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_one_another_through_the_segments() {
        let mut expected = (0, 0);
        for index in 0..10_000 {
            assert_eq!(locate(index), expected);
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert!(locate(u32::MAX >> 1).0 < SEGMENTS);
    }

    #[test]
    fn every_place_of_a_segment_has_one_number() {
        for size in (0..14).map(|segment| FIRST << segment) {
            let mut taken = vec![false; size];
            for number in 0..size {
                assert_eq!(scattered(scattered(number)), number);
                assert!(!std::mem::replace(&mut taken[scattered(number)], true));
            }
        }
    }

    #[test]
    fn a_place_is_found_wherever_its_segment_lies() {
        let places = Places::<u64>::new();
        for index in 0..(FIRST << 6) as u32 {
            let (place, _) = places.place_or_grow(index);
            assert_eq!(places.index(place), Some(index));
        }
        let segment = Segment::<u64>::new(FIRST);
        let (start, size) = (segment.places.as_ptr().addr(), size_of::<Place<u64>>());
        let beyond = start + FIRST * size;
        for outside in [0, start - 1, start - size, start - 100 * size, beyond, usize::MAX] {
            assert_eq!(segment.number(outside), None);
        }
    }

    /// A set of the second cache is told by eleven bits behind the line, in most processors of today, and has room for
    /// eight lines or more.
    #[test]
    fn places_at_equal_distances_share_no_set_of_the_cache_with_many() {
        for distance in [512, 1000, 1024] {
            let mut sets = [0; 2048];
            (0..1000).for_each(|turn| sets[scattered(turn * distance) % 2048] += 1);
            assert!(sets.iter().all(|lines| *lines <= 8), "{distance}");
        }
    }
}
