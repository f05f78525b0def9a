//! The tables of an ORB: its POAs by path, and its active objects.

use crate::runtime::{Orb, Part, PartSlot};
use crate::server::poa::object_map::index::Index;
use crate::server::poa::{Activation, ManagerState, Managers, PoaInner};
use arc_swap::ArcSwap;
use armilla_ipc::memory::{Guard, Handle, Slot, Table};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The object adapters of an ORB: the POAs, their managers and all active objects.
pub(crate) struct ObjectAdapters {
    /// The incarnation of the ORB. Transient keys of other incarnations are not accepted.
    pub(crate) incarnation: u64,
    pub(crate) objects: Table<Activation>,
    pub(crate) adapters: Adapters,
    /// The root POA, or the last one if that was destroyed.
    root: ArcSwap<PoaInner>,
    managers: Mutex<Managers>,
}

impl ObjectAdapters {
    /// The tables of `orb` with the root POA only, whose manager is in this state.
    pub(crate) fn new(orb: &Orb, state: ManagerState) -> Arc<Self> {
        let incarnation = orb.incarnation();
        let (managers, manager) = Managers::new(state);
        let root = PoaInner::root(orb.downgrade(), incarnation, manager);
        let adapters = Adapters::new();
        adapters.insert(root.clone());
        Arc::new(Self {
            incarnation,
            objects: Table::new(),
            adapters,
            root: root.into(),
            managers: Mutex::new(managers),
        })
    }
}

impl Part for Arc<ObjectAdapters> {
    const SLOT: PartSlot = PartSlot::Adapters;
}

impl Orb {
    /// The tables by which requests are dispatched. Connections keep them.
    pub(crate) fn object_adapters(&self) -> &Arc<ObjectAdapters> {
        self.part()
    }

    pub(crate) fn objects(&self) -> &Table<Activation> {
        &self.object_adapters().objects
    }

    pub(crate) fn adapters(&self) -> &Adapters {
        &self.object_adapters().adapters
    }

    pub(crate) fn root(&self) -> Arc<PoaInner> {
        self.object_adapters().root.load_full()
    }

    /// Makes another POA the root.
    pub(crate) fn set_root(&self, root: Arc<PoaInner>) {
        self.object_adapters().root.store(root);
    }

    pub(crate) fn managers(&self) -> &Mutex<Managers> {
        &self.object_adapters().managers
    }
}

/// The POAs by path. Readers take no lock.
pub(crate) struct Adapters {
    adapters: Table<Entry>,
    paths: Index,
    hasher: RandomState,
    /// Objects that were deactivated and activated again, so that their keys name an old slot.
    moved: Table<Moved>,
    moved_from: Index,
    moved_count: AtomicUsize,
}

/// An object that has left the slot that its keys name.
struct Moved {
    from: Slot,
    poa: Arc<PoaInner>,
    slot: Slot,
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
            moved: Table::new(),
            moved_from: Index::new(),
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

    /// The POA with this path, or else the nearest one above it.
    pub(crate) fn nearest(&self, mut path: &[u8]) -> Option<Arc<PoaInner>> {
        loop {
            if let Some(found) = self.get(path) {
                return Some(found);
            }
            path = &path[..path.iter().rposition(|octet| *octet == 0)?];
        }
    }

    pub(crate) fn remove(&self, poa: &Arc<PoaInner>) {
        if let Some((_, slot)) = self.find(poa.path(), |found| Arc::ptr_eq(found, poa)) {
            self.paths.remove(self.hash(poa.path()), slot.index);
            self.adapters.remove(slot);
        }
        if self.moved_count.load(Ordering::Acquire) > 0 {
            let ours = |moved: &Handle<Moved>| Arc::ptr_eq(&moved.poa, poa);
            self.moved.of(poa.serial).filter(ours).for_each(|moved| self.forget(&moved));
        }
    }

    /// The POA of the object that was in `slot` and is now active in another one.
    pub(crate) fn moved(&self, slot: Slot) -> Option<Arc<PoaInner>> {
        if self.moved_count.load(Ordering::Acquire) == 0 {
            return None;
        }
        self.find_moved(slot).map(|moved| moved.poa.clone())
    }

    /// Records that the object of `owner` that was in the slot `from` is active in another one, or
    /// with `None` forgets it. The POA does this for one activation after the other, so a slot has
    /// at most one entry.
    pub(in crate::server::poa) fn set_moved(&self, from: Slot, owner: Option<&Arc<PoaInner>>) {
        let Some(poa) = owner else {
            return self.find_moved(from).iter().for_each(|moved| self.forget(moved));
        };
        let poa = poa.clone();
        let moved = self.moved.insert(poa.serial, |slot| Moved { from, poa, slot });
        self.moved_count.fetch_add(1, Ordering::Release);
        self.moved_from.insert(self.hash_slot(from), moved.slot.index);
    }

    fn find_moved(&self, from: Slot) -> Option<Guard<'_, Moved>> {
        let is_it = |place| self.moved.at(place).filter(|moved| moved.from == from);
        self.moved_from.find(self.hash_slot(from), is_it)
    }

    fn forget(&self, moved: &Moved) {
        self.moved_from.remove(self.hash_slot(moved.from), moved.slot.index);
        if self.moved.remove(moved.slot) {
            self.moved_count.fetch_sub(1, Ordering::Release);
        }
    }

    fn find(
        &self,
        path: &[u8],
        is_it: impl Fn(&Arc<PoaInner>) -> bool,
    ) -> Option<(Arc<PoaInner>, Slot)> {
        self.paths.find(self.hash(path), |place| {
            let entry = self.adapters.at(place)?;
            let is_it = entry.poa.path() == path && is_it(&entry.poa);
            is_it.then(|| (entry.poa.clone(), entry.slot))
        })
    }

    fn hash_slot(&self, slot: Slot) -> u32 {
        self.hasher.hash_one(slot) as u32
    }

    fn hash(&self, path: &[u8]) -> u32 {
        self.hasher.hash_one(path) as u32
    }
}
