//! The client side of an ORB: what it knows of servers and their addresses.

use super::access::AccessCache;
use super::connection_pool::{ConnectionPool, ConnectionPools, PoolSettings};
use super::housekeeping;
use super::local_addresses::LocalAddresses;
use super::pool::{Common, Endpoint, Endpoints};
use super::reverse_connections::ReverseConnections;
use crate::client::connection::{CallTimers, ReactorThreads, ReplyMemory};
use crate::runtime::{Orb, Part, PartSlot};
use crate::settings::{AcceptBidirectional, Settings};
use crate::sync::lock;
use crate::transport::EndpointAddress;
use armilla_giop::CodeSetContext;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Once, OnceLock};

/// The client side of an ORB: all endpoints that it has called.
pub(crate) struct Client {
    endpoints: Arc<Endpoints>,
    accesses: Arc<AccessCache>,
    common: Common,
    settings: Arc<Settings>,
    housekeeping: Once,
    /// The address of the objects of this process, for asynchronous calls.
    in_process_address: OnceLock<EndpointAddress>,
    pools: ConnectionPools,
}

impl Part for Client {
    const SLOT: PartSlot = PartSlot::Client;
}

impl Orb {
    /// The client side of the ORB.
    pub(crate) fn client(&self) -> &Client {
        self.part()
    }
}

impl Client {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        let endpoints = Arc::<Endpoints>::default();
        let idle = Arc::downgrade(&endpoints);
        let release_idle = move || {
            if let Some(endpoints) = idle.upgrade() {
                endpoints.release_idle_memory();
            }
        };
        let accepts = settings.accept_bidirectional != AcceptBidirectional::Never;
        let common = Common {
            call_timers: CallTimers::new(&endpoints.housekeeper),
            housekeeper: endpoints.housekeeper.clone(),
            reply_memory: ReplyMemory::new(&settings, release_idle),
            threads: Arc::default(),
            reverse_connections: accepts.then(Arc::default),
            local_addresses: Arc::default(),
            closed: Arc::default(),
            all: Arc::downgrade(&endpoints),
        };
        let (accesses, in_process_address, pools) = Default::default();
        let housekeeping = Once::new();
        Self { endpoints, accesses, common, settings, housekeeping, in_process_address, pools }
    }

    /// The pools of connections beside the usual one.
    pub(in crate::client) fn pools(&self) -> &ConnectionPools {
        &self.pools
    }

    /// The reactor for asynchronous calls.
    pub(in crate::client) fn reactor_threads(&self) -> &ReactorThreads {
        &self.common.threads
    }

    /// From where connections to servers leave.
    pub(crate) fn local_addresses(&self) -> &LocalAddresses {
        &self.common.local_addresses
    }

    /// The addresses reachable over connections that clients have made.
    pub(crate) fn reverse_connections(&self) -> Option<&Arc<ReverseConnections>> {
        self.common.reverse_connections.as_ref()
    }

    /// The endpoint at `address` for connections with these code sets, in the usual pool or the one
    /// that is given.
    pub(crate) fn endpoint(
        &self,
        address: &EndpointAddress,
        code_sets: Option<CodeSetContext>,
        pool: Option<ConnectionPool>,
    ) -> Arc<Endpoint> {
        let known = pool.and_then(|pool| self.pools.settings(pool));
        let usual = || PoolSettings { settings: self.settings.clone(), greeting: None };
        let pool_settings = known.unwrap_or_else(usual);
        let mut by_address = lock(&self.endpoints.by_address);
        let place = by_address.entry((address.clone(), code_sets, pool));
        let endpoint = place.or_insert_with(|| {
            let count = self.settings.connections_per_endpoint;
            Arc::new(Endpoint::new((address, code_sets), pool_settings, count, &self.common))
        });
        self.housekeeping.call_once(|| {
            let Common { call_timers, threads, .. } = &self.common;
            let known = (&self.endpoints, &self.accesses);
            housekeeping::start(known, call_timers.clone(), threads.to_defer(), &self.settings);
        });
        let endpoint = endpoint.clone();
        drop(by_address);
        // It forgets the address when nothing uses it any more.
        self.common.housekeeper.wake_if_asleep();
        endpoint
    }

    /// Forgets the endpoints of a pool, and closes their idle connections in order.
    pub(in crate::client) fn forget_endpoints_of(&self, pool: ConnectionPool) {
        let mut by_address = lock(&self.endpoints.by_address);
        let of_pool = by_address.extract_if(|(_, _, of), _| *of == Some(pool));
        let forgotten: Vec<_> = of_pool.map(|(_, endpoint)| endpoint).collect();
        drop(by_address);
        forgotten.iter().for_each(|endpoint| endpoint.close_idle_since(None));
        self.accesses.forget_unused();
    }

    /// The endpoint of the objects of this process, for asynchronous calls.
    pub(in crate::client) fn in_process_endpoint(
        &self,
        orb: &Orb,
        code_sets: Option<CodeSetContext>,
    ) -> Arc<Endpoint> {
        let address = self.in_process_address.get_or_init(|| {
            let orb = orb.downgrade();
            EndpointAddress::in_process(Box::new(move || {
                let orb = orb.upgrade().ok_or(io::ErrorKind::NotConnected)?;
                orb.connect_in_process()
            }))
        });
        self.endpoint(address, code_sets, None)
    }

    /// The cache of server addresses.
    pub(in crate::client) fn accesses(&self) -> &AccessCache {
        &self.accesses
    }

    /// Sends the buffered oneway calls.
    pub(crate) fn flush(&self) {
        self.endpoints.known().iter().for_each(|endpoint| endpoint.shared.flush());
    }

    /// Closes every idle connection at once, and each other one when its calls have ended.
    pub(crate) fn close(&self) {
        self.flush();
        self.common.closed.store(true, Ordering::SeqCst);
        self.endpoints.known().iter().for_each(|endpoint| endpoint.close_idle_since(None));
    }
}
