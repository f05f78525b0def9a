//! The transactions of a process, by their numbers and by what all coordinators call them.

use super::entry::{Entry, lock};
use crate::model::{GlobalRef, Key};
use crate::numbers::Numbered;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// One lock would be shared by all threads.
const SHARDS: usize = 16;

#[derive(Default)]
pub(super) struct Table {
    hasher: RandomState,
    by_key: [Mutex<HashMap<Key, Arc<Entry>>>; SHARDS],
    /// By the hashes of their identifiers: nobody who looks for one makes a copy of it.
    by_global: [Mutex<Numbered<Vec<Arc<Entry>>>>; SHARDS],
    count: AtomicUsize,
}

impl Table {
    fn keys(&self, key: Key) -> &Mutex<HashMap<Key, Arc<Entry>>> {
        &self.by_key[self.hasher.hash_one(key) as usize % SHARDS]
    }

    fn globals(&self, hash: u64) -> MutexGuard<'_, Numbered<Vec<Arc<Entry>>>> {
        lock(&self.by_global[hash as usize % SHARDS])
    }

    pub(super) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    pub(super) fn find(&self, key: Key) -> Option<Arc<Entry>> {
        lock(self.keys(key)).get(&key).cloned()
    }

    /// The entry of a transaction. `then` runs before anybody can remove it.
    pub(super) fn find_global(
        &self,
        global: GlobalRef<'_>,
        then: impl FnOnce(&Entry),
    ) -> Option<Arc<Entry>> {
        let hash = self.hasher.hash_one(global);
        let globals = self.globals(hash);
        let known = globals.get(&hash)?.iter().find(|it| it.global.global() == global)?;
        then(known);
        Some(known.clone())
    }

    /// Adds an entry, or returns the one that there is of the same transaction. `then` runs before
    /// anybody can remove it.
    pub(super) fn add(&self, entry: Arc<Entry>, then: impl FnOnce(&Entry)) -> Arc<Entry> {
        let hash = self.hasher.hash_one(entry.global.global());
        let mut globals = self.globals(hash);
        let same = globals.entry(hash).or_default();
        if let Some(known) = same.iter().find(|it| it.global.is_same(&entry.global)) {
            then(known);
            return known.clone();
        }
        then(&entry);
        same.push(entry.clone());
        lock(self.keys(entry.key)).insert(entry.key, entry.clone());
        self.count.fetch_add(1, Ordering::Relaxed);
        entry
    }

    /// Removes an entry, if it may go.
    pub(super) fn remove_if(&self, entry: &Entry, may_go: impl FnOnce(&Entry) -> bool) {
        let hash = self.hasher.hash_one(entry.global.global());
        let mut globals = self.globals(hash);
        if !may_go(entry) {
            return;
        }
        if let Some(same) = globals.get_mut(&hash) {
            same.retain(|known| known.key != entry.key);
            if same.is_empty() {
                globals.remove(&hash);
            }
        }
        if lock(self.keys(entry.key)).remove(&entry.key).is_some() {
            self.count.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(super) fn all(&self) -> Vec<Arc<Entry>> {
        let each = |shard: &Mutex<HashMap<_, Arc<Entry>>>| -> Vec<_> {
            lock(shard).values().cloned().collect()
        };
        self.by_key.iter().flat_map(each).collect()
    }
}
