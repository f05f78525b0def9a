//! Server endpoints and their pools of idle connections.
//!
//! [`connect`](super::connect) opens connections; [`sharing`](super::sharing) manages the multiplexed
//! ones.

use super::connection_pool::{ConnectionPool, PoolSettings};
use super::greeting::Greeting;
use super::local_addresses::LocalAddresses;
use super::look::Look;
use super::reverse_connections::ReverseConnections;
use super::same_host::LastWay;
use super::shared::SharedConnections;
use super::silence::EndpointSilence;
use crate::client::connection::{
    CallTimers, ExclusiveConnection, FRESH, IdlePool, ReactorThreads, ReplyMemory, Rest,
};
use crate::settings::Settings;
use crate::sync::lock;
use crate::threads::Sleeper;
use crate::transport::EndpointAddress;
use armilla_giop::CodeSetContext;
use armilla_ipc::CoarseInstant;
use crossbeam_utils::atomic::AtomicCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// The endpoints that are known.
#[derive(Default)]
pub(super) struct Endpoints {
    /// By address, code sets and pool: connections with other ones are kept apart.
    pub(super) by_address: Mutex<ByAddress>,
    /// The thread that looks after them, and ends with them.
    pub(super) housekeeper: Arc<Sleeper>,
}

impl Drop for Endpoints {
    fn drop(&mut self) {
        self.housekeeper.wake();
    }
}

type ByAddress =
    HashMap<(EndpointAddress, Option<CodeSetContext>, Option<ConnectionPool>), Arc<Endpoint>>;

/// What the endpoints of a client share.
#[derive(Clone)]
pub(super) struct Common {
    pub(super) call_timers: Arc<CallTimers>,
    /// The thread that closes idle connections, among other things.
    pub(super) housekeeper: Arc<Sleeper>,
    pub(super) reply_memory: Arc<ReplyMemory>,
    pub(super) threads: Arc<ReactorThreads>,
    /// The addresses reachable over connections that clients have made; `None` if the ORB accepts
    /// no bidirectional connections.
    pub(super) reverse_connections: Option<Arc<ReverseConnections>>,
    /// From where connections leave.
    pub(super) local_addresses: Arc<LocalAddresses>,
    /// Whether the ORB has shut down; connections are no longer kept then.
    pub(super) closed: Arc<AtomicBool>,
    /// All endpoints of the ORB.
    pub(super) all: Weak<Endpoints>,
}

/// One address of a server, and the pool of idle connections to it. Each carries one call at a
/// time.
pub(crate) struct Endpoint {
    pub(crate) address: EndpointAddress,
    pub(crate) code_sets: Option<CodeSetContext>,
    pub(crate) settings: Arc<Settings>,
    /// The request with which each connection begins.
    pub(in crate::client) greeting: Option<Arc<Greeting>>,
    pub(super) common: Common,
    /// The connection that was used last. Sequential calls need no other, and take no lock.
    last: AtomicCell<Option<Box<ExclusiveConnection>>>,
    /// The start of its last call, in nanoseconds of the coarse clock; [`NONE`] without a
    /// connection.
    last_used: AtomicU64,
    /// The value of `last_used` when the memory of that connection was released last.
    released: AtomicU64,
    #[expect(clippy::vec_box, reason = "a connection moves in and out with every call")]
    pub(super) idle: Mutex<Vec<Box<ExclusiveConnection>>>,
    pub(super) shared: SharedConnections,
    pub(super) silence: Arc<EndpointSilence>,
    pub(super) last_way: LastWay,
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
            endpoint.rest(END_OF_TIME);
        }
    }

    /// The endpoints at this address.
    pub(super) fn at(&self, address: &EndpointAddress) -> Vec<Arc<Endpoint>> {
        let known = lock(&self.by_address);
        known.values().filter(|endpoint| endpoint.address == *address).cloned().collect()
    }

    /// All endpoints. What happens to their connections happens without the lock.
    pub(in crate::client) fn known(&self) -> Vec<Arc<Endpoint>> {
        lock(&self.by_address).values().cloned().collect()
    }
}

impl IdlePool for Endpoint {
    fn return_idle(&self, link: Box<ExclusiveConnection>) {
        Self::return_idle(self, link);
    }
}

impl Endpoint {
    /// An endpoint with as many shared connections as `count`.
    pub(super) fn new(
        (address, code_sets): (&EndpointAddress, Option<CodeSetContext>),
        PoolSettings { settings, greeting }: PoolSettings,
        count: usize,
        common: &Common,
    ) -> Self {
        Self {
            address: address.clone(),
            code_sets,
            settings,
            greeting,
            common: common.clone(),
            last: AtomicCell::default(),
            last_used: AtomicU64::new(NONE),
            released: AtomicU64::new(NONE),
            idle: Mutex::default(),
            shared: SharedConnections::new(count),
            silence: EndpointSilence::new(address, &common.all),
            last_way: LastWay::default(),
        }
    }

    /// Takes an idle connection that is alive from the pool, if there is one.
    #[inline(always)]
    pub(crate) fn idle_connection(&self, now: CoarseInstant) -> Option<Box<ExclusiveConnection>> {
        loop {
            let mut link = self.last.take().or_else(|| lock(&self.idle).pop())?;
            let fresh = now < link.last_used.plus(FRESH);
            let idle = || now.since(link.last_used) < self.settings.client_idle;
            if fresh {
                return Some(link);
            }
            if idle() && link.is_alive() {
                link.end_rest();
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

    /// Returns a connection after a oneway call, which brought no reply.
    pub(in crate::client) fn return_unanswered(&self, link: Box<ExclusiveConnection>) {
        match self.distrusts(&link) {
            true => link.close_in_order(),
            false => self.return_idle(link),
        }
    }

    /// Whether the ORB has shut down, so that idle connections must be closed.
    pub(in crate::client) fn is_closed(&self) -> bool {
        self.common.closed.load(Ordering::SeqCst)
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
        let Some(all) = self.common.all.upgrade() else { return false };
        let known = all.known();
        let any = known.iter().any(|endpoint| endpoint.has_idle());
        known.iter().for_each(|endpoint| endpoint.close_idle_since(Some(END_OF_TIME)));
        any
    }

    /// Lets the connections rest whose last call began before `limit`: frees the memory of large
    /// messages, and has the next call wake the housekeeping thread.
    pub(super) fn rest(&self, limit: CoarseInstant) -> Look {
        let mut look = self.shared.rest(limit);
        for link in lock(&self.idle).iter_mut() {
            let rests = link.last_used < limit;
            if rests {
                look.released += link.rest();
            }
            look.add(rests.then_some(Rest::Since(link.last_used)));
        }
        // The last connection is not taken out for nothing: a call may need it now.
        let last_used = self.last_used.load(Ordering::Relaxed);
        let rests = last_used < limit.as_nanos();
        if rests
            && self.released.swap(last_used, Ordering::Relaxed) != last_used
            && let Some(mut last) = self.last.take()
        {
            look.released += last.rest();
            self.return_idle(last);
        }
        if last_used != NONE {
            look.add(rests.then_some(Rest::Since(CoarseInstant::from_nanos(last_used))));
        }
        look
    }

    pub(super) fn take_last(&self) -> Option<Box<ExclusiveConnection>> {
        self.last_used.store(NONE, Ordering::Relaxed);
        self.last.take()
    }
}
