//! Atomic changes, and the record of what has changed.

use super::{DefId, Definition, MAX_DEFINITIONS, Model, ModelError, PRIMITIVES, ROOT, Result};
use std::collections::BTreeMap;

/// The number of the first definition beyond the repository and the basic types.
const FIRST: DefId = DefId(PRIMITIVES.len() as u32 + 1);

/// The changes since the transaction began, for rollback.
#[derive(Debug, Clone)]
pub(super) struct Transaction {
    /// The changed definitions in their old form; `None` for new ones.
    before: BTreeMap<DefId, Option<Definition>>,
    next: u32,
}

/// The changed definitions in their new form; `None` for removed ones.
pub(crate) type Change<'m> = Vec<(DefId, Option<&'m Definition>)>;

impl Model {
    /// Runs `work` atomically: rolls back if it fails. A nested transaction is part of the outer
    /// one.
    pub(crate) fn transaction<T, E>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.recorded(work, |_, _| Ok(()))
    }

    /// The same. `record` gets the next number and the changes before the commit, and may fail.
    pub(crate) fn recorded<T, E>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
        record: impl FnOnce(u32, Change<'_>) -> Result<(), E>,
    ) -> Result<T, E> {
        if self.transaction.is_some() {
            return work(self);
        }
        self.transaction = Some(Transaction { before: BTreeMap::new(), next: self.next });
        let outcome = work(self).and_then(|done| record(self.next, self.changed()).map(|()| done));
        let transaction = self.transaction.take();
        if let (Err(_), Some(Transaction { before, next })) = (&outcome, transaction) {
            self.next = next;
            // Remove first, because a new definition may have the name of an old one.
            before.keys().for_each(|id| drop(self.take(*id)));
            let there = before.into_iter().filter_map(|(id, was)| Some((id, was?)));
            there.for_each(|(id, was)| self.insert(id, was));
        }
        outcome
    }

    fn changed(&self) -> Change<'_> {
        let ids = self.transaction.iter().flat_map(|transaction| transaction.before.keys());
        ids.map(|id| (*id, self.get(*id))).collect()
    }

    /// Takes an unused number.
    pub(super) fn number(&mut self) -> Result<u32> {
        let number = self.next;
        self.next = number.checked_add(1).ok_or(ModelError::Full)?;
        Ok(number)
    }

    /// Adds a definition, at the end of its container if it has one.
    pub(crate) fn add(
        &mut self,
        container: Option<DefId>,
        mut definition: Definition,
    ) -> Result<DefId> {
        if self.definitions.len() >= MAX_DEFINITIONS {
            return Err(ModelError::Full);
        }
        let number = self.number()?;
        definition.place = container.map(|container| (container, number));
        let taken = self.index.by_object.contains_key(&definition.id);
        definition.object = match definition.id.is_empty() || taken {
            // No repository id begins with this.
            true => format!("#{number}"),
            false => definition.id.clone(),
        };
        let id = DefId(number);
        self.note(id, None);
        self.insert(id, definition);
        Ok(id)
    }

    /// Changes a definition.
    pub(crate) fn update(&mut self, id: DefId, change: impl FnOnce(&mut Definition)) -> Result {
        let mut definition = self.take(id).ok_or(ModelError::Destroyed)?;
        self.note(id, Some(&definition));
        change(&mut definition);
        self.insert(id, definition);
        Ok(())
    }

    /// Removes a definition, but not its contents.
    pub(super) fn remove(&mut self, id: DefId) {
        if let Some(definition) = self.take(id) {
            self.note(id, Some(&definition));
        }
    }

    /// The next unused number.
    pub(crate) const fn next_number(&self) -> u32 {
        self.next
    }

    /// The definitions beyond the repository and the basic types.
    pub(crate) fn made(&self) -> impl Iterator<Item = (DefId, &Definition)> {
        self.definitions.range(FIRST..).map(|(id, definition)| (*id, definition))
    }

    /// Replays a stored change.
    ///
    /// # Errors
    /// [`ModelError::Invalid`] if it changes the repository or a basic type, or contains an unused
    /// number.
    pub(crate) fn restore(
        &mut self,
        next: u32,
        set: Vec<(DefId, Definition)>,
        gone: Vec<DefId>,
    ) -> Result {
        let ids = set.iter().map(|(id, _)| id).chain(&gone);
        if next < self.next || ids.into_iter().any(|id| *id < FIRST || id.0 >= next) {
            return Err(ModelError::Invalid("the numbers are not those of a change".to_owned()));
        }
        self.next = next;
        let old = set.iter().map(|(id, _)| *id).chain(gone).collect::<Vec<_>>();
        old.into_iter().for_each(|id| drop(self.take(id)));
        set.into_iter().for_each(|(id, definition)| self.insert(id, definition));
        Ok(())
    }

    /// Removes definitions that need others which are not there. Returns what that were.
    pub(crate) fn remove_dangling(&mut self) -> Vec<String> {
        let mut removed = Vec::new();
        loop {
            let found = self.made().find_map(|(id, definition)| {
                let named = definition.kind.references().into_iter();
                let missing =
                    named.chain(definition.container()).find(|named| self.get(*named).is_none())?;
                let name = &definition.name;
                Some((id, format!("definition {} ({name}), which needs {}", id.0, missing.0)))
            });
            let Some((id, what)) = found else { return removed };
            self.take(id);
            removed.push(what);
        }
    }

    /// Checks that a restored model is consistent; the error names the inconsistency.
    pub(crate) fn check_restored(&self) -> Result<(), String> {
        for (id, definition) in self.made() {
            let (kind, name) = (&definition.kind, &definition.name);
            let mut named = kind.references().into_iter().chain(definition.container());
            if let Some(missing) = named.find(|named| self.get(*named).is_none()) {
                return Err(format!("definition {} ({name}) needs {}", id.0, missing.0));
            }
            let container = definition.container().and_then(|container| self.get(container));
            let is_placed = container.is_none_or(|c| c.kind.may_contain(kind));
            let is_found = self.lookup_object(&definition.object) == Some(id)
                && (definition.id.is_empty() || self.lookup_id(&definition.id) == Some(id))
                && definition.container().is_none_or(|c| self.named(c, name) == Some(id));
            if !is_placed || !is_found {
                return Err(format!("definition {} ({name}) clashes with another", id.0));
            }
        }
        // A definition within itself is not reachable from the repository.
        match self.subtree(ROOT).len() == self.made().filter(|(_, d)| d.place.is_some()).count() + 1
        {
            true => Ok(()),
            false => Err("a definition stands within itself".to_owned()),
        }
    }

    fn note(&mut self, id: DefId, was: Option<&Definition>) {
        if let Some(transaction) = &mut self.transaction {
            transaction.before.entry(id).or_insert_with(|| was.cloned());
        }
    }

    pub(super) fn insert(&mut self, id: DefId, definition: Definition) {
        self.index.insert(id, &definition);
        self.definitions.insert(id, definition);
    }

    fn take(&mut self, id: DefId) -> Option<Definition> {
        let definition = self.definitions.remove(&id)?;
        self.index.remove(id, &definition);
        Some(definition)
    }
}
