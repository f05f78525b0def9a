//! A table of things that come and go, each read in the place where it was put, in one access without a lock.
//!
//! # Safety contract
//! Of what `place.rs` asks, this file keeps: [`Table::insert`] puts things only into places whose numbers were free, which it
//! alone has from then on.

#![allow(unsafe_code)]

use super::guard::Guard;
use super::held::Held;
use super::place::Slot;
use super::places::Places;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What has a lower number is not expected: of few things all are at hand.
const MANY: u32 = 1024;

/// Things by their place. Who looks one up takes no lock; putting in and taking out take one.
///
/// Things that were taken out stay where they are until nobody looks at them or holds them any more. When the
/// table is dropped, what nobody holds is dropped too.
pub struct Table<T>(Arc<Places<T>>);

impl<T: Send + Sync> Table<T> {
    /// An empty table.
    pub fn new() -> Self {
        Self(Arc::new(Places::new()))
    }

    /// What stands at `slot`, if it is still what the slot was made for.
    #[inline(always)]
    pub fn get(&self, slot: Slot) -> Option<Guard<'_, T>> {
        let place = self.0.place(slot.index)?;
        Guard::look(&self.0, place, |place| place.life.is_present(slot.generation))
    }

    /// Has the processor get what stands at a place, which will be looked at soon.
    #[inline(always)]
    pub fn expect(&self, index: u32) {
        if index >= MANY
            && let Some(place) = self.0.place(index)
        {
            place.expect();
        }
    }

    /// What stands at a place now, whatever stood there before.
    #[inline]
    pub fn at(&self, index: u32) -> Option<Guard<'_, T>> {
        let place = self.0.place(index)?;
        Guard::look(&self.0, place, |place| place.life.is_any_present())
    }

    /// The slot of the thing at this address, which the caller protects.
    pub fn slot_of(&self, address: NonZeroUsize) -> Option<Slot> {
        let index = self.0.index_at(address.get())?;
        let place = self.0.place(index)?;
        let slot = Slot { index, generation: place.life.generation() };
        (place.words()[1] == address).then_some(slot)
    }

    /// Whose what stood at `slot` was, as long as nothing else has stood there since.
    pub fn owner(&self, slot: Slot) -> Option<u32> {
        let place = self.0.place(slot.index)?;
        let owner = self.0.last_owner(slot.index)?.load(Ordering::SeqCst);
        (place.life.generation() == slot.generation).then_some(owner)
    }

    /// Whether `owner` may have had what stood at `slot`: the place was given away then, and nothing
    /// says that it was another's.
    pub fn may_have_been(&self, slot: Slot, owner: u32) -> bool {
        let Some(place) = self.0.place(slot.index) else { return false };
        let last = self.0.last_owner(slot.index).map(|last| last.load(Ordering::SeqCst));
        match place.life.generation().wrapping_sub(slot.generation) {
            0 => last == Some(owner),
            // Generations that are still to come are far behind, the other way round.
            since => since <= u32::MAX / 2,
        }
    }

    /// Takes a free place for what `make` builds, who is told where it will stand; it is `owner`'s.
    pub fn insert(&self, owner: u32, make: impl FnOnce(Slot) -> T) -> Held<T> {
        let index = self.0.take_free();
        let (place, last) = self.0.place_or_grow(index);
        // First: who finds the new owner does not take it for that of what stood there before.
        let generation = place.life.give_away();
        // Before its life for everybody: who does not find the owner looks before that was put in.
        last.store(owner, Ordering::SeqCst);
        let thing = make(Slot { index, generation });
        // SAFETY: the number of the place was free, so it is empty, and nobody else has it now.
        unsafe { place.put(thing, generation) };
        Held::new(&self.0, place)
    }

    /// Takes out what stands at a slot, and says whether this call did. Slots made for it lead nowhere from now
    /// on; it goes when nobody looks at it or holds it any more, which whoever is last sees to.
    pub fn remove(&self, slot: Slot) -> bool {
        let Some(place) = self.0.place(slot.index) else { return false };
        let removed = place.life.leave(Some(slot.generation));
        if removed {
            self.0.clear_left(place, place.life.left());
        }
        removed
    }

    /// Everything of `owner`'s that stands in the table at this moment, and perhaps what others have put
    /// in its places meanwhile. What is not `owner`'s is not looked at: there may be very much of it.
    pub fn of(&self, owner: u32) -> impl Iterator<Item = Held<T>> {
        let ours = move |last: &AtomicU32| last.load(Ordering::SeqCst) == owner;
        let ours = self.0.owners().filter(move |(_, last)| ours(last));
        ours.filter_map(|(index, _)| self.at(index).map(|guard| guard.hold()))
    }
}

impl<T: Send + Sync> Default for Table<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for Table<T> {
    fn drop(&mut self) {
        for place in self.0.used() {
            if place.life.leave(None) {
                // Nobody looks, who would borrow the table.
                drop(self.0.take_left(place, place.life.generation(), |_| false));
            }
        }
    }
}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Table(..)")
    }
}

#[cfg(test)]
mod tests;
