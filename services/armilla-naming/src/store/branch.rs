//! What a transaction changes in a tree: a participant of it.

use super::{ChangeError, Contents, Failed, Store, StoreError};
use crate::model::{Change, Decision, NameTree, NamingError};
use armilla_store::CommitError;
use armilla_transactions::model::Vote;
use armilla_transactions::{Resource, ResourceError, ResourceManager, Transaction};
use std::io;
use std::sync::Arc;

/// The name by which the log of transactions knows the store.
const MANAGER: &str = "naming";

impl Store {
    /// What finds the changes of transactions after a restart, and its name, for
    /// [`resource_manager`](armilla_transactions::TransactionsBuilder::resource_manager).
    pub fn resource_manager(&self) -> (&'static str, Arc<dyn ResourceManager>) {
        (MANAGER, Arc::new(Branches(self.contents.clone())))
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
        let token: Arc<str> = transaction.id().into();
        if self.contents.write().begin(&token) {
            let branch = Branch { contents: self.contents.clone(), token: token.clone() };
            if let Err(error) = transaction.enlist_durable(MANAGER, &token, Arc::new(branch)) {
                self.contents.write().abandon(&token);
                tracing::info!(%token, %error, "a transaction takes no changes of names");
                return Err(NamingError::Ended.into());
            }
        }
        Ok(self.contents.write().decide_within(&token, decide)?)
    }

    /// Reads the tree as a transaction sees it.
    pub(crate) fn read_within<R>(
        &self,
        transaction: &Transaction,
        read: impl FnOnce(&NameTree) -> R,
    ) -> R {
        self.contents.write().read_within(&transaction.id(), read)
    }
}

/// The changes of a transaction.
struct Branch {
    contents: Arc<Contents>,
    token: Arc<str>,
}

impl Branch {
    fn make(&self, changes: Vec<Change>) -> Result<(), Failed> {
        let changes = || Decision::Here { changes: changes.clone(), created: None };
        self.contents.attempt(Some(&self.token), &|_| Ok(changes())).map(drop)
    }

    /// What is pending, and whether it is prepared.
    fn pending(&self) -> Option<(Vec<Change>, bool)> {
        let tree = self.contents.write();
        tree.pending(&self.token).map(|(changes, is_prepared)| (changes.to_vec(), is_prepared))
    }

    /// Makes what is pending, and ends.
    fn finish(&self, mut changes: Vec<Change>) -> Result<(), Failed> {
        changes.push(Change::Settle { token: self.token.clone() });
        self.make(changes)
    }
}

fn failed(error: Failed) -> ResourceError {
    ResourceError::Failed(match error {
        Failed::Naming(error) => error.to_string(),
        Failed::Commit(CommitError::Store(error)) => error.to_string(),
        Failed::Commit(CommitError::Conflict) => "the tree was changed by others".to_owned(),
    })
}

impl Resource for Branch {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        match self.pending() {
            None => Ok(Vote::Rollback),
            Some((_, true)) => Ok(Vote::Commit),
            Some((changes, false)) if changes.is_empty() => {
                self.contents.write().abandon(&self.token);
                Ok(Vote::ReadOnly)
            }
            Some((changes, false)) => {
                let (token, changes) = (self.token.clone(), changes.into());
                self.make(vec![Change::Prepare { token, changes }]).map_err(failed)?;
                Ok(Vote::Commit)
            }
        }
    }

    fn commit(&self) -> Result<(), ResourceError> {
        match self.pending() {
            Some((changes, true)) => self.finish(changes).map_err(failed),
            Some((_, false)) => Err(ResourceError::Failed("it is not prepared".to_owned())),
            // It was told before.
            None => Ok(()),
        }
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        match self.pending() {
            Some((_, true)) => self.finish(Vec::new()).map_err(failed),
            _ => {
                self.contents.write().abandon(&self.token);
                Ok(())
            }
        }
    }

    fn commit_one_phase(&self) -> Result<(), ResourceError> {
        let Some((changes, _)) = self.pending() else { return Err(ResourceError::RolledBack) };
        self.finish(changes).map_err(|error| {
            // What undoes the end is that it is prepared, which the store does not know.
            self.contents.write().apply(Change::Settle { token: self.token.clone() });
            match error {
                Failed::Commit(CommitError::Store(error)) if error.is_undecided() => {
                    ResourceError::Failed(error.to_string())
                }
                error => {
                    tracing::error!(error = %failed(error), "changes of names were not stored");
                    ResourceError::RolledBack
                }
            }
        })
    }
}

/// The transactions whose changes are in a tree.
struct Branches(Arc<Contents>);

impl ResourceManager for Branches {
    fn prepared(&self) -> io::Result<Vec<String>> {
        Ok(self.0.write().prepared().map(|(token, _)| token.to_string()).collect())
    }

    fn resource(&self, token: &str) -> io::Result<Option<Arc<dyn Resource>>> {
        let is_prepared = self.0.write().pending(token).is_some_and(|(_, prepared)| prepared);
        let branch = || Arc::new(Branch { contents: self.0.clone(), token: token.into() }) as _;
        Ok(is_prepared.then(branch))
    }
}
