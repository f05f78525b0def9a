//! The active object map: from a place in an object key to the object, in one access without a lock.

use super::Activation;
use super::object_key::Slot;
use arc_swap::{ArcSwapOption, Guard};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Segment `s` holds `FIRST << s` places, so that the map grows without moving what is in it.
const FIRST: usize = 64;

/// Enough segments for 2³² places.
const SEGMENTS: usize = 27;

/// All active objects of an ORB. Readers take no lock; activation and deactivation take one.
pub(crate) struct ObjectMap {
    segments: [OnceLock<Box<[Place]>>; SEGMENTS],
    free: Mutex<FreePlaces>,
}

#[derive(Default)]
struct Place {
    /// Counts how often the place was given away.
    generation: AtomicU32,
    activation: ArcSwapOption<Activation>,
}

#[derive(Default)]
struct FreePlaces {
    given_back: Vec<u32>,
    never_used: u32,
}

impl ObjectMap {
    pub(crate) fn new() -> Self {
        Self { segments: [const { OnceLock::new() }; SEGMENTS], free: Mutex::default() }
    }

    /// The object at `slot`, if it is still the one that the slot was made for.
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Option<Guard<Option<Arc<Activation>>>> {
        let place = self.place(slot.index)?;
        let found = place.activation.load();
        // The object is read first: when its place was given away in between, the generation that
        // is read afterwards is the later one and the slot does not match.
        let live = place.generation.load(Ordering::Acquire) == slot.generation && found.is_some();
        live.then_some(found)
    }

    /// Takes a free place for the object that `make` builds, who is told where it will stand.
    pub(crate) fn insert(&self, make: impl FnOnce(Slot) -> Activation) -> Arc<Activation> {
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
        let activation = Arc::new(make(Slot { index, generation }));
        place.activation.store(Some(activation.clone()));
        activation
    }

    /// Empties the place of an object. Keys made for it fail from now on.
    pub(crate) fn remove(&self, slot: Slot) {
        let Some(place) = self.place(slot.index) else { return };
        if place.generation.load(Ordering::Acquire) == slot.generation
            && place.activation.swap(None).is_some()
        {
            self.lock().given_back.push(slot.index);
        }
    }

    /// Every object that is active at this moment.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Arc<Activation>> {
        let segments = self.segments.iter().map_while(OnceLock::get);
        segments.flatten().filter_map(|place| place.activation.load_full())
    }

    fn lock(&self) -> MutexGuard<'_, FreePlaces> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn place(&self, index: u32) -> Option<&Place> {
        let (segment, offset) = locate(index);
        self.segments.get(segment)?.get()?.get(offset)
    }

    fn place_or_grow(&self, index: u32) -> &Place {
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
    fn places_follow_one_another_through_the_segments() {
        let mut expected = (0, 0);
        for index in 0..10_000 {
            assert_eq!(locate(index), expected);
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert!(locate(u32::MAX).0 < SEGMENTS);
    }
}
