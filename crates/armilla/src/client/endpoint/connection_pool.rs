//! Pools of connections beside the usual one: a copy of a reference names the pool that its calls
//! use.

use super::greeting::Greeting;
use crate::runtime::Orb;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};
use armilla_giop::ior::Component;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};

/// A pool of connections that calls through some references share with no others. It is a component
/// that the client itself adds to its copy of a reference; nobody else has a use for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectionPool(u64);

impl Component for ConnectionPool {
    /// "ARM" and a three, from the range of the vendor.
    const ID: u32 = 0x4152_4d03;
}

impl Encode for ConnectionPool {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.encode(out)
    }
}

impl<'a> Decode<'a> for ConnectionPool {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.u64().map(Self)
    }
}

/// How the connections of a pool are made.
#[derive(Clone)]
pub(in crate::client) struct PoolSettings {
    pub(in crate::client) settings: Arc<Settings>,
    /// The request with which each connection begins.
    pub(in crate::client) greeting: Option<Arc<Greeting>>,
}

/// The pools that are open.
#[derive(Default)]
pub(in crate::client) struct ConnectionPools(Mutex<Pools>);

#[derive(Default)]
struct Pools {
    /// The number of the last pool; none is used again. The first is random, so that a reference
    /// from elsewhere does not name a pool.
    last: Option<u64>,
    open: HashMap<ConnectionPool, PoolSettings>,
}

impl ConnectionPools {
    fn add(&self, settings: PoolSettings) -> ConnectionPool {
        let mut pools = lock(&self.0);
        let first = || RandomState::new().hash_one(0);
        let number = pools.last.map_or_else(first, |last| last.wrapping_add(1));
        pools.last = Some(number);
        let pool = ConnectionPool(number);
        pools.open.insert(pool, settings);
        pool
    }

    /// How the connections of a pool are made; `None` for one that was closed, or a number that a
    /// reference from elsewhere has made up.
    pub(in crate::client) fn settings(&self, pool: ConnectionPool) -> Option<PoolSettings> {
        lock(&self.0).open.get(&pool).cloned()
    }
}

impl Orb {
    /// Opens a pool of connections, whose connections are made with the settings of the ORB as
    /// `change` changes them: queues, keep-alive, code point. With a greeting each connection
    /// begins with that request. Calls through a reference use the pool if the reference has it as
    /// a component.
    pub fn open_connection_pool(
        &self,
        greeting: Option<Greeting>,
        change: impl FnOnce(&mut Settings),
    ) -> ConnectionPool {
        let mut settings = self.settings().clone();
        change(&mut settings);
        let settings = Arc::new(settings);
        self.client().pools().add(PoolSettings { settings, greeting: greeting.map(Arc::new) })
    }

    /// Whether this is a pool that is open.
    pub fn has_connection_pool(&self, pool: ConnectionPool) -> bool {
        self.client().pools().settings(pool).is_some()
    }

    /// Closes a pool: forgets its settings, and closes its idle connections in order. The others
    /// end with their calls. References that name it use the connections of the ORB from then on.
    pub fn close_connection_pool(&self, pool: ConnectionPool) {
        let client = self.client();
        lock(&client.pools().0).open.remove(&pool);
        client.forget_endpoints_of(pool);
    }
}
