//! Security contexts that a server keeps between requests.

use crate::caller::Caller;
use crate::hash::KeyedHash;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many contexts a server keeps for its clients, and for how long. A client whose context is
/// gone is told so, and establishes it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextLimits {
    /// For all clients. Default: 4096.
    pub total: usize,
    /// For one connection. Default: 16.
    pub per_connection: usize,
    /// How long one stays that is not used. Default: ten minutes.
    pub idle: Duration,
    /// How long one stays at most, however often it is used. Default: eight hours.
    pub lifetime: Duration,
}

impl Default for ContextLimits {
    fn default() -> Self {
        let (idle, lifetime) = (Duration::from_secs(600), Duration::from_secs(8 * 3600));
        Self { total: 4096, per_connection: 16, idle, lifetime }
    }
}

/// The number of a connection, and that of a context on it.
pub(super) type ContextKey = (u64, u64);

/// The contexts that are kept.
pub(super) struct ContextTable {
    limits: ContextLimits,
    kept: Mutex<HashMap<ContextKey, Kept>>,
}

struct Kept {
    caller: Arc<Caller>,
    /// What it was established with.
    evidence: KeyedHash,
    /// That of the passwords with which it was established.
    generation: u64,
    established: Instant,
    used: Instant,
}

/// What becomes of a context that a client establishes.
#[derive(Debug)]
pub(super) enum Established {
    /// It is new.
    New,
    /// It was established before, with the same.
    Known(Arc<Caller>),
    /// It was established before, with something else.
    Conflict,
}

impl ContextTable {
    pub(super) fn new(limits: ContextLimits) -> Self {
        Self { limits, kept: Mutex::default() }
    }

    /// What is known of a context that a client establishes with `evidence`.
    pub(super) fn look(
        &self,
        key: ContextKey,
        evidence: &KeyedHash,
        generation: u64,
        now: Instant,
    ) -> Established {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get_mut(&key) {
            Some(found) if self.is_over(found, generation, now) => {
                kept.remove(&key);
                Established::New
            }
            Some(found) if found.evidence == *evidence => {
                found.used = now;
                Established::Known(found.caller.clone())
            }
            Some(_) => Established::Conflict,
            None => Established::New,
        }
    }

    /// Keeps a context.
    pub(super) fn keep(
        &self,
        key: ContextKey,
        caller: &Arc<Caller>,
        evidence: KeyedHash,
        generation: u64,
        now: Instant,
    ) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let of_connection = |other: &ContextKey| other.0 == key.0;
        if kept.len() >= self.limits.total {
            kept.retain(|_, context| !self.is_over(context, generation, now));
        }
        if kept.keys().filter(|other| of_connection(other)).count() >= self.limits.per_connection {
            remove_oldest(&mut kept, of_connection);
        }
        if kept.len() >= self.limits.total {
            remove_oldest(&mut kept, |_| true);
        }
        let (caller, established) = (caller.clone(), now);
        kept.insert(key, Kept { caller, evidence, generation, established, used: now });
    }

    /// The caller of a context of before; with `discard` it is forgotten.
    pub(super) fn find(
        &self,
        key: ContextKey,
        discard: bool,
        generation: u64,
        now: Instant,
    ) -> Option<Arc<Caller>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.get_mut(&key)?;
        if self.is_over(found, generation, now) {
            kept.remove(&key);
            return None;
        }
        found.used = now;
        let caller = found.caller.clone();
        if discard {
            kept.remove(&key);
        }
        Some(caller)
    }

    fn is_over(&self, context: &Kept, generation: u64, now: Instant) -> bool {
        context.generation != generation
            || now.saturating_duration_since(context.used) >= self.limits.idle
            || now.saturating_duration_since(context.established) >= self.limits.lifetime
    }
}

/// Removes the context among those that `of` tells which was not used for longest.
fn remove_oldest(kept: &mut HashMap<ContextKey, Kept>, of: impl Fn(&ContextKey) -> bool) {
    let oldest = kept.iter().filter(|(key, _)| of(key)).min_by_key(|(_, context)| context.used);
    if let Some(oldest) = oldest.map(|(key, _)| *key) {
        kept.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::Proof;
    use crate::principal::Principal;
    use armilla_ipc::Address;

    fn caller() -> Arc<Caller> {
        let (principal, proof) = (Principal::Anonymous, Proof::None);
        let address = Address::tcp("192.0.2.1", 1);
        Arc::new(Caller { principal, proof, through: None, address, credentials: None })
    }

    #[test]
    fn contexts_are_found_until_they_are_idle_discarded_or_too_many() {
        let limits = ContextLimits { total: 3, per_connection: 2, ..Default::default() };
        let (table, caller, start) = (ContextTable::new(limits), caller(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        table.keep((1, 1), &caller, [1; 32], 0, at(0));
        assert!(table.find((1, 1), false, 0, at(1)).is_some());
        assert!(table.find((2, 1), false, 0, at(1)).is_none(), "of another connection");
        assert!(matches!(table.look((1, 1), &[1; 32], 0, at(1)), Established::Known(_)));
        assert!(matches!(table.look((1, 1), &[2; 32], 0, at(1)), Established::Conflict));
        table.keep((1, 2), &caller, [1; 32], 0, at(2));
        table.keep((1, 3), &caller, [1; 32], 0, at(3));
        assert!(table.find((1, 1), false, 0, at(3)).is_none(), "the third evicts the first");
        assert!(table.find((1, 2), true, 0, at(3)).is_some());
        assert!(table.find((1, 2), false, 0, at(3)).is_none(), "it was discarded");
        assert!(table.find((1, 3), false, 1, at(3)).is_none(), "the passwords have changed");
        for connection in 2..7 {
            table.keep((connection, 1), &caller, [1; 32], 0, at(4));
        }
        assert_eq!(table.kept.lock().unwrap().len(), 3);
        assert!(table.find((6, 1), false, 0, at(4 + 600)).is_none(), "idle");
    }
}
