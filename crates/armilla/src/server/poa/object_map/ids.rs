//! From object ids to active objects.

use super::index::Index;
use crate::server::poa::{Activation, PoaInner};
use armilla_ipc::memory::{Guard, Slot, Table};
use std::hash::{BuildHasher, RandomState};

/// The map from ids to slots: a hash table that grows with the number of objects. Lookups take no
/// lock.
pub(in crate::server::poa) struct Ids {
    index: Index,
    hasher: RandomState,
}

impl Ids {
    pub(in crate::server::poa) fn new() -> Self {
        Self { index: Index::new(), hasher: RandomState::new() }
    }

    /// The object of `poa`, the owner of this map, that is active under `id`.
    pub(in crate::server::poa) fn find<'t>(
        &self,
        poa: &PoaInner,
        objects: &'t Table<Activation>,
        id: &[u8],
    ) -> Option<Guard<'t, Activation>> {
        self.index.find(self.hash(id), |place| active_in(poa, objects, id, place))
    }

    pub(in crate::server::poa) fn insert(&self, id: &[u8], slot: Slot) {
        self.index.insert(self.hash(id), slot.index);
    }

    pub(in crate::server::poa) fn remove(&self, id: &[u8], slot: Slot) {
        self.index.remove(self.hash(id), slot.index);
    }

    fn hash(&self, id: &[u8]) -> u32 {
        self.hasher.hash_one(id) as u32
    }
}

/// The object in this slot, if it is the one of `poa` with `id`: the slot may hold another object
/// since the entry of the map was read.
pub(in crate::server::poa) fn active_in<'t>(
    poa: &PoaInner,
    objects: &'t Table<Activation>,
    id: &[u8],
    place: u32,
) -> Option<Guard<'t, Activation>> {
    let object = objects.at(place)?;
    (std::ptr::eq(&*object.poa, poa) && object.has_id(id)).then_some(object)
}
