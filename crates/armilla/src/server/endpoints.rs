//! The listening endpoints of an ORB: opening them, accepting, and closing.
//!
//! What happens to an accepted stream is in [`super::admit`].

use super::admit::accept_all;
use super::own_addresses::{OwnAddresses, is_same_host};
use super::publications::Publications;
use super::workers::Workers;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::runtime::{Orb, Part, PartSlot};
use crate::sync::lock;
use crate::transport::{Endpoint, Listening};
use armilla_ipc::Acceptor;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

/// The endpoints of an ORB. They are opened when the ORB starts or when it makes its first
/// reference.
pub(crate) struct Listeners {
    endpoints: Vec<Endpoint>,
    server: OnceLock<Result<Server, SystemException>>,
    opening: Mutex<()>,
    /// Whether references can be encoded, once that was tried.
    pub(super) references: OnceLock<Result<(), SystemException>>,
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
    acceptors: Vec<Arc<dyn Acceptor>>,
    workers: Arc<Workers>,
    /// What references say about the endpoints.
    publications: Publications,
    own_addresses: OwnAddresses,
}

impl Server {
    /// The threads that serve the connections.
    pub(super) fn workers(&self) -> &Arc<Workers> {
        &self.workers
    }

    /// Opens `endpoints` and begins to accept. If none of them contributes a profile, an endpoint
    /// over TCP is added.
    ///
    /// # Errors
    /// `INITIALIZE` when an endpoint cannot be opened.
    pub(crate) fn open(orb: &Orb, endpoints: &[Endpoint]) -> Result<Self, SystemException> {
        let workers = Workers::start(orb.settings()).map_err(|e| no_thread(&e))?;
        let publications = Publications::new(orb.settings());
        let (acceptors, own_addresses) = Default::default();
        let mut server = Self { acceptors, workers, publications, own_addresses };
        for endpoint in endpoints {
            server.listen(orb, endpoint)?;
        }
        if !server.publications.has_profile() || server.acceptors.is_empty() {
            server.listen(orb, &Endpoint::anywhere())?;
        }
        Ok(server)
    }

    fn listen(&mut self, orb: &Orb, endpoint: &Endpoint) -> Result<(), SystemException> {
        let Listening { acceptor, publications } = endpoint.listen(orb.settings())?;
        self.publications.extend(publications);
        if endpoint.is_iiop() {
            self.own_addresses.add(&*acceptor);
        }
        self.accept(orb, acceptor.into())
    }

    /// What references say about the endpoints.
    pub(crate) fn publications(&self) -> &Publications {
        &self.publications
    }

    /// Whether this IIOP address is one of this process: an address that references carry, or
    /// another spelling of an address at which it listens.
    pub(crate) fn is_at(&self, host: &str, port: u16) -> bool {
        let mut published = self.publications.addresses().iter();
        published.any(|(own, at)| *at == port && is_same_host(own, host))
            || self.own_addresses.include(host, port)
    }

    fn accept(&mut self, orb: &Orb, acceptor: Arc<dyn Acceptor>) -> Result<(), SystemException> {
        self.acceptors.push(acceptor.clone());
        let workers = self.workers.clone();
        let orb = orb.clone();
        thread::Builder::new()
            .name("armilla-accept".into())
            .spawn(move || accept_all(&orb, &*acceptor, &workers))
            .map(drop)
            .map_err(|error| {
                SystemException::new(
                    ExceptionKind::NoResources,
                    Minor::THREAD_NOT_STARTED,
                    Completion::No,
                )
                .with_reason(format!("no thread to accept connections: {error}"))
            })
    }

    /// Stops accepting, waits up to `drain_timeout` for requests in progress, and closes every
    /// connection in order.
    pub(crate) fn close(&self, orb: &Orb) {
        self.acceptors.iter().for_each(|acceptor| acceptor.close());
        let left = self.workers.registry.drain(orb.settings().drain_timeout);
        self.workers.stop_reactor();
        if left > 0 {
            report!(
                warn,
                "connections still have requests in progress after drain_timeout",
                left = left
            );
        }
    }
}

#[cold]
fn no_thread(error: &std::io::Error) -> SystemException {
    SystemException::new(ExceptionKind::NoResources, Minor::THREAD_NOT_STARTED, Completion::No)
        .with_reason(format!("no thread to serve connections: {error}"))
}
