//! All POAs of an ORB by their path, for keys that name one.

use super::{Activation, PoaInner};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

#[derive(Default)]
pub(crate) struct Adapters(RwLock<HashMap<Box<[u8]>, Arc<PoaInner>>>);

impl Adapters {
    pub(crate) fn insert(&self, poa: Arc<PoaInner>) {
        let mut adapters = self.0.write().unwrap_or_else(PoisonError::into_inner);
        adapters.insert(poa.path().into(), poa);
    }

    /// The POA with this path.
    pub(crate) fn get(&self, path: &[u8]) -> Option<Arc<PoaInner>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// Removes `poa`, unless its path belongs to another by now.
    pub(crate) fn remove(&self, poa: &Arc<PoaInner>) {
        let mut adapters = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if adapters.get(poa.path()).is_some_and(|found| Arc::ptr_eq(found, poa)) {
            adapters.remove(poa.path());
        }
    }

    /// The object `id` of the POA with this path. `incarnation` is that of the key, 0 for
    /// persistent ones, and must be what the POA would have put there.
    pub(crate) fn find(
        &self,
        path: &[u8],
        id: &[u8],
        incarnation: u64,
        ours: u64,
    ) -> Option<Arc<Activation>> {
        let adapters = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let poa = adapters.get(path)?;
        let expected = if poa.is_persistent() { 0 } else { ours };
        (incarnation == expected).then(|| poa.find(id))?
    }
}
