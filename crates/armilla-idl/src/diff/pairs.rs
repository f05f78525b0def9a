//! The matching of old and new declarations.

use crate::model::{DeclId, Model};
use std::collections::{HashMap, HashSet};
use std::mem::discriminant;

pub(super) struct Pairs {
    new_of: HashMap<DeclId, DeclId>,
    known: HashSet<DeclId>,
}

impl Pairs {
    pub(super) fn new(old: &Model, new: &Model) -> Pairs {
        let mut pairs = Pairs { new_of: HashMap::new(), known: HashSet::new() };
        let by_id: HashMap<&str, DeclId> =
            new.iter().map(|(id, declaration)| (declaration.repository_id.as_str(), id)).collect();
        for (id, declaration) in old.iter() {
            if let Some(other) = by_id.get(declaration.repository_id.as_str()) {
                pairs.add(id, *other);
            }
        }
        let by_name: HashMap<String, DeclId> =
            new.iter().map(|(id, _)| (new.scoped_name(id), id)).collect();
        for (id, declaration) in old.iter() {
            let other = by_name.get(&old.scoped_name(id));
            if let Some(other) = other.filter(|other| {
                discriminant(&new.get(**other).kind) == discriminant(&declaration.kind)
            }) {
                pairs.add(id, *other);
            }
        }
        pairs
    }

    fn add(&mut self, old: DeclId, new: DeclId) {
        if !self.new_of.contains_key(&old) && self.known.insert(new) {
            self.new_of.insert(old, new);
        }
    }

    /// The new declaration that matches `old`.
    pub(super) fn new_of(&self, old: DeclId) -> Option<DeclId> {
        self.new_of.get(&old).copied()
    }

    /// Whether an old declaration matches `new`.
    pub(super) fn is_known(&self, new: DeclId) -> bool {
        self.known.contains(&new)
    }
}
