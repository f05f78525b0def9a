//! What finds definitions by name, repository id and object; it follows from the definitions.

use super::{DefId, Definition};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The ways to definitions.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    pub(super) by_repository_id: HashMap<String, DefId>,
    pub(super) by_object: HashMap<String, DefId>,
    /// By container and name in lower case: names that differ only in case are the same in IDL.
    by_name: HashMap<(DefId, String), DefId>,
    /// By container and place.
    contents: BTreeMap<(DefId, u32), DefId>,
    /// What is named, and by what.
    users: BTreeSet<(DefId, DefId)>,
}

impl Index {
    pub(super) fn insert(&mut self, id: DefId, definition: &Definition) {
        if !definition.id.is_empty() {
            self.by_repository_id.insert(definition.id.clone(), id);
        }
        self.by_object.insert(definition.object.clone(), id);
        if let Some((container, place)) = definition.place {
            self.by_name.insert((container, definition.name.to_ascii_lowercase()), id);
            self.contents.insert((container, place), id);
        }
        self.users.extend(definition.kind.references().into_iter().map(|named| (named, id)));
    }

    pub(super) fn remove(&mut self, id: DefId, definition: &Definition) {
        self.by_repository_id.remove(&definition.id);
        self.by_object.remove(&definition.object);
        if let Some((container, place)) = definition.place {
            self.by_name.remove(&(container, definition.name.to_ascii_lowercase()));
            self.contents.remove(&(container, place));
        }
        for named in definition.kind.references() {
            self.users.remove(&(named, id));
        }
    }

    pub(super) fn named(&self, container: DefId, name: &str) -> Option<DefId> {
        self.by_name.get(&(container, name.to_ascii_lowercase())).copied()
    }

    pub(super) fn contents(&self, container: DefId) -> impl Iterator<Item = DefId> + '_ {
        self.contents.range((container, 0)..=(container, u32::MAX)).map(|(_, id)| *id)
    }

    /// What names a definition.
    pub(super) fn users(&self, id: DefId) -> impl Iterator<Item = DefId> + '_ {
        self.users.range((id, DefId(0))..=(id, DefId(u32::MAX))).map(|(_, user)| *user)
    }
}
