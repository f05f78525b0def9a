//! Commits as transactions.

use super::Cluster;
use super::keys::Keys;
use crate::model::Change;
use armilla_etcd::{Txn, Unanswered, base64};
use armilla_store::{CommitError, Persist, StoreError};
use serde_json::{Value, json};
use std::sync::Arc;

/// How many changes a transaction takes, besides the head and the number of the commit: etcd allows
/// 128 by default.
const MOST: usize = 120;

/// Writes the commits of an instance.
pub(super) struct Commits {
    cluster: Arc<Cluster>,
    /// How many there were.
    count: u64,
}

impl Commits {
    pub(super) fn new(cluster: Arc<Cluster>) -> Self {
        Self { cluster, count: 0 }
    }

    /// The transaction: it happens only if the head is as this instance knows it. Otherwise it says
    /// which commit of this instance was the last, because an answer may have been lost.
    fn question(&self, changes: &[Change], head: u64, next: u64) -> Value {
        let keys = &self.cluster.keys;
        // etcd refuses two values for a key; the last one counts.
        let mut writes: Vec<(Vec<u8>, Option<Vec<u8>>)> = Vec::new();
        for write in changes.iter().filter_map(|change| keys.write(change)) {
            writes.retain(|(key, _)| *key != write.0);
            writes.push(write);
        }
        writes.push((keys.head(), Some(Keys::head_value(next))));
        let writer = keys.writer(self.cluster.writer);
        writes.push((writer.clone(), Some(self.count.to_string().into_bytes())));
        let write = |(key, value): (Vec<u8>, Option<Vec<u8>>)| match value {
            Some(value) => {
                json!({"request_put": {"key": base64(&key), "value": base64(&value)}})
            }
            None => json!({"request_delete_range": {"key": base64(&key)}}),
        };
        json!({
            "compare": [
                {"target": "MOD", "key": base64(&keys.head()), "mod_revision": head.to_string()}
            ],
            "success": writes.into_iter().map(write).collect::<Vec<_>>(),
            "failure": [{"request_range": {"key": base64(&writer)}}],
        })
    }

    /// The revision of the commit; `None` if somebody else was faster.
    fn write(&self, question: &Value) -> Result<Option<u64>, Unanswered> {
        let done: Txn = self.cluster.gateway.ask("kv/txn", question)?;
        if done.succeeded {
            return Ok(Some(done.revision()));
        }
        // It may have been made after all: by a member that was lost before it could say so.
        let own = done.read(0).filter(|last| last.value() == self.count.to_string().as_bytes());
        Ok(own.map(|own| own.revision()))
    }
}

impl Persist<Change> for Commits {
    fn commit(&mut self, changes: &[Change]) -> Result<(), CommitError> {
        if changes.len() > MOST {
            let why = format!("one operation changes {} keys, and {MOST} may be", changes.len());
            return Err(self.cluster.gateway.error(&why).into());
        }
        self.count += 1;
        let position = *self.cluster.position();
        let created = changes.iter().map(|change| match change {
            Change::Create { context, .. } => context.0.saturating_add(1),
            _ => 0,
        });
        let next = created.max().unwrap_or_default().max(position.next);
        let question = self.question(changes, position.head, next);
        match self.write(&question) {
            Ok(Some(revision)) => {
                self.cluster.advance(|position| {
                    position.head = position.head.max(revision);
                    position.applied = position.applied.max(revision);
                    position.next = next;
                });
                Ok(())
            }
            Ok(None) => Err(CommitError::Conflict),
            Err(error @ (Unanswered::Refused(_) | Unanswered::Absent(_))) => {
                Err(self.cluster.failed(&error).into())
            }
            Err(error) => Err(StoreError::undecided(self.cluster.failed(&error)).into()),
        }
    }

    fn check(&mut self) -> Result<(), StoreError> {
        let head = self.cluster.keys.head();
        let mut end = head.clone();
        end.push(0);
        let found = self.cluster.gateway.range(&head, &end, 0, 1);
        found.map(drop).map_err(|error| self.cluster.failed(&error))
    }

    fn most(&self) -> usize {
        MOST
    }
}
