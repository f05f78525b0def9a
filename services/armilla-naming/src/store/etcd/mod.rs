//! A tree that several instances share: its contents are keys of an etcd cluster, and each instance
//! has all of them in memory.
//!
//! A commit is a transaction on the condition that nobody has committed since this instance last
//! looked; if somebody has, it is decided anew on what they left (`commit`). What others commit is
//! watched (`follow`). `keys` says what stands where, `armilla-etcd` talks to the cluster.
//!
//! Each commit changes the key `head`, so that the commits of all instances have one order. Names
//! are resolved far more often than bound, and changes of many clients share a commit.

mod commit;
mod follow;
mod keys;

pub use armilla_etcd::ClusterUser;

use super::{Contents, Replica, Store};
use crate::model::{Bound, ContextId, NameTree, Step};
use armilla_etcd::{Gateway, KeyValue, Txn, Unanswered, base64, parse_address};
use armilla_store::{GroupCommit, StoreError};
use commit::Commits;
use keys::{Keys, Row};
use serde_json::json;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many keys are read at once.
const PAGE: usize = 10_000;

/// How many keys of instances that have ended stay.
const WRITERS: usize = 100;

/// How long a change waits for what others did before.
const CATCH_UP: Duration = Duration::from_secs(10);

/// The prefix of the keys, unless the address has another one.
const PREFIX: &str = "armilla-names";

/// What an instance knows of the cluster.
#[derive(Debug, Clone, Copy, Default)]
struct Position {
    /// The tree has everything up to this revision.
    applied: u64,
    /// The revision of the head.
    head: u64,
    /// The number of the next context.
    next: u64,
}

/// A cluster, and where this instance is in it.
pub(super) struct Cluster {
    gateway: Gateway,
    keys: Keys,
    /// The number of this instance, a random one.
    writer: u64,
    position: Mutex<Position>,
    /// The position has changed.
    moved: Condvar,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster").field("position", &self.position).finish_non_exhaustive()
    }
}

impl Cluster {
    fn position(&self) -> MutexGuard<'_, Position> {
        self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the position, and wakes who waits for it.
    fn advance(&self, advance: impl FnOnce(&mut Position)) {
        advance(&mut self.position());
        self.moved.notify_all();
    }

    fn failed(&self, error: &Unanswered) -> StoreError {
        self.gateway.error(error)
    }

    /// Makes the head, if there is none.
    fn found(&self) -> Result<(), StoreError> {
        let head = base64(&self.keys.head());
        let next = NameTree::default().next_context().0;
        let question = json!({
            "compare": [{"target": "CREATE", "key": head, "create_revision": "0"}],
            "success": [{"request_put": {"key": head, "value": base64(&Keys::head_value(next))}}],
        });
        let made: Result<Txn, _> = self.gateway.ask("kv/txn", &question);
        made.map(drop).map_err(|error| self.failed(&error))
    }

    /// Reads the whole tree, as it is at one revision.
    fn load(&self) -> Result<(NameTree, Position), StoreError> {
        let (first, end) = self.keys.all();
        let mut loaded = Loaded::default();
        let (mut revision, mut from, mut records) = (0, first, 0);
        loop {
            let page = self.gateway.range(&from, &end, revision, PAGE);
            let page = page.map_err(|error| self.failed(&error))?;
            revision = if revision == 0 { page.revision() } else { revision };
            for row in &page.kvs {
                records += 1;
                loaded.take(&self.keys, row).map_err(|why| {
                    let what = format!(
                        "record {records} at revision {revision} cannot be read: {why}. Nothing is \
                         used; restore a snapshot of the cluster, or remove the keys and import \
                         the names"
                    );
                    StoreError::new(self.gateway.address(), what)
                })?;
            }
            match page.kvs.last() {
                Some(last) if page.more => {
                    from = last.key();
                    from.push(0);
                }
                _ => break,
            }
        }
        Ok(loaded.finish(revision))
    }

    /// Removes what instances of old have left.
    fn forget_old_writers(&self) -> Result<(), Unanswered> {
        let (first, end) = self.keys.writers();
        let mut writers = self.gateway.range(&first, &end, 0, 0)?.kvs;
        writers.sort_by_key(KeyValue::revision);
        let old = writers.len().saturating_sub(WRITERS);
        for writer in &writers[..old] {
            let question = json!({"key": base64(&writer.key())});
            self.gateway.ask::<serde_json::Value>("kv/deleterange", &question)?;
        }
        Ok(())
    }
}

impl Replica for Arc<Cluster> {
    fn catch_up(&self) -> Result<(), StoreError> {
        let head = self.keys.head();
        let mut end = head.clone();
        end.push(0);
        let found = self.gateway.range(&head, &end, 0, 1).map_err(|error| self.failed(&error))?;
        let wanted = found.kvs.first().map_or(0, KeyValue::revision);
        let begun = Instant::now();
        let mut position = self.position();
        while position.applied < wanted {
            let Some(left) = CATCH_UP.checked_sub(begun.elapsed()) else {
                return Err(self.gateway.error(&"this instance does not see what others change"));
            };
            let waited = self.moved.wait_timeout(position, left);
            position = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }
}

/// A tree that is being read.
#[derive(Default)]
struct Loaded {
    created: BTreeMap<u64, u32>,
    bindings: BTreeMap<u64, Vec<(Step, Bound)>>,
    position: Position,
}

impl Loaded {
    fn take(&mut self, keys: &Keys, row: &KeyValue) -> Result<(), String> {
        match keys.read(&row.key(), &row.value())? {
            Row::Head { next } => {
                (self.position.head, self.position.next) = (row.revision(), next);
            }
            Row::Context { context, created } => drop(self.created.insert(context.0, created)),
            Row::Binding { context, step, bound } => {
                self.bindings.entry(context.0).or_default().push((step, bound));
            }
            Row::Writer => {}
        }
        Ok(())
    }

    fn finish(mut self, revision: u64) -> (NameTree, Position) {
        let mut tree = NameTree::default();
        self.created.entry(0).or_insert(0);
        for (context, since) in self.created {
            let bindings = self.bindings.remove(&context).unwrap_or_default();
            tree.load(ContextId(context), since, bindings);
        }
        tree.reserve_below(self.position.next);
        (tree, Position { applied: revision, ..self.position })
    }
}

impl Store {
    /// The tree that the instances of a service share in an etcd cluster:
    /// `etcd://HOST:PORT,HOST:PORT/PREFIX`, where the prefix of the keys is optional. Every member
    /// should be in the list, so that the loss of one does not matter.
    ///
    /// The whole tree is in memory, so [`read`](Self::read) asks nobody, also when the cluster is
    /// away. A [change](Self::change) returns when most members have it on their disks, and is
    /// decided on what all instances have changed before. Other instances see it some milliseconds
    /// later.
    ///
    /// # Errors
    /// The address is malformed, no member answers, or a key or a value is damaged.
    pub fn shared(address: &str) -> Result<Self, StoreError> {
        Self::shared_as(address, None)
    }

    /// [`shared`](Self::shared), as a user of the cluster, who must be allowed to read and write the
    /// keys below the prefix. The password travels in clear text.
    ///
    /// # Errors
    /// Those of [`shared`](Self::shared); the cluster does not know the user.
    pub fn shared_as(
        address: &str,
        user: impl Into<Option<ClusterUser>>,
    ) -> Result<Self, StoreError> {
        let (members, prefix) = parse_address(address)?;
        let cluster = Arc::new(Cluster {
            gateway: Gateway::new(members, user.into()),
            keys: Keys::new(prefix.unwrap_or(PREFIX)),
            // The keys of a hash are random; that of nothing tells them.
            writer: RandomState::new().hash_one(()),
            position: Mutex::default(),
            moved: Condvar::new(),
        });
        cluster.found()?;
        cluster.forget_old_writers().map_err(|error| cluster.failed(&error))?;
        let (tree, position) = cluster.load()?;
        *cluster.position() = position;
        let commits = GroupCommit::new(Box::new(Commits::new(cluster.clone())));
        let contents = Arc::new(Contents::new(tree, Some(commits)));
        follow::start(cluster.clone(), &contents)?;
        Ok(Self { contents, replica: Some(Box::new(cluster)) })
    }
}
