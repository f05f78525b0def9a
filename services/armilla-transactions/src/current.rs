//! In which transaction a thread works.

use crate::engine::Entry;
use armilla::interceptor::{PiCurrent, SlotId};
use armilla::{Any, Completion, SystemException};
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The transactions in which somebody works, by numbers that slots carry from threads to requests.
pub(crate) struct Associations {
    next: AtomicU64,
    shards: [Mutex<HashMap<u64, Arc<Entry>>>; 16],
}

impl Default for Associations {
    fn default() -> Self {
        // Numbers from 1: a slot that was never set has none.
        Self { next: AtomicU64::new(1), shards: Default::default() }
    }
}

impl Associations {
    pub(crate) fn enter(self: &Arc<Self>, entry: Arc<Entry>) -> Association {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.shard(number).lock().unwrap_or_else(PoisonError::into_inner).insert(number, entry);
        Association { all: self.clone(), number }
    }

    pub(crate) fn find(&self, slot: &Any) -> Option<Arc<Entry>> {
        let number = slot.get::<u64>().ok().flatten()?;
        self.shard(number).lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
    }

    fn shard(&self, number: u64) -> &Mutex<HashMap<u64, Arc<Entry>>> {
        &self.shards[number as usize % self.shards.len()]
    }
}

/// Somebody works in a transaction as long as this lives.
pub(crate) struct Association {
    all: Arc<Associations>,
    number: u64,
}

impl Association {
    /// What a slot holds for it.
    pub(crate) fn slot(&self) -> Result<Any, SystemException> {
        Any::new(&self.number).map_err(|error| SystemException::encoding(&error, Completion::No))
    }
}

impl Drop for Association {
    fn drop(&mut self) {
        let shard = self.all.shard(self.number);
        shard.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

/// As long as this lives, its thread works in a transaction, or in none.
pub struct Entered {
    pub(crate) current: PiCurrent,
    pub(crate) slot: SlotId,
    pub(crate) before: Any,
    pub(crate) _association: Option<Association>,
    /// It stays in its thread.
    pub(crate) _thread: PhantomData<*const ()>,
}

impl Entered {
    pub(crate) fn new(
        current: &PiCurrent,
        slot: SlotId,
        association: Option<Association>,
    ) -> Result<Self, SystemException> {
        let before = current.slot(slot)?;
        let value = association.as_ref().map(Association::slot).transpose()?;
        current.set_slot(slot, value.unwrap_or_default())?;
        let (current, _association) = (current.clone(), association);
        Ok(Self { current, slot, before, _association, _thread: PhantomData })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        // It was set before.
        self.current.set_slot(self.slot, std::mem::take(&mut self.before)).ok();
    }
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entered").finish_non_exhaustive()
    }
}

thread_local! {
    static INTERNAL: Cell<bool> = const { Cell::new(false) };
}

/// Makes a call of the service itself, with which no transaction travels.
pub(crate) fn internally<R>(call: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            INTERNAL.set(self.0);
        }
    }
    let _before = Before(INTERNAL.replace(true));
    call()
}

pub(crate) fn is_internal() -> bool {
    INTERNAL.get()
}
