//! Which servants of a POA are active.

use super::index::Index;
use super::{Activation, IdUniqueness, PoaInner, Policies};
use crate::runtime::Orb;
use crate::sync::lock;
use armilla_ipc::memory::{Guard, Slot};
use std::collections::HashMap;
use std::sync::Mutex;

/// The servants that incarnate objects, by their addresses.
pub(super) struct Servants {
    /// Where each has one object: what leads to that.
    unique: Option<Index>,
    /// Where they go back to an activator: how many objects each has that it has not gone back for.
    counts: Option<Mutex<HashMap<usize, usize>>>,
}

impl Servants {
    pub(super) fn new(policies: &Policies) -> Self {
        let is_unique = policies.retains() && policies.uniqueness == IdUniqueness::Unique;
        let unique = is_unique.then(Index::new);
        Self { unique, counts: policies.has_activator().then(Mutex::default) }
    }

    /// Whether a servant must not be put in twice.
    pub(super) const fn is_exclusive(&self) -> bool {
        self.unique.is_some()
    }

    /// The object that the servant incarnates, where it incarnates one only.
    pub(super) fn find<'o>(
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

    /// The servant incarnates one more object, which stands at `slot`.
    pub(super) fn insert(&self, servant: usize, slot: Slot) {
        if let Some(index) = &self.unique {
            index.insert(hash(servant), slot.index);
        }
        if let Some(counts) = &self.counts {
            *lock(counts).entry(servant).or_default() += 1;
        }
    }

    /// That object is active no more. The servant still belongs to it until it goes
    /// [back](Self::give_back).
    pub(super) fn remove(&self, servant: usize, slot: Slot) {
        if let Some(index) = &self.unique {
            index.remove(hash(servant), slot.index);
        }
    }

    /// The servant goes back for one of its objects.
    pub(super) fn give_back(&self, servant: usize) {
        let Some(counts) = &self.counts else { return };
        let mut counts = lock(counts);
        if let Some(count) = counts.get_mut(&servant) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&servant);
            }
        }
    }

    /// Whether the servant belongs to an object for which it is yet to go back to the activator.
    pub(super) fn belongs(&self, servant: usize) -> bool {
        self.counts.as_ref().is_some_and(|counts| lock(counts).contains_key(&servant))
    }
}

/// Addresses are the program's own, so nobody can choose them to collide.
fn hash(address: usize) -> u32 {
    ((address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}
