//! What a transaction changes in a store: a participant of it.

use super::{Contents, Store};
use crate::model::{Change, Model, ModelError};
use armilla::Completion;
use armilla_store::Pending;
use armilla_transactions::{Branches, NotChanged, PendingStore, ResourceManager, Transaction};
use std::sync::Arc;

impl Store {
    /// What finds the changes of transactions after a restart, and its name, for
    /// [`resource_manager`](armilla_transactions::TransactionsBuilder::resource_manager).
    pub fn resource_manager(&self) -> (&'static str, Arc<dyn ResourceManager>) {
        (Contents::MANAGER, Arc::new(Branches(self.contents.clone())))
    }
}

impl Contents {
    /// Plans an operation of a transaction, which sees what it has changed before. Others see it once
    /// the transaction has committed, and cannot change the same before it has ended. `most` is how
    /// many changes may wait.
    ///
    /// # Errors
    /// Those of `plan`; another transaction changes the same; the transaction takes no more changes.
    pub(crate) fn change_within<T>(
        self: &Arc<Self>,
        transaction: &Transaction,
        most: usize,
        plan: impl FnOnce(&Model) -> Result<(Vec<Change>, T), ModelError>,
    ) -> Result<T, ModelError> {
        let token = Branches(self.clone()).join(transaction)?;
        loop {
            let keeper = self.keeper();
            let mut model = self.write();
            let reserve = model.plan_reserve();
            if reserve.is_empty() {
                return model.plan_within(&token, most, plan);
            }
            drop((model, keeper));
            // What reserves numbers has to be kept before one of them is given.
            self.change(None, |_| Ok((reserve.clone(), ())))?;
            self.write().has_reserved(&reserve);
        }
    }

    fn make(&self, token: &str, changes: Vec<Change>) -> Result<(), NotChanged> {
        self.change(Some(token), |_| Ok((changes, ()))).map_err(|error| NotChanged {
            is_undecided: matches!(
                &error,
                ModelError::System(exception) if exception.completed() == Completion::Maybe
            ),
            why: error.to_string(),
        })
    }
}

impl PendingStore for Contents {
    type Change = Change;

    const MANAGER: &'static str = "trader";

    fn with_pending<R>(&self, act: impl FnOnce(&mut Pending<Change>) -> R) -> R {
        act(self.write().pending_mut())
    }

    fn keep_prepared(&self, token: &Arc<str>, changes: Vec<Change>) -> Result<(), NotChanged> {
        let prepare = Change::Prepare { token: token.clone(), changes: changes.into() };
        self.make(token, vec![prepare])
    }

    fn finish(&self, token: &Arc<str>, mut changes: Vec<Change>) -> Result<(), NotChanged> {
        changes.push(Change::Settle { token: token.clone() });
        self.make(token, changes)
    }
}
