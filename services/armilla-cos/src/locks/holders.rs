//! Whose locks are: those of transactions, which have names, and those of clients without one.
//!
//! A request without a transaction does not tell which thread of which program has sent it, and a
//! connection is neither: programs share one among threads, use several, and close idle ones. So each
//! such lock is its own holder. It is released by an `unlock` of its mode from the connection over
//! which it was asked for, or from the same host.

use super::model::{Holder, Locks, Mode, SetId};
use armilla_transactions::Transaction;
use std::collections::HashMap;
use std::sync::Arc;

/// By how many references a transaction is recognized without asking its coordinator.
const REFERENCES: usize = 8;

/// Who has asked: the host, and with it the port of the connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Client {
    pub(super) host: String,
    pub(super) connection: String,
}

/// A lock without a transaction.
struct Plain {
    holder: Holder,
    client: Client,
}

/// A transaction that has, or had, locks.
struct Known {
    id: String,
    references: Vec<String>,
    transaction: Arc<Transaction>,
}

#[derive(Default)]
pub(super) struct Holders {
    known: HashMap<Holder, Known>,
    by_id: HashMap<String, Holder>,
    by_reference: HashMap<String, Holder>,
    plain: HashMap<SetId, Vec<Plain>>,
}

impl Holders {
    /// The holder of a transaction, by its id or by a reference to a coordinator of it.
    pub(super) fn of_id(&self, id: &str) -> Option<Holder> {
        self.by_id.get(id).copied()
    }

    pub(super) fn of_reference(&self, reference: &str) -> Option<Holder> {
        self.by_reference.get(reference).copied()
    }

    /// Notes a transaction.
    pub(super) fn add(&mut self, holder: Holder, transaction: Arc<Transaction>) {
        let id = transaction.id();
        self.by_id.insert(id.clone(), holder);
        let known = Known { id, references: Vec::new(), transaction };
        self.known.insert(holder, known);
    }

    /// Notes that a reference leads to a coordinator of this transaction.
    pub(super) fn recognize(&mut self, holder: Holder, reference: String) {
        if let Some(known) = self.known.get_mut(&holder)
            && known.references.len() < REFERENCES
        {
            known.references.push(reference.clone());
            self.by_reference.insert(reference, holder);
        }
    }

    /// Forgets a transaction.
    pub(super) fn forget(&mut self, holder: Holder) {
        let Some(known) = self.known.remove(&holder) else { return };
        self.by_id.remove(&known.id);
        known.references.iter().for_each(|reference| {
            self.by_reference.remove(reference);
        });
    }

    /// Whether it is a transaction.
    pub(super) fn is_transaction(&self, holder: Holder) -> bool {
        self.known.contains_key(&holder)
    }

    pub(super) fn transaction(&self, holder: Holder) -> Option<Arc<Transaction>> {
        Some(self.known.get(&holder)?.transaction.clone())
    }

    /// Notes a lock, or a wait for one, of a client without a transaction.
    pub(super) fn add_plain(&mut self, set: SetId, holder: Holder, client: Client) {
        self.plain.entry(set).or_default().push(Plain { holder, client });
    }

    pub(super) fn forget_plain(&mut self, set: SetId, holder: Holder) {
        if let Some(all) = self.plain.get_mut(&set) {
            all.retain(|plain| plain.holder != holder);
            if all.is_empty() {
                self.plain.remove(&set);
            }
        }
    }

    /// The lock of this mode that the client has: over the same connection, or else from its host.
    pub(super) fn find_plain(
        &self,
        locks: &Locks,
        set: SetId,
        mode: Mode,
        client: &Client,
    ) -> Option<Holder> {
        let all = self.plain.get(&set)?;
        let held = || all.iter().filter(|plain| locks.count(set, plain.holder, mode) > 0);
        let same = held().find(|plain| plain.client == *client);
        let found = same.or_else(|| held().find(|plain| plain.client.host == client.host));
        found.map(|plain| plain.holder)
    }

    /// What is known of a holder: the transaction, or the client.
    pub(super) fn name(&self, set: SetId, holder: Holder) -> String {
        match self.known.get(&holder) {
            Some(known) => format!("transaction {}", known.id),
            None => {
                let all = self.plain.get(&set).into_iter().flatten();
                let plain = all.into_iter().find(|plain| plain.holder == holder);
                plain.map_or_else(String::new, |plain| plain.client.connection.clone())
            }
        }
    }

    /// The sets in which this holder has a lock without a transaction.
    pub(super) fn plain_sets(&self, holder: Holder) -> Vec<SetId> {
        let has = |all: &Vec<Plain>| all.iter().any(|plain| plain.holder == holder);
        self.plain.iter().filter(|(_, all)| has(all)).map(|(set, _)| *set).collect()
    }
}
