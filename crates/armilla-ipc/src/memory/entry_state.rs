//! The state of an entry, in one atomic word: its generation, whether it has a value, and the
//! number of references.

use std::process::abort;
use std::sync::atomic::{AtomicU64, Ordering};

/// The lower half but for the flags: the number of references, apart from the table's own.
const REFERENCES: u64 = (1 << 30) - 1;

/// The entry has a value, which everybody may access.
const PRESENT: u64 = 1 << 30;

/// The entry has a value that was removed. It is reclaimed when no thread protects the entry and no
/// reference is left.
const RETIRED: u64 = 1 << 31;

/// The lowest bit of the generation.
const GENERATION: u32 = 32;

/// One word: all its changes are totally ordered.
#[derive(Debug)]
pub(super) struct EntryState(AtomicU64);

impl EntryState {
    /// The state of an entry that never had a value.
    pub(super) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The generation of the value, or of the last one.
    pub(super) fn generation(&self) -> u32 {
        (self.0.load(Ordering::Acquire) >> GENERATION) as u32
    }

    /// Begins the next generation of a free entry, before it has a value. Returns it.
    pub(super) fn next_generation(&self) -> u32 {
        let generation = self.generation().wrapping_add(1);
        self.0.store(u64::from(generation) << GENERATION, Ordering::SeqCst);
        generation
    }

    /// Makes the new value of this generation present, with one reference.
    pub(super) fn publish(&self, generation: u32) {
        self.0.store(u64::from(generation) << GENERATION | PRESENT | 1, Ordering::SeqCst);
    }

    /// Whether the value of this generation is present.
    #[inline(always)]
    pub(super) fn is_present(&self, generation: u32) -> bool {
        let state = self.0.load(Ordering::SeqCst);
        state & !REFERENCES == u64::from(generation) << GENERATION | PRESENT
    }

    /// Whether a value is present.
    pub(super) fn is_any_present(&self) -> bool {
        self.0.load(Ordering::SeqCst) & PRESENT != 0
    }

    /// Whether there is a value that was removed.
    #[inline(always)]
    pub(super) fn is_retired(&self) -> bool {
        self.0.load(Ordering::SeqCst) & RETIRED != 0
    }

    /// Removes the value of this generation, or of any. Returns whether this call did.
    pub(super) fn retire(&self, generation: Option<u32>) -> bool {
        let change = |state: u64| {
            let is_meant =
                generation.is_none_or(|generation| state >> GENERATION == generation.into());
            (is_meant && state & PRESENT != 0).then_some(state ^ PRESENT | RETIRED)
        };
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, change).is_ok()
    }

    /// Counts a reference. The caller protects the entry, or has a reference.
    pub(super) fn add_reference(&self) {
        let before = self.0.fetch_add(1, Ordering::SeqCst);
        if before & REFERENCES > REFERENCES / 2 {
            // The program forgets references over and over. The count would soon overflow.
            abort();
        }
    }

    /// Drops a reference. Returns the generation of the value where that was the last one, and the
    /// value is retired.
    pub(super) fn drop_reference(&self) -> Option<u32> {
        reclaimable(self.0.fetch_sub(1, Ordering::SeqCst) - 1)
    }

    /// The generation of the value where it is retired and has no references.
    pub(super) fn reclaimable(&self) -> Option<u32> {
        reclaimable(self.0.load(Ordering::SeqCst))
    }

    /// Makes the entry one without a value. Returns whether it had one.
    pub(super) fn clear(&self) -> bool {
        self.0.fetch_and(!(PRESENT | RETIRED), Ordering::SeqCst) & (PRESENT | RETIRED) != 0
    }
}

fn reclaimable(state: u64) -> Option<u32> {
    (state & (RETIRED | REFERENCES) == RETIRED).then_some((state >> GENERATION) as u32)
}
