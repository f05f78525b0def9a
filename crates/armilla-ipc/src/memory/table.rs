//! A table of values that come and go, each read in its entry without a lock.
//!
//! # Safety contract
//! Of what `entry.rs` asks, this file keeps: [`Table::insert`] writes values only to entries that
//! were free, which belong to it alone from then on.

#![allow(unsafe_code)]

use super::entries::Entries;
use super::entry::Slot;
use super::guard::Guard;
use super::handle::Handle;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Entries below this index are not prefetched: a small table is in the cache anyway.
const PREFETCHED: u32 = 1024;

/// Values by their slots. A lookup takes no lock; an insertion and a removal take one.
///
/// A value that was removed stays where it is until no guard and no handle leads to it. When the
/// table is dropped, all values without handles are dropped too.
pub struct Table<T>(Arc<Entries<T>>);

impl<T: Send + Sync> Table<T> {
    /// An empty table.
    pub fn new() -> Self {
        Self(Arc::new(Entries::new()))
    }

    /// The value at `slot`, if it was not removed.
    #[inline(always)]
    pub fn get(&self, slot: Slot) -> Option<Guard<'_, T>> {
        let entry = self.0.entry(slot.index)?;
        Guard::new(&self.0, entry, |entry| entry.state.is_present(slot.generation))
    }

    /// Prefetches an entry that will be read soon.
    #[inline(always)]
    pub fn expect(&self, index: u32) {
        if index >= PREFETCHED
            && let Some(entry) = self.0.entry(index)
        {
            entry.prefetch();
        }
    }

    /// The value of an entry now, of any generation.
    #[inline]
    pub fn at(&self, index: u32) -> Option<Guard<'_, T>> {
        let entry = self.0.entry(index)?;
        Guard::new(&self.0, entry, |entry| entry.state.is_any_present())
    }

    /// The slot of the value at this address, which the caller protects.
    pub fn slot_of(&self, address: NonZeroUsize) -> Option<Slot> {
        let index = self.0.index_at(address.get())?;
        let entry = self.0.entry(index)?;
        let slot = Slot { index, generation: entry.state.generation() };
        (entry.hazard_words()[1] == address).then_some(slot)
    }

    /// The owner of the value at `slot`, also of a removed one until the entry is used again.
    pub fn owner(&self, slot: Slot) -> Option<u32> {
        let entry = self.0.entry(slot.index)?;
        let owner = self.0.last_owner(slot.index)?.load(Ordering::SeqCst);
        (entry.state.generation() == slot.generation).then_some(owner)
    }

    /// Whether the value at `slot` may have been `owner`'s: the slot was in use, and nothing says
    /// that it was another's.
    pub fn may_have_been(&self, slot: Slot, owner: u32) -> bool {
        let Some(entry) = self.0.entry(slot.index) else { return false };
        let last = self.0.last_owner(slot.index).map(|last| last.load(Ordering::SeqCst));
        match entry.state.generation().wrapping_sub(slot.generation) {
            0 => last == Some(owner),
            // Future generations are far behind, the other way round.
            since => since <= u32::MAX / 2,
        }
    }

    /// Puts a value of `owner`'s into a free entry. `make` builds it, given its slot.
    pub fn insert(&self, owner: u32, make: impl FnOnce(Slot) -> T) -> Handle<T> {
        let index = self.0.take_free();
        let (entry, last) = self.0.entry_or_grow(index);
        // First: a thread that finds the new owner must not take it for that of the last value.
        let generation = entry.state.next_generation();
        // Before the value is present: a thread that does not find the owner looks before the
        // insertion.
        last.store(owner, Ordering::SeqCst);
        let value = make(Slot { index, generation });
        // SAFETY: the entry was free, so it has no value, and belongs to this thread now.
        unsafe { entry.write(value, generation) };
        Handle::new(&self.0, entry)
    }

    /// Removes the value at a slot, and returns whether this call did. The slot leads nowhere from
    /// now on. The value is dropped when no guard and no handle leads to it any more, by the thread
    /// that has the last one.
    pub fn remove(&self, slot: Slot) -> bool {
        let Some(entry) = self.0.entry(slot.index) else { return false };
        let removed = entry.state.retire(Some(slot.generation));
        if removed {
            self.0.reclaim_if(entry, entry.state.reclaimable());
        }
        removed
    }

    /// All values of `owner`'s that are in the table now, and perhaps values that others have put
    /// into their entries meanwhile. Values of other owners, of which there may be many, are not
    /// accessed.
    pub fn of(&self, owner: u32) -> impl Iterator<Item = Handle<T>> {
        let ours = move |last: &AtomicU32| last.load(Ordering::SeqCst) == owner;
        let ours = self.0.owners().filter(move |(_, last)| ours(last));
        ours.filter_map(|(index, _)| self.at(index).map(|guard| guard.to_handle()))
    }
}

impl<T: Send + Sync> Default for Table<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for Table<T> {
    fn drop(&mut self) {
        for entry in self.0.used() {
            if entry.state.retire(None) {
                // There are no guards: they would borrow the table.
                drop(self.0.take(entry, entry.state.generation(), |_| false));
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
