//! Registries of views: in an etcd cluster, which outlives any of its members, and in memory, for
//! tests.

use crate::model::{Failure, View};
use crate::reference::GroupName;
use armilla_etcd::{ClusterUser, Gateway, Range, Txn, Unanswered, base64, parse_address};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Where the latest view of each group is.
pub trait ViewRegistry: Send + Sync + 'static {
    /// The latest view of a group; `None` if there is none.
    ///
    /// # Errors
    /// The registry cannot be asked, or what it has is no view.
    fn read(&self, group: &GroupName) -> Result<Option<View>, Failure>;

    /// Puts `next` in the place of the view with version `before`, 0 for none. `false` if that is not
    /// the latest.
    ///
    /// # Errors
    /// It is not known whether it was done.
    fn replace(&self, group: &GroupName, before: u32, next: &View) -> Result<bool, Failure>;

    /// All groups, with their latest views.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    fn groups(&self) -> Result<Vec<(GroupName, View)>, Failure>;

    /// Forgets a group whose latest view has this version. `false` if it has another one.
    ///
    /// # Errors
    /// It is not known whether it was done.
    fn forget(&self, group: &GroupName, version: u32) -> Result<bool, Failure>;
}

/// A registry in the memory of a process.
#[derive(Debug, Default)]
pub struct MemoryRegistry(Mutex<BTreeMap<GroupName, View>>);

impl ViewRegistry for MemoryRegistry {
    fn read(&self, group: &GroupName) -> Result<Option<View>, Failure> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(group).cloned())
    }

    fn replace(&self, group: &GroupName, before: u32, next: &View) -> Result<bool, Failure> {
        let mut views = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = views.get(group).map_or(0, |latest| latest.version) == before;
        if fits {
            views.insert(group.clone(), next.clone());
        }
        Ok(fits)
    }

    fn groups(&self) -> Result<Vec<(GroupName, View)>, Failure> {
        let views = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(views.iter().map(|(name, view)| (name.clone(), view.clone())).collect())
    }

    fn forget(&self, group: &GroupName, version: u32) -> Result<bool, Failure> {
        let mut views = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = views.get(group).is_some_and(|latest| latest.version == version);
        if fits {
            views.remove(group);
        }
        Ok(fits)
    }
}

/// The prefix of the keys, unless the address has another one.
const PREFIX: &str = "armilla-groups";

/// A registry in an etcd cluster: a key for each group, whose value is the view as JSON. A view takes
/// the place of another one in a transaction of the cluster, so that members agree on it.
pub struct EtcdRegistry {
    gateway: Gateway,
    prefix: String,
}

impl std::fmt::Debug for EtcdRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EtcdRegistry").field("cluster", &self.gateway.address()).finish()
    }
}

impl EtcdRegistry {
    /// The registry in the cluster at `etcd://HOST:PORT,…`, below the prefix behind the members, or
    /// below `armilla-groups`.
    ///
    /// # Errors
    /// It is no such address. The cluster is asked later.
    pub fn connect(
        address: &str,
        user: impl Into<Option<ClusterUser>>,
    ) -> Result<Self, armilla_etcd::AddressError> {
        let (members, prefix) = parse_address(address)?;
        let prefix = prefix.unwrap_or(PREFIX).to_owned();
        Ok(Self { gateway: Gateway::new(members, user.into()), prefix })
    }

    fn key(&self, group: &GroupName) -> String {
        format!("{}/{group}", self.prefix)
    }

    fn failed(&self, why: &Unanswered) -> Failure {
        Failure(format!("{}: {why}", self.gateway.address()))
    }

    /// The latest view of a group, and the revision of the cluster that made it.
    fn find(&self, group: &GroupName) -> Result<Option<(View, u64)>, Failure> {
        let question = json!({"key": base64(self.key(group).as_bytes())});
        let found: Range =
            self.gateway.ask("kv/range", &question).map_err(|why| self.failed(&why))?;
        let Some(row) = found.kvs.first() else { return Ok(None) };
        Ok(Some((read_view(&self.key(group), &row.value())?, row.revision())))
    }

    fn transact(
        &self,
        group: &GroupName,
        before: u64,
        change: &serde_json::Value,
    ) -> Result<bool, Failure> {
        let key = base64(self.key(group).as_bytes());
        let question = json!({
            "compare": [{"target": "MOD", "key": key, "mod_revision": before.to_string()}],
            "success": [change],
        });
        let done: Txn = self.gateway.ask("kv/txn", &question).map_err(|why| self.failed(&why))?;
        Ok(done.succeeded)
    }
}

fn read_view(key: &str, octets: &[u8]) -> Result<View, Failure> {
    serde_json::from_slice(octets)
        .map_err(|error| Failure(format!("the key {key} is no view of a group: {error}")))
}

impl ViewRegistry for EtcdRegistry {
    fn read(&self, group: &GroupName) -> Result<Option<View>, Failure> {
        Ok(self.find(group)?.map(|(view, _)| view))
    }

    fn replace(&self, group: &GroupName, before: u32, next: &View) -> Result<bool, Failure> {
        let (version, revision) =
            self.find(group)?.map_or((0, 0), |(latest, revision)| (latest.version, revision));
        if version != before {
            return Ok(false);
        }
        let value = serde_json::to_vec(next).map_err(|error| Failure(error.to_string()))?;
        let key = base64(self.key(group).as_bytes());
        let put = json!({"request_put": {"key": key, "value": base64(&value)}});
        self.transact(group, revision, &put)
    }

    fn groups(&self) -> Result<Vec<(GroupName, View)>, Failure> {
        let (first, end) = (format!("{}/", self.prefix), format!("{}0", self.prefix));
        let found = self.gateway.range(first.as_bytes(), end.as_bytes(), 0, 0);
        let mut all = Vec::new();
        for row in found.map_err(|why| self.failed(&why))?.kvs {
            let key = String::from_utf8_lossy(&row.key()).into_owned();
            if let Some(Ok(name)) = key.strip_prefix(&first).map(str::parse) {
                all.push((name, read_view(&key, &row.value())?));
            }
        }
        Ok(all)
    }

    fn forget(&self, group: &GroupName, version: u32) -> Result<bool, Failure> {
        let Some((latest, revision)) = self.find(group)? else { return Ok(false) };
        let key = base64(self.key(group).as_bytes());
        let gone = json!({"request_delete_range": {"key": key}});
        Ok(latest.version == version && self.transact(group, revision, &gone)?)
    }
}
