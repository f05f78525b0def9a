//! Which servants of a POA are active, by their addresses.

use super::index::Index;
use crate::runtime::Orb;
use crate::server::poa::{Activation, IdUniqueness, PoaInner, Policies};
use crate::sync::lock;
use armilla_ipc::memory::{Guard, Slot};
use std::collections::HashMap;
use std::sync::Mutex;

/// The servants that incarnate objects, by address.
pub(in crate::server::poa) struct Servants {
    /// The object of each servant, if a servant may incarnate only one.
    unique: Option<Index>,
    /// If servants are etherealized: for each servant, how many objects it has not been
    /// etherealized for.
    counts: Option<Mutex<HashMap<usize, usize>>>,
}

impl Servants {
    pub(in crate::server::poa) fn new(policies: &Policies) -> Self {
        let is_unique = policies.retains() && policies.uniqueness == IdUniqueness::Unique;
        let unique = is_unique.then(Index::new);
        Self { unique, counts: policies.has_activator().then(Mutex::default) }
    }

    /// Whether a servant must not be inserted twice.
    pub(in crate::server::poa) const fn is_exclusive(&self) -> bool {
        self.unique.is_some()
    }

    /// The object that the servant incarnates, if a servant may incarnate only one.
    pub(in crate::server::poa) fn find<'o>(
        &self,
        orb: &'o Orb,
        poa: &PoaInner,
        servant: usize,
    ) -> Option<Guard<'o, Activation>> {
        self.unique.as_ref()?.find(hash(servant), |place| {
            let object = orb.objects().at(place)?;
            let is_it = std::ptr::eq(&*object.poa, poa)
                && object.servant.get().address() == servant
                && object.is_active();
            is_it.then_some(object)
        })
    }

    /// Records that the servant incarnates the object in `slot`.
    pub(in crate::server::poa) fn insert(&self, servant: usize, slot: Slot) {
        if let Some(index) = &self.unique {
            index.insert(hash(servant), slot.index);
        }
        if let Some(counts) = &self.counts {
            *lock(counts).entry(servant).or_default() += 1;
        }
    }

    /// Records that this object is no longer active. The servant still counts as its servant until
    /// [`etherealized`](Self::etherealized).
    pub(in crate::server::poa) fn remove(&self, servant: usize, slot: Slot) {
        if let Some(index) = &self.unique {
            index.remove(hash(servant), slot.index);
        }
    }

    /// Records that the servant was etherealized for one of its objects.
    pub(in crate::server::poa) fn etherealized(&self, servant: usize) {
        let Some(counts) = &self.counts else { return };
        let mut counts = lock(counts);
        if let Some(count) = counts.get_mut(&servant) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&servant);
            }
        }
    }

    /// Whether the servant has objects for which it has not been etherealized.
    pub(in crate::server::poa) fn has_objects(&self, servant: usize) -> bool {
        self.counts.as_ref().is_some_and(|counts| lock(counts).contains_key(&servant))
    }
}

/// Addresses are chosen by the process itself, so that no client can provoke collisions.
fn hash(address: usize) -> u32 {
    ((address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}
