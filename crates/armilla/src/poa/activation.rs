//! An object that is active: its servant, and what the ORB must know of it.

use super::object_key::Slot;
use super::{ObjectId, PoaInner};
use crate::object::Servant;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One active object.
pub(crate) struct Activation {
    pub(crate) servant: Box<dyn Servant>,
    pub(crate) id: ObjectId,
    pub(crate) key: Box<[u8]>,
    pub(crate) slot: Slot,
    pub(crate) poa: Arc<PoaInner>,
    active: AtomicBool,
}

impl Activation {
    pub(crate) fn new(
        servant: Box<dyn Servant>,
        id: ObjectId,
        key: Vec<u8>,
        slot: Slot,
        poa: Arc<PoaInner>,
    ) -> Self {
        Self { servant, id, key: key.into(), slot, poa, active: AtomicBool::new(true) }
    }

    /// Whether calls may still go to the servant.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire)
    }

    /// From now on calls fail with `OBJECT_NOT_EXIST`; those under way go on.
    pub(crate) fn deactivate(&self) {
        self.active.store(false, Ordering::Release);
    }
}
