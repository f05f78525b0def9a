//! The bindings of a context: found by a hash of their step, listed in the order of the steps.

use super::{Bound, Step};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

/// The bindings of a context. Clients choose the steps, so the hash is keyed at random.
#[derive(Debug, Clone, Default)]
pub(super) struct Bindings {
    keys: RandomState,
    found: HashTable<Arc<Binding>>,
    sorted: BTreeSet<Sorted>,
}

/// A step with what it is bound to, once for the hash table and the order.
#[derive(Debug)]
struct Binding {
    step: Step,
    bound: Bound,
}

/// A binding that compares by its step.
#[derive(Debug, Clone)]
struct Sorted(Arc<Binding>);

impl Borrow<Step> for Sorted {
    fn borrow(&self) -> &Step {
        &self.0.step
    }
}

impl PartialEq for Sorted {
    fn eq(&self, other: &Self) -> bool {
        self.0.step == other.0.step
    }
}

impl Eq for Sorted {}

impl PartialOrd for Sorted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sorted {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.step.cmp(&other.0.step)
    }
}

/// The hash of a step.
fn hash(keys: &RandomState, step: &Step) -> u64 {
    let (id, kind) = step.parts();
    hash_parts(keys, id, kind)
}

fn hash_parts(keys: &RandomState, id: &str, kind: &str) -> u64 {
    let mut hasher = keys.build_hasher();
    hasher.write(id.as_bytes());
    hasher.write_u8(0);
    hasher.write(kind.as_bytes());
    hasher.finish()
}

impl Bindings {
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What a step is bound to.
    pub(super) fn get(&self, step: &Step) -> Option<&Bound> {
        let (id, kind) = step.parts();
        self.find(id, kind)
    }

    /// The same for a step with this id and kind.
    pub(super) fn find(&self, id: &str, kind: &str) -> Option<&Bound> {
        let hash = hash_parts(&self.keys, id, kind);
        let found = self.found.find(hash, |binding| binding.step.is(id, kind))?;
        Some(&found.bound)
    }

    /// Binds a step, and returns what it was bound to.
    pub(super) fn insert(&mut self, step: Step, bound: Bound) -> Option<Bound> {
        let (keys, hash) = (&self.keys, hash(&self.keys, &step));
        let binding = Arc::new(Binding { step, bound });
        let same = |other: &Arc<Binding>| other.step == binding.step;
        match self.found.entry(hash, same, |other| self::hash(keys, &other.step)) {
            Entry::Vacant(free) => {
                free.insert(binding.clone());
                self.sorted.insert(Sorted(binding));
                None
            }
            Entry::Occupied(mut taken) => {
                let before = std::mem::replace(taken.get_mut(), binding.clone());
                self.sorted.replace(Sorted(binding));
                Some(into_bound(before))
            }
        }
    }

    /// Removes a step, and returns what it was bound to.
    pub(super) fn remove(&mut self, step: &Step) -> Option<Bound> {
        let hash = hash(&self.keys, step);
        let entry = self.found.find_entry(hash, |other| other.step == *step).ok()?;
        let (binding, _) = entry.remove();
        self.sorted.remove(step);
        Some(into_bound(binding))
    }

    /// All bindings, in the order of their steps.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Step, &Bound)> {
        self.after(None)
    }

    /// The bindings behind a step, in the order of their steps.
    pub(super) fn after(&self, step: Option<&Step>) -> impl Iterator<Item = (&Step, &Bound)> {
        let from = step.map_or(Unbounded, Excluded);
        self.sorted.range::<Step, _>((from, Unbounded)).map(|Sorted(it)| (&it.step, &it.bound))
    }
}

/// What is left of a binding that neither the table nor the order has any more.
fn into_bound(binding: Arc<Binding>) -> Bound {
    Arc::try_unwrap(binding).map_or_else(|shared| shared.bound.clone(), |alone| alone.bound)
}

impl FromIterator<(Step, Bound)> for Bindings {
    /// Of bindings with the same step the last one holds. An order that is made at once has fuller
    /// nodes than one that grows.
    fn from_iter<I: IntoIterator<Item = (Step, Bound)>>(bindings: I) -> Self {
        let binding = |(step, bound)| Sorted(Arc::new(Binding { step, bound }));
        let sorted: BTreeSet<Sorted> = bindings.into_iter().map(binding).collect();
        let keys = RandomState::new();
        let mut found = HashTable::with_capacity(sorted.len());
        for Sorted(binding) in &sorted {
            let hash = hash(&keys, &binding.step);
            found.insert_unique(hash, binding.clone(), |other| self::hash(&keys, &other.step));
        }
        Self { keys, found, sorted }
    }
}
