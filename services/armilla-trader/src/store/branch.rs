//! What a transaction changes in a store: a participant of it.

use super::{Contents, Store};
use crate::model::{Change, Model, ModelError};
use armilla::Completion;
use armilla_transactions::model::Vote;
use armilla_transactions::{Resource, ResourceError, ResourceManager, Transaction};
use std::io;
use std::sync::Arc;

/// The name by which the log of transactions knows the store.
const MANAGER: &str = "trader";

impl Store {
    /// What finds the changes of transactions after a restart, and its name, for
    /// [`resource_manager`](armilla_transactions::TransactionsBuilder::resource_manager).
    pub fn resource_manager(&self) -> (&'static str, Arc<dyn ResourceManager>) {
        (MANAGER, Arc::new(Branches(self.contents.clone())))
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
        let token: Arc<str> = transaction.id().into();
        let is_new = self.write().begin(&token);
        if is_new {
            let branch = Branch { contents: self.clone(), token: token.clone() };
            if let Err(error) = transaction.enlist_durable(MANAGER, &token, Arc::new(branch)) {
                self.write().abandon(&token);
                return Err(error.into());
            }
        }
        self.write().plan_within(&token, most, plan)
    }
}

/// The changes of a transaction.
struct Branch {
    contents: Arc<Contents>,
    token: Arc<str>,
}

impl Branch {
    fn make(&self, changes: Vec<Change>) -> Result<(), ModelError> {
        self.contents.change(Some(&self.token), |_| Ok((changes, ())))
    }

    /// What is pending, and whether it is prepared.
    fn pending(&self) -> Option<(Vec<Change>, bool)> {
        let model = self.contents.model();
        model.pending(&self.token).map(|(changes, is_prepared)| (changes.to_vec(), is_prepared))
    }

    /// Makes what is pending, and ends.
    fn finish(&self, mut changes: Vec<Change>) -> Result<(), ModelError> {
        changes.push(Change::Settle { token: self.token.clone() });
        self.make(changes)
    }
}

fn failed(error: ModelError) -> ResourceError {
    ResourceError::Failed(error.to_string())
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
            self.contents.write().apply([Change::Settle { token: self.token.clone() }]).ok();
            match &error {
                ModelError::System(exception) if exception.completed() == Completion::Maybe => {
                    failed(error)
                }
                // Nothing was changed.
                _ => ResourceError::RolledBack,
            }
        })
    }
}

/// The transactions whose changes are in a store.
struct Branches(Arc<Contents>);

impl ResourceManager for Branches {
    fn prepared(&self) -> io::Result<Vec<String>> {
        Ok(self.0.model().prepared().map(|(token, _)| token.to_string()).collect())
    }

    fn resource(&self, token: &str) -> io::Result<Option<Arc<dyn Resource>>> {
        let is_prepared = self.0.model().pending(token).is_some_and(|(_, prepared)| prepared);
        let branch = || Arc::new(Branch { contents: self.0.clone(), token: token.into() }) as _;
        Ok(is_prepared.then(branch))
    }
}
