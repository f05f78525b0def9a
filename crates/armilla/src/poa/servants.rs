//! Which servants of a POA are active.

use super::index::Index;
use super::{Activation, IdUniqueness, PoaInner, Policies};
use crate::orb::{Orb, lock};
use armilla_ipc::memory::{Lent, Slot};
use std::collections::HashMap;
use std::sync::Mutex;

/// The servants that incarnate objects, by their addresses.
pub(super) enum Servants {
    /// Nobody asks for them.
    Unknown,
    /// Each has one object, which is found from it.
    Unique(Index),
    /// How many objects each has.
    Counted(Mutex<HashMap<usize, usize>>),
}

impl Servants {
    pub(super) fn new(policies: &Policies) -> Self {
        match policies.uniqueness {
            _ if !policies.retains() => Self::Unknown,
            IdUniqueness::Unique => Self::Unique(Index::new()),
            IdUniqueness::Multiple if policies.has_activator() => Self::Counted(Mutex::default()),
            IdUniqueness::Multiple => Self::Unknown,
        }
    }

    /// Whether a servant must not be put in twice.
    pub(super) fn is_exclusive(&self) -> bool {
        matches!(self, Self::Unique(_))
    }

    /// The object that the servant incarnates, where it incarnates one only.
    pub(super) fn find<'o>(
        &self,
        orb: &'o Orb,
        poa: &PoaInner,
        servant: usize,
    ) -> Option<Lent<'o, Activation>> {
        let Self::Unique(index) = self else { return None };
        index.find(hash(servant), |place| {
            let object = orb.objects().at(place)?;
            let is_it = std::ptr::eq(&*object.poa, poa)
                && object.servant.get().address() == servant
                && object.is_active();
            is_it.then_some(object)
        })
    }

    /// Whether the servant incarnates an object.
    pub(super) fn is_active(&self, servant: usize) -> bool {
        match self {
            Self::Counted(counts) => lock(counts).contains_key(&servant),
            Self::Unknown | Self::Unique(_) => false,
        }
    }

    pub(super) fn insert(&self, servant: usize, slot: Slot) {
        match self {
            Self::Unique(index) => index.insert(hash(servant), slot.index),
            Self::Counted(counts) => *lock(counts).entry(servant).or_default() += 1,
            Self::Unknown => {}
        }
    }

    pub(super) fn remove(&self, servant: usize, slot: Slot) {
        match self {
            Self::Unique(index) => index.remove(hash(servant), slot.index),
            Self::Counted(counts) => {
                let mut counts = lock(counts);
                if let Some(count) = counts.get_mut(&servant) {
                    *count -= 1;
                    if *count == 0 {
                        counts.remove(&servant);
                    }
                }
            }
            Self::Unknown => {}
        }
    }
}

/// Addresses are the program's own, so nobody can choose them to collide.
fn hash(address: usize) -> u32 {
    ((address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}
