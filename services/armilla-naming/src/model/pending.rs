//! What transactions will change: nobody else sees it before they commit, or may change it.

use super::{Change, ContextId, Decision, NameTree, NamingError, Step};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The changes that wait for the ends of their transactions, by what names those.
#[derive(Debug, Default)]
pub(super) struct Pending(BTreeMap<Arc<str>, Waiting>);

/// The changes of a transaction.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting {
    pub(super) changes: Vec<Change>,
    /// Whether they are decided, and a store keeps them.
    pub(super) is_prepared: bool,
}

impl Pending {
    /// Keeps changes of a transaction that has prepared.
    pub(super) fn prepare(&mut self, token: Arc<str>, changes: Vec<Change>) {
        self.0.insert(token, Waiting { changes, is_prepared: true });
    }

    pub(super) fn remove(&mut self, token: &str) -> Option<Waiting> {
        self.0.remove(token)
    }

    fn len(&self) -> usize {
        self.0.values().map(|waiting| waiting.changes.len()).sum()
    }
}

/// The context that a change is about, and the step in it; `None` for the whole context.
fn place(change: &Change) -> Option<(ContextId, Option<&Step>)> {
    match change {
        Change::Create { context, .. } | Change::Destroy { context } => Some((*context, None)),
        Change::Bind { context, step, .. } | Change::Unbind { context, step } => {
            Some((*context, Some(step)))
        }
        Change::Prepare { .. } | Change::Settle { .. } => None,
    }
}

fn meet(one: &Change, other: &Change) -> bool {
    let (Some((context, step)), Some((other, other_step))) = (place(one), place(other)) else {
        return false;
    };
    let same_step = step.zip(other_step).is_none_or(|(step, other)| step == other);
    context == other && same_step
}

impl NameTree {
    /// Begins to keep the changes of a transaction. Returns whether it was not begun before.
    pub fn begin(&mut self, token: &Arc<str>) -> bool {
        let is_new = !self.pending.0.contains_key(token);
        if is_new {
            self.pending.0.insert(token.clone(), Waiting::default());
        }
        is_new
    }

    /// Forgets the changes of a transaction that has not prepared.
    pub fn abandon(&mut self, token: &str) {
        if self.pending.0.get(token).is_some_and(|waiting| !waiting.is_prepared) {
            self.pending.0.remove(token);
        }
    }

    /// The changes of a transaction that has begun, and whether it has prepared.
    pub fn pending(&self, token: &str) -> Option<(&[Change], bool)> {
        self.pending.0.get(token).map(|waiting| (&*waiting.changes, waiting.is_prepared))
    }

    /// The transactions that have prepared, with their changes.
    pub fn prepared(&self) -> impl Iterator<Item = (&Arc<str>, &[Change])> {
        let prepared = self.pending.0.iter().filter(|(_, waiting)| waiting.is_prepared);
        prepared.map(|(token, waiting)| (token, &*waiting.changes))
    }

    /// Decides an operation of a transaction, which sees what it has changed before, and keeps the
    /// changes until it ends.
    ///
    /// # Errors
    /// Those of `decide`; `Locked`, when another transaction changes the same; `Ended`; the limit
    /// `pending`.
    pub fn decide_within(
        &mut self,
        token: &str,
        decide: impl FnOnce(&Self) -> Result<Decision, NamingError>,
    ) -> Result<Decision, NamingError> {
        if self.pending.0.get(token).is_none_or(|waiting| waiting.is_prepared) {
            return Err(NamingError::Ended);
        }
        let decision = self.read_within(token, decide)?;
        let Decision::Here { changes, .. } = &decision else { return Ok(decision) };
        self.check_free(Some(token), changes)?;
        let (all, most) = (self.pending.len() + changes.len(), self.limits.pending);
        if all > most {
            let what = format!("{all} exceeds the limit pending of the service, {most}");
            return Err(NamingError::Limit(what));
        }
        let waiting = self.pending.0.entry(token.into()).or_default();
        waiting.changes.extend(changes.iter().cloned());
        Ok(decision)
    }

    /// Reads the tree as a transaction sees it: with what it has changed.
    pub fn read_within<R>(&mut self, token: &str, read: impl FnOnce(&Self) -> R) -> R {
        let changes = self.pending.0.get(token).map(|waiting| waiting.changes.clone());
        let made = changes.unwrap_or_default().into_iter().map(|change| self.apply(change));
        let undo: Vec<_> = made.flatten().collect();
        let result = read(self);
        undo.into_iter().rev().for_each(|change| drop(self.apply(change)));
        result
    }

    /// Checks that no transaction but this one will change the same.
    ///
    /// # Errors
    /// `Locked`.
    pub fn check_free(&self, token: Option<&str>, changes: &[Change]) -> Result<(), NamingError> {
        let others = self.pending.0.iter().filter(|(other, _)| Some(&***other) != token);
        let mut locked = others.flat_map(|(_, waiting)| &waiting.changes);
        match locked.any(|other| changes.iter().any(|change| meet(change, other))) {
            true => Err(NamingError::Locked),
            false => Ok(()),
        }
    }
}
