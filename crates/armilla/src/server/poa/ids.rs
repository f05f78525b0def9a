//! From object ids to active objects, by the lookup strategy of a POA.

use super::index::Index;
use super::perfect::PerfectHash;
use super::{Activation, ObjectId, PoaInner};
use armilla_ipc::memory::{Guard, Slot, Table};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};

/// How a POA finds the object of a request. No strategy takes a lock for a lookup.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ObjectLookup {
    /// The key contains the slot of the object, so that one table access finds it, however many
    /// objects there are. If the program chooses the ids or references outlive the process, the
    /// slot is only a hint, which is checked; without a valid hint the id is hashed.
    ///
    /// Two references to the same object may then differ in their hints. This ORB considers them
    /// equal; other ORBs may not. [`Hashing`](Self::Hashing) makes keys without hints.
    #[default]
    Active,
    /// The id is hashed into a table that grows with the number of objects.
    Hashing,
    /// Only these ids will be active. They are hashed into a table without collisions that is built
    /// with the POA. For [`IdAssignment::User`](super::IdAssignment::User).
    Perfect(Vec<ObjectId>),
    /// The id is compared with that of one object after the other. For measurements.
    Linear,
}

/// The map from ids to slots.
pub(super) enum Ids {
    Active(Index, RandomState),
    Hashing(Index, RandomState),
    /// The hash, and for each place of it the slot of the active object, counted from 1; 0 for
    /// none.
    Perfect(PerfectHash, Box<[AtomicU32]>),
    Linear(Index),
}

impl Ids {
    pub(super) fn new(lookup: &ObjectLookup) -> Self {
        match lookup {
            ObjectLookup::Active => Self::Active(Index::new(), RandomState::new()),
            ObjectLookup::Hashing => Self::Hashing(Index::new(), RandomState::new()),
            ObjectLookup::Linear => Self::Linear(Index::new()),
            ObjectLookup::Perfect(ids) => {
                let hash = PerfectHash::new(ids.clone());
                let places = (0..hash.places()).map(|_| AtomicU32::new(0)).collect();
                Self::Perfect(hash, places)
            }
        }
    }

    /// Whether keys contain the slots of their objects.
    pub(super) fn uses_hints(&self) -> bool {
        matches!(self, Self::Active(..))
    }

    /// Whether an object may have this id.
    pub(super) fn allows(&self, id: &[u8]) -> bool {
        match self {
            Self::Perfect(hash, _) => hash.host_of(id).is_some(),
            _ => true,
        }
    }

    /// The object of `poa`, the owner of this map, that is active under `id`.
    pub(super) fn find<'t>(
        &self,
        poa: &PoaInner,
        objects: &'t Table<Activation>,
        id: &[u8],
    ) -> Option<Guard<'t, Activation>> {
        let is_it = |place| {
            let object = objects.at(place)?;
            // The slot may hold another object since the entry was read.
            (std::ptr::eq(&*object.poa, poa) && object.has_id(id)).then_some(object)
        };
        match self {
            Self::Active(index, hasher) | Self::Hashing(index, hasher) => {
                index.find(hash(hasher, id), is_it)
            }
            Self::Linear(index) => index.find(0, is_it),
            Self::Perfect(hash, places) => {
                // The object's id is compared, so the id of that place need not be.
                let place = places.get(hash.candidate(id)?)?.load(Ordering::Acquire);
                is_it(place.checked_sub(1)?)
            }
        }
    }

    pub(super) fn insert(&self, id: &[u8], slot: Slot) {
        match self {
            Self::Active(index, hasher) | Self::Hashing(index, hasher) => {
                index.insert(hash(hasher, id), slot.index);
            }
            // All entries are in one bucket, which is searched from its beginning.
            Self::Linear(index) => index.insert(0, slot.index),
            Self::Perfect(hash, places) => {
                let place = hash.host_of(id).and_then(|place| places.get(place));
                place.inspect(|place| place.store(slot.index + 1, Ordering::Release));
            }
        }
    }

    pub(super) fn remove(&self, id: &[u8], slot: Slot) {
        match self {
            Self::Active(index, hasher) | Self::Hashing(index, hasher) => {
                index.remove(hash(hasher, id), slot.index);
            }
            Self::Linear(index) => index.remove(0, slot.index),
            Self::Perfect(hash, places) => {
                let place = hash.host_of(id).and_then(|place| places.get(place));
                place.inspect(|place| place.store(0, Ordering::Release));
            }
        }
    }
}

fn hash(hasher: &RandomState, id: &[u8]) -> u32 {
    hasher.hash_one(id) as u32
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Active(..) => "Active",
            Self::Hashing(..) => "Hashing",
            Self::Perfect(..) => "Perfect",
            Self::Linear(..) => "Linear",
        })
    }
}
