//! Numbers of transactions, which slots carry.

use crate::numbers::Numbered;
use armilla::{Any, Completion, SystemException};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// The transactions in which somebody has worked, by numbers that slots carry from threads to requests.
pub(crate) struct Associations<E> {
    next: AtomicU64,
    shards: [Mutex<Numbered<Weak<E>>>; 16],
}

impl<E> Default for Associations<E> {
    fn default() -> Self {
        // Numbers from 1: a slot that was never set has none.
        Self { next: AtomicU64::new(1), shards: Default::default() }
    }
}

impl<E> Associations<E> {
    /// What slots hold for a transaction, of which `association` keeps the number.
    pub(crate) fn slot_of(
        self: &Arc<Self>,
        entry: &Arc<E>,
        association: &OnceLock<Association<E>>,
    ) -> Result<Any, SystemException> {
        if let Some(known) = association.get() {
            return Ok(known.slot.clone());
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let slot = Any::new(&number);
        let slot = slot.map_err(|error| SystemException::encoding(&error, Completion::No))?;
        self.shard(number).insert(number, Arc::downgrade(entry));
        let made = Association { all: self.clone(), number, slot };
        Ok(association.get_or_init(|| made).slot.clone())
    }

    pub(crate) fn find(&self, slot: Option<&Any>) -> Option<Arc<E>> {
        let number = slot?.get::<u64>().ok().flatten()?;
        self.shard(number).get(&number)?.upgrade()
    }

    fn shard(&self, number: u64) -> MutexGuard<'_, Numbered<Weak<E>>> {
        let shard = &self.shards[number as usize % self.shards.len()];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of a transaction, as long as the transaction is known.
pub(crate) struct Association<E> {
    all: Arc<Associations<E>>,
    number: u64,
    /// What slots hold for it.
    slot: Any,
}

impl<E> Drop for Association<E> {
    fn drop(&mut self) {
        self.all.shard(self.number).remove(&self.number);
    }
}
