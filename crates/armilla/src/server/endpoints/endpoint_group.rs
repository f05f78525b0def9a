//! Groups of endpoints with threads of their own.
//!
//! The connections of a group share nothing with those of another one: no acceptor, no thread, no
//! reactor, no registry and no lock. The ORB's own endpoints are a group; a program adds further
//! ones, for example one for each priority.

use super::admit::accept_all;
use crate::concurrency::Concurrency;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::runtime::{Orb, WeakOrb};
use crate::server::addresses::own_addresses::{OwnAddresses, is_same_host};
use crate::server::addresses::publications::Publications;
use crate::server::threads::worker_threads::WorkerThreads;
use crate::server::threads::workers::Workers;
use crate::settings::Settings;
use crate::transport::{Endpoint, Listening, Publication, SameHostEndpoint, listen_on_same_host};
use armilla_giop::ior::TaggedComponent;
use armilla_ipc::Acceptor;
use std::fmt;
use std::sync::Arc;

/// A group of endpoints with threads of its own, as another crate opens it with
/// [`Orb::open_endpoint_group`]. It is closed by [`close`](Self::close), or with the ORB.
pub struct EndpointGroup {
    /// Weak, because what the ORB holds may hold the group.
    orb: WeakOrb,
    group: Arc<Group>,
}

/// What an [`EndpointGroup`] is made from.
#[derive(Clone)]
pub struct EndpointGroupOptions {
    /// Where it listens, as `-ORBEndpoint` takes it: `iiop://127.0.0.1:0`. At least one.
    pub endpoints: Vec<String>,
    /// Which threads wait for requests.
    pub concurrency: Concurrency,
    /// The begin of the names of its threads, at most 8 characters. Default: `armilla`.
    pub thread_name: String,
    /// The size of the stack of each thread in octets. Default: that of the standard library.
    pub stack_size: Option<usize>,
    /// How many threads are started at once and kept, whether or not there are connections.
    /// Default: 0.
    pub prestarted_threads: usize,
    /// Runs first in each thread of the group. Default: nothing.
    pub on_thread_start: Option<Arc<dyn Fn() + Send + Sync>>,
    /// Changes the settings of the ORB for its endpoints and connections: queues, keep-alive, code
    /// point, priority of the sockets. Default: nothing.
    pub settings: Option<SettingsChange>,
}

/// What changes settings of the ORB for a part of it.
pub type SettingsChange = Arc<dyn Fn(&mut Settings) + Send + Sync>;

impl EndpointGroupOptions {
    /// Listens at these endpoints, with this model of concurrency.
    pub fn new(endpoints: impl IntoIterator<Item = String>, concurrency: Concurrency) -> Self {
        Self {
            endpoints: endpoints.into_iter().collect(),
            concurrency,
            thread_name: "armilla".to_owned(),
            stack_size: None,
            prestarted_threads: 0,
            on_thread_start: None,
            settings: None,
        }
    }
}

impl EndpointGroupOptions {
    /// How the threads of the group are made.
    fn threads(&self) -> WorkerThreads {
        WorkerThreads {
            concurrency: self.concurrency,
            name: self.thread_name.clone(),
            stack_size: self.stack_size,
            kept: self.prestarted_threads,
            on_start: self.on_thread_start.clone(),
        }
    }
}

impl fmt::Debug for EndpointGroupOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointGroupOptions")
            .field("endpoints", &self.endpoints)
            .field("concurrency", &self.concurrency)
            .field("thread_name", &self.thread_name)
            .finish_non_exhaustive()
    }
}

impl Orb {
    /// Opens a group of endpoints with threads of its own. The references of a POA carry its
    /// addresses if its [extension](crate::PoaExtension) says so; requests for any object of the
    /// ORB are served at them.
    ///
    /// # Errors
    /// `BAD_PARAM` when an endpoint is malformed or none is given, `INITIALIZE` when one cannot be
    /// opened, `NO_RESOURCES` when a thread cannot be started, `BAD_INV_ORDER` when the ORB is shut
    /// down.
    pub fn open_endpoint_group(
        &self,
        options: EndpointGroupOptions,
    ) -> Result<EndpointGroup, SystemException> {
        let server = self.server()?;
        let endpoints = options.endpoints.iter().map(|text| self.transports().endpoint(text));
        let endpoints = endpoints.collect::<Result<Vec<_>, _>>()?;
        let mut group = Group::new(self, options.threads(), Publications::empty())?;
        let mut settings = self.settings().clone();
        options.settings.iter().for_each(|change| change(&mut settings));
        for endpoint in &endpoints {
            group.listen_with(self, endpoint, &settings)?;
        }
        if !group.is_reachable() {
            let what = "a group of endpoints needs one with an address for references";
            return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
        }
        group.workers.prestart().map_err(|error| no_thread(&error))?;
        let group = Arc::new(group);
        server.add(group.clone());
        Ok(EndpointGroup { orb: self.downgrade(), group })
    }
}

impl EndpointGroup {
    /// The addresses that references carry for it.
    pub fn addresses(&self) -> &[(String, u16)] {
        self.group.publications.addresses()
    }

    /// The components that references carry for its endpoints that are not IIOP.
    pub fn components(&self) -> &[TaggedComponent] {
        self.group.publications.components()
    }

    /// The components that say, each beside one of its [addresses](Self::addresses), where processes
    /// of the same host connect.
    pub fn same_host_components(&self) -> &[TaggedComponent] {
        self.group.publications.same_host()
    }

    /// Stops accepting, waits for requests in progress, and closes its connections in order. Called
    /// by a servant of the ORB, or in anything else of the program that the ORB calls, it returns at
    /// once, because that must end first.
    pub fn close(&self) {
        let Some(orb) = self.orb.upgrade() else { return };
        let group = self.group.clone();
        let entered = orb.is_entered();
        let close = move || {
            if let Some(server) = orb.open_server() {
                server.remove(&orb, &group);
            }
        };
        if !entered {
            return close();
        }
        if let Err(error) = self.group.workers.threads.spawn("close", close) {
            report!(error, "no thread to close a group of endpoints", error = error);
        }
    }
}

impl fmt::Debug for EndpointGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointGroup").field("addresses", &self.addresses()).finish()
    }
}

/// The state of a group.
pub(in crate::server) struct Group {
    acceptors: Vec<Arc<dyn Acceptor>>,
    workers: Arc<Workers>,
    /// What references say about the endpoints.
    publications: Publications,
    own_addresses: OwnAddresses,
    /// The endpoint for processes of the same host.
    same_host: Option<SameHostEndpoint>,
}

impl Group {
    /// A group without endpoints.
    ///
    /// # Errors
    /// `NO_RESOURCES` when a thread cannot be started.
    pub(in crate::server) fn new(
        orb: &Orb,
        threads: WorkerThreads,
        publications: Publications,
    ) -> Result<Self, SystemException> {
        let workers = Workers::start(orb.settings(), threads).map_err(|e| no_thread(&e))?;
        let (acceptors, own_addresses, same_host) = Default::default();
        Ok(Self { acceptors, workers, publications, own_addresses, same_host })
    }

    /// Opens an endpoint and begins to accept.
    ///
    /// # Errors
    /// `INITIALIZE` when the endpoint cannot be opened.
    pub(in crate::server) fn listen(
        &mut self,
        orb: &Orb,
        endpoint: &Endpoint,
    ) -> Result<(), SystemException> {
        self.listen_with(orb, endpoint, orb.settings())
    }

    /// The same, with other settings for the endpoint and its connections.
    fn listen_with(
        &mut self,
        orb: &Orb,
        endpoint: &Endpoint,
        settings: &Settings,
    ) -> Result<(), SystemException> {
        let Listening { acceptor, publications } = endpoint.listen(settings)?;
        if endpoint.has_same_host_endpoint() {
            self.add_same_host(orb, &publications, settings)?;
        }
        self.publications.extend(publications);
        if endpoint.is_over_tcp() {
            self.own_addresses.add(&*acceptor);
        }
        self.accept(orb, acceptor.into())
    }

    /// Lets references say that an endpoint for processes of the same host stands beside one over
    /// TCP that is published so. Opens it for the first.
    ///
    /// # Errors
    /// `NO_RESOURCES` when a thread cannot be started.
    fn add_same_host(
        &mut self,
        orb: &Orb,
        published: &[Publication],
        settings: &Settings,
    ) -> Result<(), SystemException> {
        if self.same_host.is_none() {
            let Some((acceptor, endpoint)) = listen_on_same_host(settings) else {
                return Ok(());
            };
            self.same_host = Some(endpoint);
            self.accept(orb, acceptor.into())?;
        }
        let Some(endpoint) = &self.same_host else { return Ok(()) };
        let iiop = published.iter().find_map(|published| match published {
            Publication::Iiop(host, port) => Some((host, *port)),
            _ => None,
        });
        // Without one the ORB publishes other addresses.
        let others = || settings.publish_addresses.iter().map(|(host, port)| (host, *port));
        let addresses = iiop.map_or_else(|| others().collect(), |address| vec![address]);
        let components =
            addresses.into_iter().filter_map(|(host, port)| endpoint.component_beside(host, port));
        self.publications.add_same_host(components);
        Ok(())
    }

    /// Whether it has an endpoint, and references can lead to it.
    pub(in crate::server) fn is_reachable(&self) -> bool {
        self.publications.has_profile() && !self.acceptors.is_empty()
    }

    pub(in crate::server) fn workers(&self) -> &Arc<Workers> {
        &self.workers
    }

    pub(in crate::server) fn publications(&self) -> &Publications {
        &self.publications
    }

    /// Whether this IIOP address is one of the group's.
    pub(in crate::server) fn is_at(&self, host: &str, port: u16) -> bool {
        let mut published = self.publications.addresses().iter();
        let mut protected = self.publications.protected().iter();
        published.any(|(own, at)| *at == port && is_same_host(own, host))
            || protected.any(|own| own.port == port && is_same_host(&own.host, host))
            || self.own_addresses.include(host, port)
    }

    fn accept(&mut self, orb: &Orb, acceptor: Arc<dyn Acceptor>) -> Result<(), SystemException> {
        self.acceptors.push(acceptor.clone());
        let workers = self.workers.clone();
        let orb = orb.clone();
        let accept = move || accept_all(&orb, &*acceptor, &workers);
        self.workers
            .threads
            .spawn("accept", accept)
            .map_err(|error| no_resources(format!("no thread to accept connections: {error}")))
    }

    /// Stops accepting, waits up to `drain_timeout` for requests in progress, and closes every
    /// connection in order.
    pub(in crate::server) fn close(&self, orb: &Orb) {
        self.acceptors.iter().for_each(|acceptor| acceptor.close());
        let left = self.workers.registry.drain(orb.settings().drain_timeout);
        self.workers.stop();
        self.workers.registry.left().iter().for_each(|connection| connection.abandon());
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
    no_resources(format!("no thread to serve connections: {error}"))
}

fn no_resources(what: String) -> SystemException {
    SystemException::new(ExceptionKind::NoResources, Minor::THREAD_NOT_STARTED, Completion::No)
        .with_reason(what)
}
