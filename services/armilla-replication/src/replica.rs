//! A member that runs.

use crate::builder::ReplicaBuilder;
use crate::model::{Role, View};
use crate::reference::{GroupName, group_reference};
use crate::shared::Shared;
use armilla::{ExceptionKind, Poa, SystemException};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A member of a group. It leaves when it is dropped, as if its process had ended: the others go on.
pub struct Replica {
    shared: Arc<Shared>,
    /// That of the object, and that of what other members call.
    poas: [Poa; 2],
    keeper: Option<JoinHandle<()>>,
}

impl Replica {
    /// A member of a group, under a name that no other member has: its location.
    pub fn builder(group: GroupName, name: impl Into<String>) -> ReplicaBuilder {
        ReplicaBuilder::new(group, name.into())
    }

    pub(crate) fn new(shared: Arc<Shared>, poas: [Poa; 2], keeper: JoinHandle<()>) -> Self {
        Self { shared, poas, keeper: Some(keeper) }
    }

    /// What the member is now.
    pub fn role(&self) -> Role {
        self.shared.member().map_or(Role::Newcomer, |member| member.role())
    }

    /// The view that the member knows.
    pub fn view(&self) -> View {
        self.shared.member().map(|member| member.view().clone()).unwrap_or_default()
    }

    /// The number of replies in the log, and of requests that were answered from it.
    pub fn logged(&self) -> (u64, u64) {
        self.shared.member().map_or((0, 0), |member| member.logged())
    }

    /// How many [reads](ReplicaBuilder::reads) were answered alone, and how many after all backups were
    /// asked.
    pub fn reads(&self) -> (u64, u64) {
        self.shared.member().map_or((0, 0), |member| member.reads())
    }

    /// The reference to this member, and to no other, as text.
    pub fn object(&self) -> String {
        self.shared.member().map(|member| member.me().object.clone()).unwrap_or_default()
    }

    /// Waits until the member has the state of the group and knows who is in it, at most so long. Whether
    /// it does.
    pub fn wait_ready(&self, limit: Duration) -> bool {
        let begun = Instant::now();
        let is_ready = || {
            let member = self.shared.member();
            member.is_some_and(|it| it.role() != Role::Newcomer && it.known_view().is_some())
        };
        while !is_ready() {
            if begun.elapsed() >= limit {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    /// The reference to the group, as text (`IOR:…`).
    ///
    /// # Errors
    /// `TRANSIENT` while the member does not know who is in the group.
    pub fn reference(&self) -> Result<String, SystemException> {
        let view = self.shared.member().and_then(|member| member.known_view().cloned());
        let view = view.filter(|view| !view.members.is_empty()).ok_or_else(|| {
            ExceptionKind::Transient.because("the member does not know the group yet")
        })?;
        let ior = group_reference(&self.shared.world.group, &view)?;
        ior.to_text().map_err(|error| {
            ExceptionKind::InvObjref.because(format!("a reference to a group: {error}"))
        })
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Relaxed);
        if let Some(keeper) = self.keeper.take() {
            keeper.join().ok();
        }
        self.poas.iter().for_each(|poa| drop(poa.destroy(true, false)));
        if let Some(member) = self.shared.member() {
            member.state().end();
        }
    }
}

impl std::fmt::Debug for Replica {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replica")
            .field("group", &self.shared.world.group)
            .field("role", &self.role())
            .finish_non_exhaustive()
    }
}
