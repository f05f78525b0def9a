//! Changes that wait for the ends of transactions. They are kept in memory until a transaction prepares;
//! then the store keeps that too.

use crate::savepoints::{InTheWay, Savepoints};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The changes of transactions that have not ended, by what names these.
#[derive(Debug)]
pub struct Pending<C>(BTreeMap<Arc<str>, Waiting<C>>);

/// The changes of a transaction.
#[derive(Debug)]
struct Waiting<C> {
    changes: Vec<C>,
    /// How many there were when parts of the transaction began.
    parts: Savepoints<usize>,
    /// Whether they are decided, and a store keeps them.
    is_prepared: bool,
}

impl<C> Waiting<C> {
    fn new(changes: Vec<C>, is_prepared: bool) -> Self {
        Self { changes, parts: Savepoints::default(), is_prepared }
    }
}

impl<C> Default for Pending<C> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<C> Pending<C> {
    /// Begins to keep the changes of a transaction. Returns whether it was not begun before.
    pub fn begin(&mut self, token: &Arc<str>) -> bool {
        let is_new = !self.0.contains_key(token);
        if is_new {
            self.0.insert(token.clone(), Waiting::new(Vec::new(), false));
        }
        is_new
    }

    /// Lets a part of a transaction that has begun change something: see [`Savepoints::enter`]. Returns
    /// those that have begun by this.
    ///
    /// # Errors
    /// Another part is at work.
    pub fn enter_part<'p>(
        &mut self,
        token: &str,
        parts: &'p [Arc<str>],
    ) -> Result<&'p [Arc<str>], InTheWay> {
        let Some(waiting) = self.0.get_mut(token) else { return Ok(&[]) };
        let begun = waiting.parts.enter(parts)?;
        let count = waiting.changes.len();
        begun.iter().for_each(|part| waiting.parts.mark(part.clone(), count));
        Ok(begun)
    }

    /// A part of a transaction has ended: what it has changed stays, or goes.
    pub fn leave_part(&mut self, token: &str, part: &str, stays: bool) {
        if let Some(waiting) = self.0.get_mut(token)
            && let Some(count) = waiting.parts.leave(part)
            && !stays
        {
            waiting.changes.truncate(count);
        }
    }

    /// Whether a transaction has begun and has not prepared: it may change something.
    pub fn takes(&self, token: &str) -> bool {
        self.0.get(token).is_some_and(|waiting| !waiting.is_prepared)
    }

    /// Adds changes of a transaction that [may](Self::takes) have some.
    pub fn add(&mut self, token: &str, changes: impl IntoIterator<Item = C>) {
        if let Some(waiting) = self.0.get_mut(token) {
            waiting.changes.extend(changes);
        }
    }

    /// Forgets the changes of a transaction that has not prepared.
    pub fn abandon(&mut self, token: &str) {
        if self.takes(token) {
            self.0.remove(token);
        }
    }

    /// Keeps changes of a transaction that has prepared.
    pub fn prepare(&mut self, token: Arc<str>, changes: Vec<C>) {
        self.0.insert(token, Waiting::new(changes, true));
    }

    /// Forgets a transaction that has ended. Returns what its changes were.
    pub fn settle(&mut self, token: &str) -> Option<Vec<C>> {
        Some(self.0.remove(token)?.changes)
    }

    /// The changes of a transaction that has begun, and whether it has prepared.
    pub fn of(&self, token: &str) -> Option<(&[C], bool)> {
        self.0.get(token).map(|waiting| (&*waiting.changes, waiting.is_prepared))
    }

    /// The changes of all transactions but this one.
    pub fn of_others(&self, token: Option<&str>) -> impl Iterator<Item = &C> {
        let others = self.0.iter().filter(move |(other, _)| Some(&***other) != token);
        others.flat_map(|(_, waiting)| &waiting.changes)
    }

    /// The transactions that have prepared, with their changes.
    pub fn prepared(&self) -> impl Iterator<Item = (&Arc<str>, &[C])> {
        let prepared = self.0.iter().filter(|(_, waiting)| waiting.is_prepared);
        prepared.map(|(token, waiting)| (token, &*waiting.changes))
    }

    /// The number of changes of all transactions.
    pub fn count(&self) -> usize {
        self.0.values().map(|waiting| waiting.changes.len()).sum()
    }
}
