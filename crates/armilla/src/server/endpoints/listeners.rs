//! The listening endpoints of an ORB: its own, opened when they are needed first, and the groups
//! that a program adds.
//!
//! What a group is is in [`super::endpoint_group`], what happens to an accepted stream in
//! [`super::admit`].

use super::endpoint_group::Group;
use super::unasked;
use crate::exception::SystemException;
use crate::runtime::{Orb, Part, PartSlot};
use crate::server::addresses::publications::Publications;
use crate::server::threads::worker_threads::WorkerThreads;
use crate::server::threads::workers::Workers;
use crate::sync::lock;
use crate::transport::Endpoint;
use std::sync::{Arc, Mutex, OnceLock};

/// The endpoints of an ORB. They are opened when the ORB starts or when it makes its first
/// reference.
pub(crate) struct Listeners {
    endpoints: Vec<Endpoint>,
    server: OnceLock<Result<Server, SystemException>>,
    opening: Mutex<()>,
    /// Whether references can be encoded, once that was tried.
    pub(in crate::server) references: OnceLock<Result<(), SystemException>>,
}

impl Listeners {
    /// The endpoints that will be opened later; nothing is opened yet.
    pub(crate) fn new(endpoints: Vec<Endpoint>) -> Self {
        let (server, references) = Default::default();
        Self { endpoints, server, opening: Mutex::default(), references }
    }
}

impl Part for Listeners {
    const SLOT: PartSlot = PartSlot::Listeners;
}

impl Orb {
    /// The addresses that references to objects of this ORB carry. The ORB listens from then on.
    ///
    /// # Errors
    /// `INITIALIZE` when an endpoint cannot be opened.
    pub fn published_addresses(&self) -> Result<&[(String, u16)], SystemException> {
        Ok(self.server()?.publications().addresses())
    }

    /// The server side. It is opened now, unless that was done before or the ORB is shut down.
    pub(crate) fn server(&self) -> Result<&Server, SystemException> {
        let Listeners { endpoints, server, opening, .. } = self.part();
        if let Some(server) = server.get() {
            return server.as_ref().map_err(Clone::clone);
        }
        // One thread opens the endpoints, the others wait for it.
        let _opening = lock(opening);
        self.check_running()?;
        server.get_or_init(|| Server::open(self, endpoints)).as_ref().map_err(Clone::clone)
    }

    /// The server side, if the ORB already listens.
    pub(crate) fn open_server(&self) -> Option<&Server> {
        self.part::<Listeners>().server.get()?.as_ref().ok()
    }
}

/// The server side of an ORB that listens.
pub(crate) struct Server {
    /// The endpoints of the ORB itself.
    own: Group,
    /// The endpoints with threads of their own that the program has opened.
    groups: Mutex<Vec<Arc<Group>>>,
}

impl Server {
    /// The threads that serve the connections of the ORB's own endpoints.
    pub(in crate::server) fn workers(&self) -> &Arc<Workers> {
        self.own.workers()
    }

    /// Opens `endpoints` and begins to accept. If none of them contributes a profile, the ORB
    /// [chooses](unasked) where it listens beside.
    ///
    /// # Errors
    /// `INITIALIZE` when an endpoint cannot be opened.
    fn open(orb: &Orb, endpoints: &[Endpoint]) -> Result<Self, SystemException> {
        let settings = orb.settings();
        let threads = WorkerThreads::new(settings.concurrency);
        let publications = Publications::new(settings);
        let mut own = Group::new(orb, threads, publications)?;
        for endpoint in endpoints {
            own.listen(orb, endpoint)?;
        }
        if !own.is_reachable() {
            unasked::listen(orb, &mut own)?;
        }
        Ok(Self { own, groups: Mutex::default() })
    }

    /// What references say about the endpoints.
    pub(crate) fn publications(&self) -> &Publications {
        self.own.publications()
    }

    /// Whether this IIOP address is one of this process: an address that references carry, or
    /// another spelling of an address at which it listens.
    pub(crate) fn is_at(&self, host: &str, port: u16) -> bool {
        self.own.is_at(host, port) || lock(&self.groups).iter().any(|group| group.is_at(host, port))
    }

    /// Adds a group of endpoints, which is closed with the server.
    pub(in crate::server) fn add(&self, group: Arc<Group>) {
        lock(&self.groups).push(group);
    }

    /// Closes a group of endpoints before the server is closed.
    pub(in crate::server) fn remove(&self, orb: &Orb, group: &Arc<Group>) {
        lock(&self.groups).retain(|other| !Arc::ptr_eq(other, group));
        group.close(orb);
    }

    /// Stops accepting, waits up to `drain_timeout` for requests in progress, and closes every
    /// connection in order.
    pub(crate) fn close(&self, orb: &Orb) {
        let groups = std::mem::take(&mut *lock(&self.groups));
        groups.iter().for_each(|group| group.close(orb));
        self.own.close(orb);
    }
}
