//! A hash index to table slots that is read without a lock.
//!
//! It uses open addressing over atomic words. A reader sees each entry as it was at one moment and
//! compares the object that it leads to. An entry that changes concurrently can thus only be missed
//! or fail to match.

use arc_swap::ArcSwap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// An entry holds the hash in its upper half and the slot index, counted from 1, in its lower half.
const EMPTY: u64 = 0;

/// A removed entry. Entries inserted later may follow it in the probe sequence.
const REMOVED: u64 = u32::MAX as u64;

/// The smallest number of entries of a table that is not empty.
const MIN_ENTRIES: usize = 16;

/// Slot indices by the hash of what is in the slot. At most half of the entries are in use.
pub(crate) struct Index {
    entries: ArcSwap<Box<[AtomicU64]>>,
    /// The number of entries that are not empty, and of those that were removed. Writers lock it.
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    taken: usize,
    gone: usize,
}

impl Index {
    pub(crate) fn new() -> Self {
        let entries = ArcSwap::from_pointee(Box::default());
        Self { entries, counts: Mutex::default() }
    }

    /// Finds the slot index with this hash for which `is_it` returns a result.
    #[inline]
    pub(crate) fn find<R>(&self, hash: u32, mut is_it: impl FnMut(u32) -> Option<R>) -> Option<R> {
        let entries = self.entries.load();
        let mask = entries.len().wrapping_sub(1);
        let start = hash as usize;
        for at in 0..entries.len() {
            let entry = entries.get(start.wrapping_add(at) & mask)?.load(Ordering::Acquire);
            if entry == EMPTY {
                return None;
            }
            let may_be = entry != REMOVED && (entry >> 32) as u32 == hash;
            if may_be && let Some(found) = is_it((entry as u32).wrapping_sub(1)) {
                return Some(found);
            }
        }
        None
    }

    /// Inserts a slot index.
    pub(crate) fn insert(&self, hash: u32, place: u32) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if 2 * (counts.taken + 1) > self.entries.load().len() {
            self.rebuild(&mut counts);
        }
        put(&self.entries.load(), entry(hash, place));
        counts.taken += 1;
    }

    /// Removes a slot index.
    pub(crate) fn remove(&self, hash: u32, place: u32) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = self.entries.load();
        let mask = entries.len().wrapping_sub(1);
        let wanted = entry(hash, place);
        let ways = (0..entries.len()).map(|at| (hash as usize).wrapping_add(at) & mask);
        for at in ways {
            match entries[at].load(Ordering::Relaxed) {
                EMPTY => return,
                found if found == wanted => {
                    entries[at].store(REMOVED, Ordering::Release);
                    counts.gone += 1;
                    return;
                }
                _ => {}
            }
        }
    }

    /// Grows the table and drops removed entries. Readers of the old table continue with it.
    fn rebuild(&self, counts: &mut Counts) {
        let old = self.entries.load();
        let live = counts.taken - counts.gone;
        let size = (4 * (live + 1)).next_power_of_two().max(MIN_ENTRIES);
        let new: Box<[AtomicU64]> = (0..size).map(|_| AtomicU64::new(EMPTY)).collect();
        let kept = old.iter().map(|entry| entry.load(Ordering::Relaxed));
        kept.filter(|entry| ![EMPTY, REMOVED].contains(entry)).for_each(|entry| put(&new, entry));
        *counts = Counts { taken: live, gone: 0 };
        self.entries.store(std::sync::Arc::new(new));
    }
}

fn entry(hash: u32, place: u32) -> u64 {
    u64::from(hash) << 32 | (u64::from(place) + 1)
}

/// Writes an entry to the first empty place of its probe sequence; there is one.
fn put(entries: &[AtomicU64], entry: u64) {
    let start = (entry >> 32) as usize;
    let mask = entries.len().wrapping_sub(1);
    let mut ways = (0..entries.len()).map(|at| &entries[start.wrapping_add(at) & mask]);
    if let Some(free) = ways.find(|place| place.load(Ordering::Relaxed) == EMPTY) {
        free.store(entry, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exactly(place: u32) -> impl FnMut(u32) -> Option<()> {
        move |found| (found == place).then_some(())
    }

    #[test]
    fn values_are_found_until_they_are_removed() {
        let index = Index::new();
        // Few different hashes, so that many entries share one.
        let hash = |place: u32| place.wrapping_mul(0x9e37_79b9) >> 24;
        (0..1_000).for_each(|place| index.insert(hash(place), place));
        for place in 0..1_000 {
            assert!(index.find(hash(place), exactly(place)).is_some(), "{place}");
            assert!(index.find(hash(place), exactly(5_000)).is_none());
        }
        (0..1_000).step_by(2).for_each(|place| index.remove(hash(place), place));
        for place in 0..1_000 {
            assert_eq!(index.find(hash(place), exactly(place)).is_some(), place % 2 == 1);
        }
    }

    #[test]
    fn coming_and_going_for_long_takes_no_more_room() {
        let index = Index::new();
        for round in 0..10_000u32 {
            index.insert(round, round);
            if round >= 10 {
                index.remove(round - 10, round - 10);
            }
        }
        assert!(index.entries.load().len() <= 64, "{}", index.entries.load().len());
    }
}
