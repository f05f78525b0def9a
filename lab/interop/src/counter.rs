//! The counters that `Interop::Echo` creates.

use crate::interop::*;
use armilla::{ObjectId, Orb, SystemException};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

type Result<T, E = SystemException> = std::result::Result<T, E>;

/// A counter that can deactivate itself.
pub(crate) struct CounterServant {
    orb: Orb,
    id: OnceLock<ObjectId>,
    value: Mutex<i32>,
}

impl CounterServant {
    /// Activates a counter in the root POA of `orb`.
    pub(crate) fn activate(orb: &Orb, start: i32) -> Result<CounterRef> {
        let poa = orb.root_poa();
        let id = OnceLock::new();
        let servant = Arc::new(Self { orb: orb.clone(), id, value: Mutex::new(start) });
        let reference = poa.activate(servant.clone() as Arc<dyn Counter>)?;
        // No call arrives before the reference is returned.
        let _ = servant.id.set(poa.reference_to_id(reference.object())?);
        Ok(reference)
    }
}

impl Counter for CounterServant {
    fn value(&self) -> Result<i32> {
        Ok(*lock(&self.value))
    }

    fn next(&self) -> Result<i32> {
        let mut value = lock(&self.value);
        *value = value.wrapping_add(1);
        Ok(*value)
    }

    fn destroy(&self) -> Result<()> {
        self.id.get().map_or(Ok(()), |id| Ok(self.orb.root_poa().deactivate(id)?))
    }
}

/// Locks a mutex, even if a thread panicked with the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
