//! The transactions of a process, by their numbers and by what all coordinators call them.

use super::entry::{Entry, lock};
use crate::model::{GlobalId, Key};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// One lock would be shared by all threads.
const SHARDS: usize = 16;

type Global = (i32, Vec<u8>);

#[derive(Default)]
pub(super) struct Table {
    hasher: RandomState,
    by_key: [Mutex<HashMap<Key, Arc<Entry>>>; SHARDS],
    by_global: [Mutex<HashMap<Global, Arc<Entry>>>; SHARDS],
    count: AtomicUsize,
}

impl Table {
    fn keys(&self, key: Key) -> &Mutex<HashMap<Key, Arc<Entry>>> {
        &self.by_key[self.hasher.hash_one(key) as usize % SHARDS]
    }

    fn globals(&self, global: &Global) -> &Mutex<HashMap<Global, Arc<Entry>>> {
        &self.by_global[self.hasher.hash_one(global) as usize % SHARDS]
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
        global: &GlobalId,
        then: impl FnOnce(&Entry),
    ) -> Option<Arc<Entry>> {
        let global = owned(global);
        let known = lock(self.globals(&global));
        let known = known.get(&global)?;
        then(known);
        Some(known.clone())
    }

    /// Adds an entry, or returns the one that there is of the same transaction. `then` runs before
    /// anybody can remove it.
    pub(super) fn add(&self, entry: Arc<Entry>, then: impl FnOnce(&Entry)) -> Arc<Entry> {
        let global = owned(&entry.global);
        let mut globals = lock(self.globals(&global));
        if let Some(known) = globals.get(&global) {
            then(known);
            return known.clone();
        }
        then(&entry);
        globals.insert(global, entry.clone());
        lock(self.keys(entry.key)).insert(entry.key, entry.clone());
        self.count.fetch_add(1, Ordering::Relaxed);
        entry
    }

    /// Removes an entry, if it may go.
    pub(super) fn remove_if(&self, entry: &Entry, may_go: impl FnOnce(&Entry) -> bool) {
        let global = owned(&entry.global);
        let mut globals = lock(self.globals(&global));
        if !may_go(entry) {
            return;
        }
        if globals.get(&global).is_some_and(|known| known.key == entry.key) {
            globals.remove(&global);
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

fn owned(global: &GlobalId) -> Global {
    let (format, octets) = global.global();
    (format, octets.to_vec())
}
