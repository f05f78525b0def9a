//! The demultiplexing strategies of a POA besides the defaults.

use super::ids::{self, active_in};
use super::index::Index;
use super::perfect::PerfectHash;
use crate::exception::{Minor, SystemException};
use crate::operations::OperationLookup;
use crate::server::poa::AnyServant;
use crate::server::poa::{Activation, ObjectId, PoaError, PoaInner};
use armilla_ipc::memory::{Guard, Slot, Table};
use std::sync::atomic::{AtomicU32, Ordering};

/// How a POA finds the object of a request. No strategy takes a lock for a lookup.
///
/// Needs the feature `demultiplexing-strategies`; without it every POA uses
/// [`Active`](Self::Active).
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
    /// with the POA. For [`IdAssignment::User`](crate::server::poa::IdAssignment::User).
    Perfect(Vec<ObjectId>),
    /// The id is compared with that of one object after the other.
    Linear,
}

/// How a POA finds objects and their operations.
#[derive(Debug, Default)]
pub(crate) struct Strategies {
    pub(in crate::server::poa) objects: ObjectLookup,
    pub(in crate::server::poa) operations: OperationLookup,
}

impl Strategies {
    /// The map from ids to slots of a new POA. It takes the ids of a perfect hash.
    pub(in crate::server::poa) fn ids(&mut self) -> Ids {
        Ids::new(std::mem::take(&mut self.objects))
    }

    /// Whether keys may consist of slots.
    pub(in crate::server::poa) fn finds_by_slot(&self) -> bool {
        self.objects == ObjectLookup::Active
    }
}

/// The map from ids to slots.
pub(in crate::server::poa) enum Ids {
    Active(ids::Ids),
    Hashing(ids::Ids),
    /// The hash, and for each place of it the slot of the active object, counted from 1; 0 for
    /// none.
    Perfect(PerfectHash, Box<[AtomicU32]>),
    /// All entries have the same hash.
    Linear(Index),
}

impl Ids {
    pub(in crate::server::poa) fn new(lookup: ObjectLookup) -> Self {
        match lookup {
            ObjectLookup::Active => Self::Active(ids::Ids::new()),
            ObjectLookup::Hashing => Self::Hashing(ids::Ids::new()),
            ObjectLookup::Linear => Self::Linear(Index::new()),
            ObjectLookup::Perfect(ids) => {
                let hash = PerfectHash::new(ids);
                let places = (0..hash.places()).map(|_| AtomicU32::new(0)).collect();
                Self::Perfect(hash, places)
            }
        }
    }

    /// The hint that keys contain for an object in `slot`.
    pub(in crate::server::poa) fn hint(&self, slot: Slot) -> Slot {
        if matches!(self, Self::Active(_)) { slot } else { Slot::NONE }
    }

    /// The object of `poa`, the owner of this map, that is active under `id`.
    pub(in crate::server::poa) fn find<'t>(
        &self,
        poa: &PoaInner,
        objects: &'t Table<Activation>,
        id: &[u8],
    ) -> Option<Guard<'t, Activation>> {
        match self {
            Self::Active(ids) | Self::Hashing(ids) => ids.find(poa, objects, id),
            Self::Linear(index) => index.find(0, |place| active_in(poa, objects, id, place)),
            Self::Perfect(hash, places) => {
                // The object's id is compared, so the id of that place need not be.
                let place = places.get(hash.candidate(id)?)?.load(Ordering::Acquire);
                active_in(poa, objects, id, place.checked_sub(1)?)
            }
        }
    }

    pub(in crate::server::poa) fn insert(&self, id: &[u8], slot: Slot) {
        match self {
            Self::Active(ids) | Self::Hashing(ids) => ids.insert(id, slot),
            Self::Linear(index) => index.insert(0, slot.index),
            Self::Perfect(hash, places) => {
                let place = hash.host_of(id).and_then(|place| places.get(place));
                place.inspect(|place| place.store(slot.index + 1, Ordering::Release));
            }
        }
    }

    pub(in crate::server::poa) fn remove(&self, id: &[u8], slot: Slot) {
        match self {
            Self::Active(ids) | Self::Hashing(ids) => ids.remove(id, slot),
            Self::Linear(index) => index.remove(0, slot.index),
            Self::Perfect(hash, places) => {
                let place = hash.host_of(id).and_then(|place| places.get(place));
                place.inspect(|place| place.store(0, Ordering::Release));
            }
        }
    }
}

impl PoaInner {
    /// Fails if the POA has a perfect hash for other ids.
    pub(in crate::server::poa) fn check_hashed(&self, id: &[u8]) -> Result<(), PoaError> {
        match &self.ids {
            Ids::Perfect(hash, _) if hash.host_of(id).is_none() => {
                let what = format!(
                    "{:?} is none of the ids for which POA {:?} has a perfect hash",
                    ObjectId::new(id),
                    self.name
                );
                Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what).into())
            }
            _ => Ok(()),
        }
    }

    /// The servant, set to find its operations as this POA says.
    #[inline]
    pub(in crate::server::poa) fn with_lookup(&self, servant: AnyServant) -> AnyServant {
        match self.strategies.operations {
            OperationLookup::Perfect => servant,
            lookup => match servant.get().lookup() {
                OperationLookup::Perfect => servant.with_operation_lookup(lookup),
                _ => servant,
            },
        }
    }
}
