//! Stores of services as participants: what a transaction has changed waits in the store, and is made
//! when the transaction commits.

use crate::model::{Status, Vote};
use crate::resource::{Resource, ResourceError, ResourceManager, Synchronization};
use crate::transaction::Transaction;
use armilla::{ExceptionKind, SystemException};
use armilla_store::{InTheWay, Pending};
use std::io;
use std::sync::Arc;

/// A store that keeps changes until a transaction ends.
pub trait PendingStore: Send + Sync + 'static {
    /// What a transaction changes.
    type Change: Clone;

    /// The name by which the log of transactions knows the store.
    const MANAGER: &'static str;

    /// Reads or changes what waits, under the lock of the contents.
    fn with_pending<R>(&self, act: impl FnOnce(&mut Pending<Self::Change>) -> R) -> R;

    /// Keeps that a transaction has prepared, with its changes. After an error it has not.
    ///
    /// # Errors
    /// What was not kept.
    fn keep_prepared(&self, token: &Arc<str>, changes: Vec<Self::Change>)
    -> Result<(), NotChanged>;

    /// Makes changes, and keeps them and that their transaction has ended. After an error nothing has
    /// changed in memory, but for one that is not prepared: that [must](Pending::settle) be forgotten.
    ///
    /// # Errors
    /// What was not made or kept.
    fn finish(&self, token: &Arc<str>, changes: Vec<Self::Change>) -> Result<(), NotChanged>;
}

/// Why a store has not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotChanged {
    /// What went wrong.
    pub why: String,
    /// Whether the change may be on the disk all the same.
    pub is_undecided: bool,
}

impl From<NotChanged> for ResourceError {
    fn from(NotChanged { why, .. }: NotChanged) -> Self {
        Self::Failed(why)
    }
}

/// The transactions whose changes are in a store. It finds them after a restart.
pub struct Branches<S>(pub Arc<S>);

impl<S: PendingStore> Branches<S> {
    /// Lets the store take part in a transaction, unless it does. Returns the token of what waits. What a
    /// subtransaction changes goes when that rolls back.
    ///
    /// # Errors
    /// Those of [`Transaction::enlist_durable`], and `INVALID_TRANSACTION` while a subtransaction beside
    /// this one, or within it, changes the store.
    pub fn join(&self, transaction: &Transaction) -> Result<Arc<str>, SystemException> {
        let whole = transaction.whole();
        let token: Arc<str> = whole.id().into();
        let branch = Branch { store: self.0.clone(), token: token.clone() };
        if self.0.with_pending(|pending| pending.begin(&token)) {
            let enlisted = whole.enlist_durable(S::MANAGER, &token, Arc::new(branch));
            enlisted.inspect_err(|_| self.0.with_pending(|pending| pending.abandon(&token)))?;
        }
        self.enter(&token, &transaction.parts())?;
        Ok(token)
    }

    /// Lets a part of a transaction change the store.
    fn enter(&self, token: &Arc<str>, parts: &[Transaction]) -> Result<(), SystemException> {
        let ids: Vec<Arc<str>> = parts.iter().map(|part| part.id().into()).collect();
        let begun = self.0.with_pending(|pending| {
            pending.enter_part(token, &ids).map(<[_]>::len).map_err(|InTheWay| {
                let what = "another part of the transaction changes the same store";
                ExceptionKind::InvalidTransaction
                    .because(what)
                    .with_hint("let parts that change it follow one another")
            })
        })?;
        for (part, id) in parts.iter().zip(&ids).skip(ids.len() - begun) {
            let (store, token) = (self.0.clone(), token.clone());
            let end = Arc::new(PartEnd { store, token, part: id.clone() });
            part.synchronize_part(end.clone()).inspect_err(|_| end.leave(false))?;
        }
        Ok(())
    }
}

/// Hears of the end of a part of a transaction.
struct PartEnd<S> {
    store: Arc<S>,
    token: Arc<str>,
    part: Arc<str>,
}

impl<S: PendingStore> PartEnd<S> {
    fn leave(&self, stays: bool) {
        self.store.with_pending(|pending| pending.leave_part(&self.token, &self.part, stays));
    }
}

impl<S: PendingStore> Synchronization for PartEnd<S> {
    fn after_completion(&self, status: Status) {
        self.leave(status == Status::Committed);
    }
}

impl<S: PendingStore> ResourceManager for Branches<S> {
    fn prepared(&self) -> io::Result<Vec<String>> {
        let names = |pending: &mut Pending<_>| {
            pending.prepared().map(|(token, _)| token.to_string()).collect()
        };
        Ok(self.0.with_pending(names))
    }

    fn resource(&self, token: &str) -> io::Result<Option<Arc<dyn Resource>>> {
        let branch = Branch { store: self.0.clone(), token: token.into() };
        let is_prepared = branch.pending().is_some_and(|(_, is_prepared)| is_prepared);
        Ok(is_prepared.then(|| Arc::new(branch) as _))
    }
}

/// The changes of a transaction.
struct Branch<S> {
    store: Arc<S>,
    token: Arc<str>,
}

impl<S: PendingStore> Branch<S> {
    /// What is pending, and whether it is prepared.
    fn pending(&self) -> Option<(Vec<S::Change>, bool)> {
        self.store.with_pending(|pending| {
            pending.of(&self.token).map(|(changes, is_prepared)| (changes.to_vec(), is_prepared))
        })
    }

    fn abandon(&self) {
        self.store.with_pending(|pending| pending.abandon(&self.token));
    }
}

impl<S: PendingStore> Resource for Branch<S> {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        match self.pending() {
            None => Ok(Vote::Rollback),
            Some((_, true)) => Ok(Vote::Commit),
            Some((changes, false)) if changes.is_empty() => {
                self.abandon();
                Ok(Vote::ReadOnly)
            }
            Some((changes, false)) => {
                self.store.keep_prepared(&self.token, changes)?;
                Ok(Vote::Commit)
            }
        }
    }

    fn commit(&self) -> Result<(), ResourceError> {
        match self.pending() {
            Some((changes, true)) => Ok(self.store.finish(&self.token, changes)?),
            Some((_, false)) => Err(ResourceError::Failed("it is not prepared".to_owned())),
            // It was told before.
            None => Ok(()),
        }
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        match self.pending() {
            Some((_, true)) => Ok(self.store.finish(&self.token, Vec::new())?),
            _ => {
                self.abandon();
                Ok(())
            }
        }
    }

    fn commit_one_phase(&self) -> Result<(), ResourceError> {
        let Some((changes, _)) = self.pending() else { return Err(ResourceError::RolledBack) };
        self.store.finish(&self.token, changes).map_err(|error| {
            // What undoes the end is that it is prepared, which the store does not know.
            self.store.with_pending(|pending| pending.settle(&self.token));
            match error.is_undecided {
                true => error.into(),
                false => {
                    let (store, why) = (S::MANAGER, error.why);
                    tracing::error!(store, why, "the changes of a transaction were not stored");
                    ResourceError::RolledBack
                }
            }
        })
    }
}
