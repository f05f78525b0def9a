//! How a member is set up and started.

use crate::checkpointable::{Checkpointable, ObjectState};
use crate::corba::member;
use crate::error::ReplicaError;
use crate::keeper::Keeper;
use crate::member_servant::MemberServant;
use crate::model::{Lease, Limits, Member, MemberInfo, Style};
use crate::peers::World;
use crate::reference::GroupName;
use crate::registry::ViewRegistry;
use crate::replica::Replica;
use crate::requests::Requests;
use crate::shared::Shared;
use armilla::Orb;
use armilla::Tied;
use armilla::codegen::Interface;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A member to be started.
#[must_use = "only `start` starts the member"]
pub struct ReplicaBuilder {
    group: GroupName,
    name: String,
    registry: Option<Arc<dyn ViewRegistry>>,
    style: Style,
    interval: Duration,
    limits: Limits,
    reads: BTreeSet<String>,
    #[cfg(feature = "disk")]
    disk: Option<std::path::PathBuf>,
}

impl ReplicaBuilder {
    pub(crate) fn new(group: GroupName, name: String) -> Self {
        let (style, limits, reads) = Default::default();
        let interval = Duration::from_millis(200);
        Self {
            group,
            name,
            registry: None,
            style,
            interval,
            limits,
            reads,
            #[cfg(feature = "disk")]
            disk: None,
        }
    }

    /// Where the views of the group are: the same for all members.
    pub fn registry(mut self, registry: Arc<dyn ViewRegistry>) -> Self {
        self.registry = Some(registry);
        self
    }

    /// How the members keep the same state. By default the primary executes requests, and backups apply at
    /// once what it has changed.
    #[doc(alias = "org.omg.ft.ReplicationStyle")]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// The time between two heartbeats of the primary, 200 ms by default. A backup takes over after
    /// two and a half of them; after one and a quarter if nobody is where the primary was.
    #[doc(alias = "org.omg.ft.FaultMonitoringInterval")]
    pub fn heartbeat(mut self, interval: Duration) -> Self {
        self.interval = interval.max(Duration::from_millis(10));
        self
    }

    /// Operations that change nothing, such as `find`, or `_get_balance` for an attribute. The primary
    /// answers them alone, without asking the backups, while all of them have promised not to take over.
    /// What it answers is never out of date. Each operation that is called so is one that does not change
    /// the state; nobody checks that.
    ///
    /// All members have the same [heartbeat](Self::heartbeat) then, and a clock that goes wrong by less than
    /// one part in twenty and does not stand still, also not while a virtual machine does.
    pub fn reads<T: Into<String>>(mut self, operations: impl IntoIterator<Item = T>) -> Self {
        self.reads.extend(operations.into_iter().map(Into::into));
        self
    }

    /// The most that the log of replies holds.
    pub fn reply_log(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Keeps the state and the replies in this directory too, which no other member has: a group all of
    /// whose members have died comes back with any of its latest. Each request then waits for the disk
    /// of each member.
    #[cfg(feature = "disk")]
    pub fn disk(mut self, directory: impl Into<std::path::PathBuf>) -> Self {
        self.disk = Some(directory.into());
        self
    }

    /// Starts the member: `servant` executes requests, and `object` knows their state; most often they
    /// are one. It founds the group if there is none, and joins it otherwise.
    ///
    /// # Errors
    /// There is no registry, the ORB refuses, or what is on the disk cannot be read or is not understood
    /// by the object.
    pub fn start<T: Tied>(
        self,
        orb: &Orb,
        object: Arc<dyn Checkpointable>,
        servant: T,
    ) -> Result<Replica, ReplicaError>
    where
        T::Interface: Interface,
    {
        let registry = self.registry.ok_or(ReplicaError::NoRegistry)?;
        if self.style == Style::Active {
            tracing::info!(
                group = %self.group,
                member = self.name,
                "is active: each member makes the calls of the servant itself, and only calls of groups are \
                 executed once"
            );
        }
        let world = World::new(orb, self.group.clone(), registry, self.interval * 3);
        // No longer than a backup waits at least that hears nothing.
        let promise = u64::try_from((self.interval * 5 / 4).as_nanos()).unwrap_or(u64::MAX);
        let lease = match self.reads.is_empty() {
            true => Lease::unused(promise),
            false => Lease::of(promise),
        };
        let shared = Arc::new(Shared::new(world, self.reads));
        let poa = orb.root_poa().create_poa(format!("group {} {}", self.group, self.name));
        let poa = poa.extension(Arc::new(Requests(shared.clone()))).build()?;
        let served = poa.activate(servant)?;
        let peers = poa.create_poa("peers").build()?;
        let peer = peers.activate(member::tie(MemberServant(shared.clone())))?;
        let me = MemberInfo {
            name: self.name,
            object: orb.object_to_string(&served)?,
            peer: orb.object_to_string(&peer)?,
        };
        let state = ObjectState::new(object, served.as_ref().clone(), self.group);
        let member = Member::new(me, self.style, self.limits, state).with_lease(lease);
        #[cfg(feature = "disk")]
        let member = match &self.disk {
            Some(directory) => {
                let (disk, found) =
                    crate::disk::Disk::open(directory).map_err(ReplicaError::Disk)?;
                let now = crate::clock::elapsed();
                member.with_disk(Box::new(disk), found, now).map_err(ReplicaError::Disk)?
            }
            None => member,
        };
        shared.set(member);
        let keeper = Keeper::start(shared.clone(), self.interval).map_err(ReplicaError::Thread)?;
        Ok(Replica::new(shared, [peers, poa], keeper))
    }
}

impl std::fmt::Debug for ReplicaBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplicaBuilder")
            .field("group", &self.group)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
