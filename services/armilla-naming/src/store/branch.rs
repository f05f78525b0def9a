//! What a transaction changes in a tree: a participant of it.

use super::{ChangeError, Contents, Failed, Store, StoreError};
use crate::model::{Change, Decision, NameTree, NamingError};
use armilla_store::{CommitError, Pending};
use armilla_transactions::{Branches, NotChanged, PendingStore, ResourceManager, Transaction};
use std::sync::Arc;

impl Store {
    /// What finds the changes of transactions after a restart, and its name, for
    /// [`resource_manager`](armilla_transactions::TransactionsBuilder::resource_manager).
    pub fn resource_manager(&self) -> (&'static str, Arc<dyn ResourceManager>) {
        (Contents::MANAGER, Arc::new(Branches(self.contents.clone())))
    }

    /// Decides an operation of a transaction, which sees what it has changed before. Others see it once
    /// the transaction has committed, and cannot change the same before it has ended.
    ///
    /// # Errors
    /// Those of `decide`; another transaction changes the same; the transaction takes no more changes;
    /// the tree is shared with other instances, and takes no part in transactions.
    pub(crate) fn change_within(
        &self,
        transaction: &Transaction,
        decide: impl Fn(&NameTree) -> Result<Decision, NamingError>,
    ) -> Result<Decision, ChangeError> {
        if self.replica.is_some() {
            return Err(StoreError::new("the shared tree", "has no transactions").into());
        }
        let joined = Branches(self.contents.clone()).join(transaction);
        let token = joined.map_err(|error| {
            tracing::info!(%error, "a transaction takes no changes of names");
            NamingError::Ended
        })?;
        loop {
            let mut tree = self.contents.write();
            let Some(reserve) = tree.plan_reserve() else {
                return Ok(tree.decide_within(&token, decide)?);
            };
            drop(tree);
            // What reserves numbers has to be kept before one of them is given.
            let kept = Decision::Here { changes: vec![reserve.clone()], created: None };
            self.change(|_| Ok(kept.clone()))?;
            self.contents.write().has_reserved(&reserve);
        }
    }

    /// Reads the tree as a transaction sees it.
    pub(crate) fn read_within<R>(
        &self,
        transaction: &Transaction,
        read: impl FnOnce(&NameTree) -> R,
    ) -> R {
        self.contents.write().read_within(&transaction.whole().id(), read)
    }
}

impl Contents {
    fn make_within(&self, token: &str, changes: &[Change]) -> Result<(), NotChanged> {
        let changes = || Decision::Here { changes: changes.to_vec(), created: None };
        let made = self.attempt(Some(token), &|_| Ok(changes()));
        made.map(drop).map_err(|error| {
            let (why, is_undecided) = match error {
                Failed::Naming(error) => (error.to_string(), false),
                Failed::Commit(CommitError::Store(error)) => {
                    (error.to_string(), error.is_undecided())
                }
                Failed::Commit(CommitError::Conflict) => {
                    ("the tree was changed by others".to_owned(), false)
                }
            };
            NotChanged { why, is_undecided }
        })
    }
}

impl PendingStore for Contents {
    type Change = Change;

    const MANAGER: &'static str = "naming";

    fn with_pending<R>(&self, act: impl FnOnce(&mut Pending<Change>) -> R) -> R {
        act(self.write().pending_mut())
    }

    fn keep_prepared(&self, token: &Arc<str>, changes: Vec<Change>) -> Result<(), NotChanged> {
        let prepare = Change::Prepare { token: token.clone(), changes: changes.into() };
        self.make_within(token, &[prepare])
    }

    fn finish(&self, token: &Arc<str>, mut changes: Vec<Change>) -> Result<(), NotChanged> {
        changes.push(Change::Settle { token: token.clone() });
        self.make_within(token, &changes)
    }
}
