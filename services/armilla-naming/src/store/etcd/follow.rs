//! Following what other instances commit.

use super::keys::Row;
use super::{Cluster, Contents};
use crate::model::Change;
use armilla_etcd::{Event, WatchResult};
use armilla_store::StoreError;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// How long one watch lasts. The next one is at another member, so that one that has lost the
/// others, or that is gone without a word, does not keep this instance from what happens.
const WATCH: Duration = Duration::from_secs(10);

/// How long to wait after a watch that failed.
const PAUSE: Duration = Duration::from_millis(100);

/// Begins to follow, in a thread that ends with the contents.
pub(super) fn start(cluster: Arc<Cluster>, contents: &Arc<Contents>) -> Result<(), StoreError> {
    let weak = Arc::downgrade(contents);
    let follow = move || follow(&cluster, &weak);
    let named = thread::Builder::new().name("armilla-etcd".into());
    named.spawn(follow).map(drop).map_err(|error| StoreError::new("the watch", error.to_string()))
}

fn follow(cluster: &Cluster, contents: &Weak<Contents>) {
    while contents.strong_count() > 0 {
        let from = cluster.position().applied + 1;
        let mut lost = false;
        let (first, end) = cluster.keys.all();
        let ended = cluster.gateway.watch((&first, &end), from, WATCH, |result| {
            let Some(contents) = contents.upgrade() else { return false };
            lost = result.canceled && !result.compact_revision.is_empty();
            match take(cluster, &contents, &result) {
                Ok(()) => !result.canceled,
                Err(why) => {
                    // What this instance has does not fit any more: it reads all of it again.
                    tracing::error!(%why, "a change of another instance cannot be read");
                    lost = true;
                    false
                }
            }
        });
        if lost {
            reload(cluster, contents);
        }
        if let Err(why) = ended {
            tracing::debug!(%why, "a watch has ended");
            cluster.gateway.go_on();
            thread::sleep(PAUSE);
        }
    }
}

/// Takes what a watch says: the changes of one or more commits.
fn take(cluster: &Cluster, contents: &Contents, result: &WatchResult) -> Result<(), String> {
    let mut events = result.events.as_slice();
    while let Some(first) = events.first() {
        let revision = first.kv.revision();
        let end = events.iter().position(|event| event.kv.revision() != revision);
        let (one, behind) = events.split_at(end.unwrap_or(events.len()));
        let commit = read(cluster, one)?;
        adopt(cluster, contents, revision, &commit);
        events = behind;
    }
    Ok(())
}

/// What one commit of another instance changes.
#[derive(Default)]
struct Commit {
    changes: Vec<Change>,
    /// The number of the next context, if the commit tells it.
    next: Option<u64>,
}

fn read(cluster: &Cluster, events: &[Event]) -> Result<Commit, String> {
    let mut commit = Commit::default();
    for event in events {
        let key = event.kv.key();
        if event.is_deletion() {
            commit.changes.extend(cluster.keys.removal(&key)?);
            continue;
        }
        match cluster.keys.read(&key, &event.kv.value())? {
            Row::Head { next } => commit.next = Some(next),
            Row::Context { context, created } => {
                commit.changes.push(Change::Create { context, created });
            }
            Row::Binding { context, step, bound } => {
                commit.changes.push(Change::Bind { context, step, bound });
            }
            Row::Writer => {}
        }
    }
    Ok(commit)
}

/// Makes the changes of a commit here, unless it is this instance's own.
fn adopt(cluster: &Cluster, contents: &Contents, revision: u64, commit: &Commit) {
    let is_new = || revision > cluster.position().applied;
    contents.adopt(is_new, |tree| {
        commit.changes.iter().for_each(|change| drop(tree.apply(change.clone())));
        tree.reserve_below(commit.next.unwrap_or_default());
        cluster.advance(|position| {
            position.applied = revision;
            if let Some(next) = commit.next {
                (position.head, position.next) = (revision, next);
            }
        });
        contents.watchers.tell(&commit.changes);
    });
}

/// Reads the whole tree again: the cluster has forgotten what happened meanwhile.
fn reload(cluster: &Cluster, contents: &Weak<Contents>) {
    let Some(contents) = contents.upgrade() else { return };
    let (mut fresh, position) = match cluster.load() {
        Ok(loaded) => loaded,
        Err(error) => {
            tracing::error!(%error, "the names cannot be read again");
            return thread::sleep(PAUSE);
        }
    };
    tracing::info!(revision = position.applied, "all names were read again");
    contents.adopt(
        || true,
        |tree| {
            fresh.set_limits(tree.limits().clone());
            *tree = fresh;
            // The commits of this instance since then come by the watch.
            cluster.advance(|known| *known = position);
            contents.watchers.end();
        },
    );
}
