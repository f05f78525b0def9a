//! A table of things that come and go: from a place in a key to the thing, in one access without a
//! lock. The active object map is one.

use super::object_key::Slot;
use arc_swap::{ArcSwapOption, Guard};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Segment `s` holds `FIRST << s` places, so that the map grows without moving what is in it.
const FIRST: usize = 64;

/// Enough segments for 2³¹ places. No place has a higher number, so that those numbers can stand
/// for something else.
const SEGMENTS: usize = 26;

/// Things by their place. Readers take no lock; putting in and taking out take one.
pub(crate) struct Table<T> {
    segments: [OnceLock<Box<[Place<T>]>>; SEGMENTS],
    free: Mutex<FreePlaces>,
}

struct Place<T> {
    /// Counts how often the place was given away.
    generation: AtomicU32,
    /// Whose it was last.
    owner: AtomicU32,
    content: ArcSwapOption<T>,
}

#[derive(Default)]
struct FreePlaces {
    given_back: Vec<u32>,
    never_used: u32,
}

impl<T> Default for Place<T> {
    fn default() -> Self {
        let (generation, owner) = Default::default();
        Self { generation, owner, content: ArcSwapOption::empty() }
    }
}

impl<T> Table<T> {
    pub(crate) fn new() -> Self {
        Self { segments: [const { OnceLock::new() }; SEGMENTS], free: Mutex::default() }
    }

    /// What stands at `slot`, if it is still what the slot was made for.
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Option<Guard<Option<Arc<T>>>> {
        let place = self.place(slot.index)?;
        let found = place.content.load();
        // The content is read first: when its place was given away in between, the generation that
        // is read afterwards is the later one and the slot does not match.
        let live = place.generation.load(Ordering::Acquire) == slot.generation && found.is_some();
        live.then_some(found)
    }

    /// What stands at a place now, whatever stood there before.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> Option<Guard<Option<Arc<T>>>> {
        Some(self.place(index)?.content.load()).filter(|found| found.is_some())
    }

    /// Whose what stood at `slot` was, as long as nothing else has stood there since.
    pub(crate) fn owner(&self, slot: Slot) -> Option<u32> {
        let place = self.place(slot.index)?;
        let owner = place.owner.load(Ordering::Acquire);
        (place.generation.load(Ordering::Acquire) == slot.generation).then_some(owner)
    }

    /// Whether `owner` may have had what stood at `slot`: the place was given away then, and nothing
    /// says that it was another's.
    pub(crate) fn may_have_been(&self, slot: Slot, owner: u32) -> bool {
        let Some(place) = self.place(slot.index) else { return false };
        let last = place.owner.load(Ordering::Acquire);
        match place.generation.load(Ordering::Acquire).wrapping_sub(slot.generation) {
            0 => last == owner,
            // Generations that are still to come are far behind, the other way round.
            since => since <= u32::MAX / 2,
        }
    }

    /// Takes a free place for what `make` builds, who is told where it will stand; it is `owner`'s.
    pub(crate) fn insert(&self, owner: u32, make: impl FnOnce(Slot) -> T) -> Arc<T> {
        let index = {
            let mut free = self.lock();
            match free.given_back.pop() {
                Some(index) => index,
                None => {
                    let index = free.never_used;
                    free.never_used += 1;
                    index
                }
            }
        };
        let place = self.place_or_grow(index);
        let generation = place.generation.fetch_add(1, Ordering::AcqRel).wrapping_add(1);
        // Before the content for everybody: who does not find the owner looks before that was put in.
        place.owner.store(owner, Ordering::SeqCst);
        let content = Arc::new(make(Slot { index, generation }));
        place.content.store(Some(content.clone()));
        content
    }

    /// Empties a place, and says whether this call did. Keys made for what stood there fail from now
    /// on.
    pub(crate) fn remove(&self, slot: Slot) -> bool {
        let Some(place) = self.place(slot.index) else { return false };
        let removed = place.generation.load(Ordering::Acquire) == slot.generation
            && place.content.swap(None).is_some();
        if removed {
            self.lock().given_back.push(slot.index);
        }
        removed
    }

    /// Everything of `owner`'s that stands in the table at this moment, and perhaps what others have put
    /// in its places meanwhile. What is not `owner`'s is not looked at: there may be very much of it.
    pub(crate) fn of(&self, owner: u32) -> impl Iterator<Item = Arc<T>> {
        let segments = self.segments.iter().map_while(OnceLock::get);
        let ours = move |place: &&Place<T>| place.owner.load(Ordering::SeqCst) == owner;
        segments.flatten().filter(ours).filter_map(|place| place.content.load_full())
    }

    fn lock(&self) -> MutexGuard<'_, FreePlaces> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn place(&self, index: u32) -> Option<&Place<T>> {
        let (segment, offset) = locate(index);
        self.segments.get(segment)?.get()?.get(offset)
    }

    fn place_or_grow(&self, index: u32) -> &Place<T> {
        let (segment, offset) = locate(index);
        let places = self.segments[segment]
            .get_or_init(|| (0..FIRST << segment).map(|_| Place::default()).collect());
        // `locate` gives offsets within the segment.
        &places[offset]
    }
}

/// In which segment a place lies, and where in it.
#[inline]
const fn locate(index: u32) -> (usize, usize) {
    let shifted = index as usize + FIRST;
    let segment = (shifted.ilog2() - FIRST.ilog2()) as usize;
    (segment, shifted - (FIRST << segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_owner_has_is_found_among_what_others_have() {
        let table = Table::new();
        let given: Vec<_> = (0..200_u32).map(|n| table.insert(n % 3, |slot| (n, slot))).collect();
        for gone in given.iter().filter(|thing| thing.0 % 2 == 0) {
            assert!(table.remove(gone.1));
        }
        table.insert(1, |slot| (200, slot));
        let ours: Vec<_> = table.of(1).map(|thing| thing.0).filter(|n| *n < 200).collect();
        let expected: Vec<_> = (0..200).filter(|n| n % 3 == 1 && n % 2 == 1).collect();
        assert_eq!(ours, expected);
        assert_eq!(table.of(1).filter(|thing| thing.0 == 200).count(), 1);
        assert_eq!(table.of(3).count(), 0);
    }

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
}
