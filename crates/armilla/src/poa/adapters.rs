//! All POAs of an ORB by their path, for keys that name one.

use super::PoaInner;
use super::index::Index;
use super::object_key::Slot;
use super::table::Table;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Readers of paths take no lock.
pub(crate) struct Adapters {
    adapters: Table<Entry>,
    paths: Index,
    hasher: RandomState,
    /// Objects whose key says where they stood before they were deactivated and activated again.
    moved: RwLock<HashMap<Slot, Arc<PoaInner>>>,
    moved_count: AtomicUsize,
}

struct Entry {
    poa: Arc<PoaInner>,
    slot: Slot,
}

impl Adapters {
    pub(crate) fn new() -> Self {
        Self {
            adapters: Table::new(),
            paths: Index::new(),
            hasher: RandomState::new(),
            moved: RwLock::default(),
            moved_count: AtomicUsize::new(0),
        }
    }

    pub(crate) fn insert(&self, poa: Arc<PoaInner>) {
        let hash = self.hash(poa.path());
        let entry = self.adapters.insert(0, |slot| Entry { poa, slot });
        self.paths.insert(hash, entry.slot.index);
    }

    /// The POA with this path.
    pub(crate) fn get(&self, path: &[u8]) -> Option<Arc<PoaInner>> {
        self.find(path, |_| true).map(|(poa, _)| poa)
    }

    pub(crate) fn remove(&self, poa: &Arc<PoaInner>) {
        if let Some((_, slot)) = self.find(poa.path(), |found| Arc::ptr_eq(found, poa)) {
            self.paths.remove(self.hash(poa.path()), slot.index);
            self.adapters.remove(slot);
        }
        if self.moved_count.load(Ordering::Acquire) > 0 {
            let mut moved = self.moved.write().unwrap_or_else(PoisonError::into_inner);
            moved.retain(|_, owner| !Arc::ptr_eq(owner, poa));
            self.moved_count.store(moved.len(), Ordering::Release);
        }
    }

    /// The POA of the object that stood at `slot` once and is active elsewhere.
    pub(crate) fn moved(&self, slot: Slot) -> Option<Arc<PoaInner>> {
        if self.moved_count.load(Ordering::Acquire) == 0 {
            return None;
        }
        self.moved.read().unwrap_or_else(PoisonError::into_inner).get(&slot).cloned()
    }

    /// Remembers or forgets that the object which stood at `slot` is active elsewhere.
    pub(super) fn set_moved(&self, slot: Slot, owner: Option<&Arc<PoaInner>>) {
        let mut moved = self.moved.write().unwrap_or_else(PoisonError::into_inner);
        match owner {
            Some(poa) => moved.insert(slot, poa.clone()),
            None => moved.remove(&slot),
        };
        self.moved_count.store(moved.len(), Ordering::Release);
    }

    fn find(
        &self,
        path: &[u8],
        is_it: impl Fn(&Arc<PoaInner>) -> bool,
    ) -> Option<(Arc<PoaInner>, Slot)> {
        self.paths.find(self.hash(path), |place| {
            let found = self.adapters.at(place)?;
            let entry = found.as_ref()?;
            let is_it = entry.poa.path() == path && is_it(&entry.poa);
            is_it.then(|| (entry.poa.clone(), entry.slot))
        })
    }

    fn hash(&self, path: &[u8]) -> u32 {
        self.hasher.hash_one(path) as u32
    }
}
