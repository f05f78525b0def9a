//! The one strategy of a POA to find objects and operations, for programs without a choice: what
//! `strategies.rs` is to the others.

use crate::server::poa::{AnyServant, PoaError, PoaInner};
use armilla_ipc::memory::Slot;

pub(in crate::server::poa) use super::ids::Ids;

/// How a POA finds objects and their operations.
#[derive(Debug, Default)]
pub(crate) struct Strategies;

impl Strategies {
    /// The map from ids to slots of a new POA.
    pub(in crate::server::poa) fn ids(&mut self) -> Ids {
        Ids::new()
    }

    /// Whether keys may consist of slots.
    pub(in crate::server::poa) fn finds_by_slot(&self) -> bool {
        true
    }
}

impl Ids {
    /// The hint that keys contain for an object in `slot`.
    pub(in crate::server::poa) fn hint(&self, slot: Slot) -> Slot {
        slot
    }
}

impl PoaInner {
    /// Fails if objects of the POA cannot have this id.
    pub(in crate::server::poa) fn check_hashed(&self, _: &[u8]) -> Result<(), PoaError> {
        Ok(())
    }

    /// The servant, set to find its operations as this POA says.
    pub(in crate::server::poa) fn with_lookup(&self, servant: AnyServant) -> AnyServant {
        let Strategies = self.strategies;
        servant
    }
}
