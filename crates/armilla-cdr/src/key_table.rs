//! Tables with small keys.
//!
//! All of them share one search tree from keys to indices. With a `BTreeMap` for each type of
//! entries the compiler would make the code of the tree again for each.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

/// The value of a key, unique among the keys of one table.
type Number = (usize, u64);

/// A key of a [`KeyTable`].
pub(crate) trait Key: Copy {
    /// Its value.
    fn number(self) -> Number;
}

impl Key for usize {
    fn number(self) -> Number {
        (self, 0)
    }
}

impl Key for i64 {
    fn number(self) -> Number {
        (0, self.cast_unsigned())
    }
}

/// Up to this many entries are compared one after the other.
const FEW: usize = 8;

/// Entries by their keys.
#[derive(Clone)]
pub(crate) struct KeyTable<T> {
    /// In the order in which they came.
    entries: Vec<(Number, T)>,
    /// The indices of the entries, once there are more than a few.
    tree: BTreeMap<Number, usize>,
}

impl<T> Default for KeyTable<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), tree: BTreeMap::new() }
    }
}

impl<T> KeyTable<T> {
    pub(crate) fn get(&self, key: impl Key) -> Option<&T> {
        let found = self.find(key.number()).and_then(|found| self.entries.get(found));
        found.map(|(_, entry)| entry)
    }

    pub(crate) fn contains(&self, key: impl Key) -> bool {
        self.find(key.number()).is_some()
    }

    /// Inserts the entry, in place of one with the same key. Returns whether there was none.
    pub(crate) fn insert(&mut self, key: impl Key, entry: T) -> bool {
        let key = key.number();
        if let Some(found) = self.find(key) {
            self.entries[found].1 = entry;
            return false;
        }
        self.entries.push((key, entry));
        if self.entries.len() > FEW {
            // The first time those that were there before too.
            let from = if self.tree.is_empty() { 0 } else { self.entries.len() - 1 };
            for (index, (key, _)) in self.entries.iter().enumerate().skip(from) {
                insert(&mut self.tree, *key, index);
            }
        }
        true
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().map(|(_, entry)| entry)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn find(&self, key: Number) -> Option<usize> {
        match self.entries.len() <= FEW {
            true => self.entries.iter().position(|(known, _)| *known == key),
            false => find(&self.tree, key),
        }
    }
}

impl<T> fmt::Debug for KeyTable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyTable").field("entries", &self.len()).finish_non_exhaustive()
    }
}

#[inline(never)]
fn find(tree: &BTreeMap<Number, usize>, key: Number) -> Option<usize> {
    tree.get(&key).copied()
}

#[inline(never)]
fn insert(tree: &mut BTreeMap<Number, usize>, key: Number, index: usize) {
    tree.insert(key, index);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_the_entry_that_came_last() {
        for count in [0, 1, FEW - 1, FEW, FEW + 1, 1_000] {
            let mut table = KeyTable::default();
            for round in 0..2 {
                for key in (0..count).rev() {
                    assert_eq!(table.insert(key, key + round), round == 0, "{key} of {count}");
                }
                assert!((0..count).all(|key| table.get(key) == Some(&(key + round))));
            }
            assert!(table.entries().eq((1..=count).rev().collect::<Vec<_>>().iter()));
            assert!(table.len() == count && !table.contains(count) && table.get(count).is_none());
        }
    }
}
