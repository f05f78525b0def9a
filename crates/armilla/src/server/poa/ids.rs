//! From object ids to active objects, by the demultiplexing strategy of a POA.

use super::index::Index;
use super::perfect::PerfectHash;
use super::{Activation, ObjectId, PoaInner};
use armilla_ipc::memory::{Guard, Slot, Table};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};

/// How a POA finds the object that a request is for. All strategies find without a lock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ObjectLookup {
    /// The key says where the object stands, so that one access to a table finds it, however many
    /// there are. Where ids are the program's, or references outlive the process, that is a hint,
    /// which is checked; without a good hint the id is hashed.
    ///
    /// Two references to the same object may then differ in their hints. This ORB takes them for
    /// equal; other ORBs may not, and [`Hashing`](Self::Hashing) makes keys without hints.
    #[default]
    Active,
    /// The id is hashed into a table that grows with the objects.
    Hashing,
    /// Only these ids will be active; they are hashed into a table without collisions that is made
    /// with the POA. For [`IdAssignment::User`](super::IdAssignment::User).
    Perfect(Vec<ObjectId>),
    /// The id is compared with that of one object after the other. For measurements.
    Linear,
}

/// What leads from an id to a place.
pub(super) enum Ids {
    Active(Index, RandomState),
    Hashing(Index, RandomState),
    /// With what stands at each place of the hash: where the object stands, counted from 1.
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

    /// Whether keys say where their objects stand.
    pub(super) fn uses_hints(&self) -> bool {
        matches!(self, Self::Active(..))
    }

    /// Whether an object may have this id.
    pub(super) fn allows(&self, id: &[u8]) -> bool {
        match self {
            Self::Perfect(hash, _) => hash.place_of(id).is_some(),
            _ => true,
        }
    }

    /// The object of `poa`, whose ids these are, that is active under `id`.
    pub(super) fn find<'t>(
        &self,
        poa: &PoaInner,
        objects: &'t Table<Activation>,
        id: &[u8],
    ) -> Option<Guard<'t, Activation>> {
        let is_it = |place| {
            let object = objects.at(place)?;
            // The place may have been given to another since the entry was read.
            (std::ptr::eq(&*object.poa, poa) && object.has_id(id)).then_some(object)
        };
        match self {
            Self::Active(index, hasher) | Self::Hashing(index, hasher) => {
                index.find(hash(hasher, id), is_it)
            }
            Self::Linear(index) => index.find(0, is_it),
            Self::Perfect(hash, places) => {
                // The object is compared, so that the id that may stand there need not be.
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
            // All in one bucket, which is searched from its beginning.
            Self::Linear(index) => index.insert(0, slot.index),
            Self::Perfect(hash, places) => {
                let place = hash.place_of(id).and_then(|place| places.get(place));
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
                let place = hash.place_of(id).and_then(|place| places.get(place));
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
