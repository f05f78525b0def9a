//! Ping sets: which objects a client says that it still wants (MS-DCOM 3.1.2.1).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

/// The objects of a client.
#[derive(Debug)]
pub(super) struct PingSet {
    pub(super) members: BTreeSet<u64>,
    pub(super) last: Duration,
    /// The user who made it.
    pub(super) owner: Option<Arc<str>>,
}

/// The sets by their name.
#[derive(Debug, Default)]
pub(super) struct PingSets {
    pub(super) sets: BTreeMap<u64, PingSet>,
    /// How many members all of them have.
    pub(super) memberships: usize,
}

impl PingSets {
    /// How many sets a user has, and how many members these have.
    pub(super) fn of(&self, owner: &str) -> (usize, usize) {
        let own = self.sets.values().filter(|set| set.owner.as_deref() == Some(owner));
        own.fold((0, 0), |(sets, members), set| (sets + 1, members + set.members.len()))
    }

    /// Whose set it is.
    pub(super) fn owner(&self, set: u64) -> Option<Arc<str>> {
        self.sets.get(&set)?.owner.clone()
    }

    pub(super) fn insert(&mut self, set: u64, object: u64) -> bool {
        let new = self.sets.get_mut(&set).is_some_and(|it| it.members.insert(object));
        self.memberships += usize::from(new);
        new
    }

    pub(super) fn remove(&mut self, set: u64, object: u64) -> bool {
        let gone = self.sets.get_mut(&set).is_some_and(|it| it.members.remove(&object));
        self.memberships -= usize::from(gone);
        gone
    }

    /// Takes a set out; returns its members.
    pub(super) fn forget(&mut self, set: u64) -> BTreeSet<u64> {
        let members = self.sets.remove(&set).map(|set| set.members).unwrap_or_default();
        self.memberships -= members.len();
        members
    }

    /// Takes out the sets that were last pinged at `limit` or before.
    pub(super) fn take_expired(&mut self, limit: Duration) -> Vec<(u64, PingSet)> {
        let expired: Vec<_> =
            self.sets.iter().filter(|(_, set)| set.last <= limit).map(|(id, _)| *id).collect();
        let mut taken = Vec::new();
        for id in expired {
            if let Some(set) = self.sets.remove(&id) {
                self.memberships -= set.members.len();
                taken.push((id, set));
            }
        }
        taken
    }
}
