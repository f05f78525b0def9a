//! Server endpoints and their pools of idle connections.
//!
//! [`connect`](super::connect) opens connections; [`shared`](super::shared) manages the multiplexed
//! ones.

use super::access::AccessCache;
use super::connection_pool::{ConnectionPool, ConnectionPools, PoolSettings};
use super::greeting::Greeting;
use super::housekeeping;
use super::reverse_connections::ReverseConnections;
use super::shared::SharedConnections;
use crate::client::asynchronous::Reselections;
use crate::client::connection::{
    CallTimers, Driver, ExclusiveConnection, FRESH, IdlePool, ReplyMemory,
};
use crate::client::reference::ClientExtension;
use crate::runtime::{Orb, Part, PartSlot};
use crate::settings::{AcceptBidirectional, Settings};
use crate::sync::lock;
use crate::transport::EndpointAddress;
use armilla_giop::CodeSetContext;
use armilla_ipc::CoarseInstant;
use crossbeam_utils::atomic::AtomicCell;
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, Weak};

/// The client side of an ORB: all endpoints that it has called.
pub(crate) struct Client {
    endpoints: Arc<Endpoints>,
    call_timers: Arc<CallTimers>,
    reply_memory: Arc<ReplyMemory>,
    settings: Arc<Settings>,
    driver: Arc<Driver>,
    closed: Arc<AtomicBool>,
    housekeeping: Once,
    /// The addresses reachable over connections that clients have made; `None` if the ORB accepts
    /// no bidirectional connections.
    reverse_connections: Option<Arc<ReverseConnections>>,
    /// The address of the objects of this process, for asynchronous calls.
    in_process_address: OnceLock<EndpointAddress>,
    extension: OnceLock<Arc<dyn ClientExtension>>,
    pools: ConnectionPools,
    reselections: Reselections,
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

/// The endpoints and addresses that are known.
#[derive(Default)]
pub(in crate::client) struct Endpoints {
    /// By address, code sets and pool: connections with other ones are kept apart.
    pub(in crate::client) by_address: Mutex<ByAddress>,
    pub(in crate::client) accesses: AccessCache,
}

type ByAddress =
    HashMap<(EndpointAddress, Option<CodeSetContext>, Option<ConnectionPool>), Arc<Endpoint>>;

/// One address of a server, and the pool of idle connections to it. Each carries one call at a
/// time.
pub(crate) struct Endpoint {
    pub(crate) address: EndpointAddress,
    pub(crate) code_sets: Option<CodeSetContext>,
    pub(crate) settings: Arc<Settings>,
    /// The request with which each connection begins.
    pub(in crate::client) greeting: Option<Arc<Greeting>>,
    pub(in crate::client) call_timers: Arc<CallTimers>,
    pub(in crate::client) reply_memory: Arc<ReplyMemory>,
    /// The connection that was used last. Sequential calls need no other, and take no lock.
    last: AtomicCell<Option<Box<ExclusiveConnection>>>,
    /// The start of its last call, in nanoseconds of the coarse clock; [`NONE`] without a
    /// connection.
    last_used: AtomicU64,
    /// The value of `last_used` when the memory of that connection was released last.
    released: AtomicU64,
    #[expect(clippy::vec_box, reason = "a connection moves in and out with every call")]
    idle: Mutex<Vec<Box<ExclusiveConnection>>>,
    pub(in crate::client) shared: SharedConnections,
    pub(in crate::client) driver: Arc<Driver>,
    pub(in crate::client) reverse_connections: Option<Arc<ReverseConnections>>,
    /// Whether the ORB has shut down; connections are no longer kept then.
    closed: Arc<AtomicBool>,
    /// All endpoints of the ORB.
    all: Weak<Endpoints>,
}

/// A connection of a pool while it holds the reply to a call. It returns to its pool when it is
/// dropped.
pub(in crate::client) struct PooledConnection<'c> {
    /// `None` while it is dropped.
    connection: Option<Box<ExclusiveConnection>>,
    /// `None` if the connection [knows](ExclusiveConnection::pool) it.
    pool: Option<&'c Endpoint>,
}

impl<'c> PooledConnection<'c> {
    #[inline(always)]
    pub(in crate::client) const fn new(
        connection: Box<ExclusiveConnection>,
        pool: &'c Endpoint,
    ) -> Self {
        Self { connection: Some(connection), pool: Some(pool) }
    }

    #[inline(always)]
    pub(in crate::client) fn connection(&self) -> Option<&ExclusiveConnection> {
        self.connection.as_deref()
    }

    #[inline(always)]
    pub(in crate::client) fn connection_mut(&mut self) -> Option<&mut ExclusiveConnection> {
        self.connection.as_deref_mut()
    }

    /// The same connection, which keeps its pool alive.
    pub(in crate::client) fn owning<'o>(mut self, pool: &Arc<Endpoint>) -> PooledConnection<'o> {
        let mut connection = self.connection.take();
        connection.iter_mut().for_each(|connection| connection.pool = Some(pool.clone()));
        PooledConnection { connection, pool: None }
    }
}

impl Drop for PooledConnection<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        match self.pool {
            Some(pool) => pool.return_idle(connection),
            None => {
                if let Some(pool) = connection.pool.take() {
                    pool.return_idle(connection);
                }
            }
        }
    }
}

/// The value of `last_used` without a connection.
const NONE: u64 = 0;

/// Later than the start of any call.
const END_OF_TIME: CoarseInstant = CoarseInstant::from_nanos(u64::MAX);

impl Endpoints {
    /// Frees the memory of large messages in all idle connections.
    #[cold]
    pub(in crate::client) fn release_idle_memory(&self) {
        for endpoint in self.known() {
            endpoint.release_memory(END_OF_TIME);
        }
    }

    /// All endpoints. What happens to their connections happens without the lock.
    pub(in crate::client) fn known(&self) -> Vec<Arc<Endpoint>> {
        lock(&self.by_address).values().cloned().collect()
    }
}

impl Client {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        let endpoints = Arc::<Endpoints>::default();
        let (call_timers, driver, closed) = Default::default();
        let idle = Arc::downgrade(&endpoints);
        let release_idle = move || {
            if let Some(endpoints) = idle.upgrade() {
                Endpoints::release_idle_memory(&endpoints);
            }
        };
        let reply_memory = ReplyMemory::new(&settings, release_idle);
        let accepts = settings.accept_bidirectional != AcceptBidirectional::Never;
        let reverse_connections = accepts.then(Arc::default);
        let (housekeeping, in_process_address) = (Once::new(), OnceLock::new());
        let (extension, pools, reselections) = Default::default();
        Self {
            endpoints,
            call_timers,
            reply_memory,
            settings,
            driver,
            closed,
            housekeeping,
            reverse_connections,
            in_process_address,
            extension,
            pools,
            reselections,
        }
    }

    /// The calls whose selectors are to be asked again.
    pub(in crate::client) fn reselections(&self) -> &Reselections {
        &self.reselections
    }

    /// The extension, if the program has set one.
    pub(in crate::client) fn extension(&self) -> Option<&Arc<dyn ClientExtension>> {
        self.extension.get()
    }

    /// Sets the extension; the first one stays, and is returned.
    pub(in crate::client) fn set_extension(
        &self,
        extension: Arc<dyn ClientExtension>,
    ) -> Arc<dyn ClientExtension> {
        self.extension.get_or_init(|| extension).clone()
    }

    /// The pools of connections beside the usual one.
    pub(in crate::client) fn pools(&self) -> &ConnectionPools {
        &self.pools
    }

    /// The reactor for asynchronous calls.
    pub(in crate::client) fn driver(&self) -> &Driver {
        &self.driver
    }

    /// The addresses reachable over connections that clients have made.
    pub(crate) fn reverse_connections(&self) -> Option<&Arc<ReverseConnections>> {
        self.reverse_connections.as_ref()
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
        let PoolSettings { settings, greeting } = known.unwrap_or_else(usual);
        let mut by_address = lock(&self.endpoints.by_address);
        let place = by_address.entry((address.clone(), code_sets, pool));
        let endpoint = place.or_insert_with(|| {
            Arc::new(Endpoint {
                address: address.clone(),
                code_sets,
                settings,
                greeting,
                call_timers: self.call_timers.clone(),
                reply_memory: self.reply_memory.clone(),
                last: AtomicCell::default(),
                last_used: AtomicU64::new(NONE),
                released: AtomicU64::new(NONE),
                idle: Mutex::default(),
                shared: SharedConnections::new(self.settings.connections_per_endpoint),
                driver: self.driver.clone(),
                reverse_connections: self.reverse_connections.clone(),
                closed: self.closed.clone(),
                all: Arc::downgrade(&self.endpoints),
            })
        });
        self.housekeeping.call_once(|| {
            let (call_timers, defers) = (self.call_timers.clone(), self.driver.to_defer());
            housekeeping::start(&self.endpoints, call_timers, defers, &self.settings);
        });
        endpoint.clone()
    }

    /// Forgets the endpoints of a pool, and closes their idle connections in order.
    pub(in crate::client) fn forget_endpoints_of(&self, pool: ConnectionPool) {
        let mut by_address = lock(&self.endpoints.by_address);
        let of_pool = by_address.extract_if(|(_, _, of), _| *of == Some(pool));
        let forgotten: Vec<_> = of_pool.map(|(_, endpoint)| endpoint).collect();
        drop(by_address);
        forgotten.iter().for_each(|endpoint| endpoint.close_idle_since(None));
        self.endpoints.accesses.forget_unused();
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
        &self.endpoints.accesses
    }

    /// Sends the buffered oneway calls.
    pub(crate) fn flush(&self) {
        self.endpoints.known().iter().for_each(|endpoint| endpoint.shared.flush());
    }

    /// Closes every idle connection at once, and each other one when its calls have ended.
    pub(crate) fn close(&self) {
        self.flush();
        self.closed.store(true, Ordering::SeqCst);
        self.endpoints.known().iter().for_each(|endpoint| endpoint.close_idle_since(None));
    }
}

impl IdlePool for Endpoint {
    fn return_idle(&self, link: Box<ExclusiveConnection>) {
        Self::return_idle(self, link);
    }
}

impl Endpoint {
    /// Takes an idle connection that is alive from the pool, if there is one.
    #[inline(always)]
    pub(crate) fn idle_connection(&self, now: CoarseInstant) -> Option<Box<ExclusiveConnection>> {
        loop {
            let link = self.last.take().or_else(|| lock(&self.idle).pop())?;
            let fresh = now < link.last_used.plus(FRESH);
            let idle = || now.since(link.last_used) < self.settings.client_idle;
            if fresh || (idle() && link.is_alive()) {
                return Some(link);
            }
        }
    }

    /// Returns a connection to the pool after a call.
    #[inline(always)]
    pub(crate) fn return_idle(&self, link: Box<ExclusiveConnection>) {
        self.last_used.store(link.last_used.as_nanos(), Ordering::Relaxed);
        if let Some(before) = self.last.swap(Some(link)) {
            lock(&self.idle).push(before);
        }
        // `close` sets the flag first and empties the pool then. Either it or this check finds the
        // connection.
        if self.is_closed() {
            self.close_idle_since(None);
        }
    }

    /// Whether the ORB has shut down, so that idle connections must be closed.
    pub(in crate::client) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Whether there are connections in the pool.
    pub(in crate::client) fn has_idle(&self) -> bool {
        let last = self.last_used.load(Ordering::Relaxed) != NONE;
        last || !lock(&self.idle).is_empty() || !self.shared.is_empty()
    }

    /// Closes idle connections whose last call began before `limit`; without a limit, all of them.
    pub(crate) fn close_idle_since(&self, limit: Option<CoarseInstant>) {
        self.shared.close_idle_since(limit);
        let stays = |last_used: u64| limit.is_some_and(|limit| last_used >= limit.as_nanos());
        // A recently used connection is not taken out even for a moment: a call may need it now.
        let last = match stays(self.last_used.load(Ordering::Relaxed)) {
            true => None,
            false => self.take_last(),
        };
        let mut idle = lock(&self.idle);
        let all = std::mem::take(&mut *idle).into_iter().chain(last);
        let (stay, go): (Vec<_>, Vec<_>) = all.partition(|link| stays(link.last_used.as_nanos()));
        *idle = stay;
        drop(idle);
        go.into_iter().for_each(|link| link.close_in_order());
    }

    /// Closes the idle connections to all servers. Whether there were any.
    #[cold]
    pub(in crate::client) fn close_all_idle(&self) -> bool {
        let Some(all) = self.all.upgrade() else { return false };
        let known = all.known();
        let any = known.iter().any(|endpoint| endpoint.has_idle());
        known.iter().for_each(|endpoint| endpoint.close_idle_since(Some(END_OF_TIME)));
        any
    }

    /// Frees the memory of large messages in connections whose last call began before `limit`.
    /// Returns how many octets that were.
    pub(in crate::client) fn release_memory(&self, limit: CoarseInstant) -> usize {
        let mut released = self.shared.release_memory(limit);
        for link in lock(&self.idle).iter_mut().filter(|link| link.last_used < limit) {
            released += link.release_memory();
        }
        // The last connection is not taken out for nothing: a call may need it now.
        let last_used = self.last_used.load(Ordering::Relaxed);
        if last_used < limit.as_nanos()
            && self.released.swap(last_used, Ordering::Relaxed) != last_used
            && let Some(mut last) = self.last.take()
        {
            released += last.release_memory();
            self.return_idle(last);
        }
        released
    }

    fn take_last(&self) -> Option<Box<ExclusiveConnection>> {
        self.last_used.store(NONE, Ordering::Relaxed);
        self.last.take()
    }
}
