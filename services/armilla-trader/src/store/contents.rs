//! What a trader knows, and how it changes: in memory first, and acknowledged once it is kept.

use super::{Keeper, Kept};
use crate::model::{Model, ModelError, Planned};
use armilla_store::Undo;
use std::fmt;
use std::sync::{
    Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

/// The contents of a trader, what keeps them, and who hears of changes.
pub(crate) struct Contents {
    /// Locked while nothing but memory is touched: never during a call or a write to the disk.
    model: RwLock<Model>,
    /// Held by the one thread that changes the model, from its plan until the change is queued.
    keeper: Mutex<Keeper>,
    changed: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Contents {
    pub(super) fn new(model: Model, keeper: Keeper) -> Self {
        let (model, keeper) = (RwLock::new(model), Mutex::new(keeper));
        Self { model, keeper, changed: OnceLock::new() }
    }

    pub(crate) fn model(&self) -> RwLockReadGuard<'_, Model> {
        self.model.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Taken before the model: nobody plans a change meanwhile.
    pub(super) fn keeper(&self) -> MutexGuard<'_, Keeper> {
        self.keeper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Model> {
        self.model.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets who hears of each change, for the first time.
    pub(crate) fn on_change(&self, changed: impl Fn() + Send + Sync + 'static) {
        self.changed.set(Box::new(changed)).ok();
    }

    /// Plans a change, makes it, and waits until it is kept. If any step fails, nothing has changed.
    /// `token` names the transaction that ends with it.
    pub(crate) fn change<T>(
        &self,
        token: Option<&str>,
        plan: impl FnOnce(&Model) -> Planned<T>,
    ) -> Result<T, ModelError> {
        let (result, pending) = {
            let keeper = self.keeper();
            let (changes, result) = {
                let model = self.model();
                let (changes, result) = plan(&model)?;
                model.check_free(token, &changes)?;
                (changes, result)
            };
            let kept = keeper.prepare(changes)?;
            let undo = self.write().make(kept.iter().map(|(change, _)| change.clone()))?;
            (result, keeper.queue(kept, undo))
        };
        pending.map_or(Ok(()), |pending| pending.settle(|undo| self.undo(undo)))?;
        self.changed.get().into_iter().for_each(|changed| changed());
        Ok(result)
    }

    /// Undoes in memory what was not kept.
    fn undo(&self, undo: Undo<'_, Kept>) {
        // Nothing is queued meanwhile.
        let _keeper = self.keeper();
        let changes = undo.take().into_iter().map(|(change, _)| change);
        // What undoes a change fits the model that the change was made in.
        self.write().apply(changes).ok();
    }

    /// Takes no changes from now on.
    pub(crate) fn close(&self) {
        *self.keeper() = Keeper::Closed;
    }

    /// Whether a change could be kept now.
    pub(crate) fn check(&self) -> Result<(), String> {
        let keeper = self.keeper();
        let check = keeper.check();
        drop(keeper);
        check()
    }
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contents").field("model", &self.model).finish_non_exhaustive()
    }
}
