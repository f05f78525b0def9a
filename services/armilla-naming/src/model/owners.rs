//! How many bindings each host and each user has.

use super::Bound;
use std::collections::HashMap;
use std::sync::Arc;

/// Who has made a binding, as far as shares of hosts and users go. The model never looks inside.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Owner {
    /// The host; empty if it is not known.
    pub host: Box<str>,
    /// The user; empty if it is not known.
    pub user: Box<str>,
}

/// How many bindings there are of somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Owned {
    /// Those of a host that is known,
    pub of_hosts: u64,
    /// those of a user who is known,
    pub of_users: u64,
    /// and those of either.
    pub of_any: u64,
}

/// Counts the bindings of each, and has each owner once.
#[derive(Debug, Default)]
pub(super) struct Owners {
    all: HashMap<Arc<Owner>, usize>,
    hosts: HashMap<Box<str>, u64>,
    users: HashMap<Box<str>, u64>,
    owned: Owned,
}

impl Owners {
    /// Has the binding share its owner with others.
    pub(super) fn share(&self, bound: &mut Bound) {
        if let Some(owner) = &mut bound.owner
            && let Some((known, _)) = self.all.get_key_value(owner)
        {
            *owner = known.clone();
        }
    }

    pub(super) fn add(&mut self, bound: &Bound) {
        let Some(owner) = &bound.owner else { return };
        *self.all.entry(owner.clone()).or_default() += 1;
        self.owned.of_any += 1;
        self.owned.of_hosts += add(&mut self.hosts, &owner.host);
        self.owned.of_users += add(&mut self.users, &owner.user);
    }

    pub(super) fn remove(&mut self, bound: &Bound) {
        let Some(owner) = &bound.owner else { return };
        let Some(count) = self.all.get_mut(owner) else { return };
        *count -= 1;
        if *count == 0 {
            self.all.remove(owner);
        }
        self.owned.of_any -= 1;
        self.owned.of_hosts -= remove(&mut self.hosts, &owner.host);
        self.owned.of_users -= remove(&mut self.users, &owner.user);
    }

    pub(super) const fn owned(&self) -> Owned {
        self.owned
    }

    pub(super) fn of_host(&self, host: &str) -> u64 {
        self.hosts.get(host).copied().unwrap_or_default()
    }

    pub(super) fn of_user(&self, user: &str) -> u64 {
        self.users.get(user).copied().unwrap_or_default()
    }
}

/// Returns how many more there are of somebody.
fn add(counts: &mut HashMap<Box<str>, u64>, name: &str) -> u64 {
    if name.is_empty() {
        return 0;
    }
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.into(), 1)),
    }
    1
}

/// Returns how many fewer there are of somebody.
fn remove(counts: &mut HashMap<Box<str>, u64>, name: &str) -> u64 {
    let Some(count) = counts.get_mut(name) else { return 0 };
    *count -= 1;
    if *count == 0 {
        counts.remove(name);
    }
    1
}
