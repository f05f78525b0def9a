//! Connections that references share: those of calls within the same band or lane, with the same
//! settings. The ORB has connections for each address besides, so that servers share none.

use crate::priority::Priority;
use crate::protocol::Protocol;
use crate::wire::{BIND_PRIORITY_BAND, RT_CORBA_PRIORITY_RANGE_CONTEXT, encode_priority_range};
use armilla::{ConnectionPool, Greeting, Orb, Settings};
use std::sync::{Arc, Mutex, PoisonError};

/// Changes the settings of connections.
pub(crate) type Change = Arc<dyn Fn(&mut Settings) + Send + Sync>;

/// What tells connections of one kind from those of another.
#[derive(Clone)]
pub(crate) struct PoolKey {
    /// The lowest and the highest priority of calls.
    pub(crate) low: Priority,
    pub(crate) high: Priority,
    /// The priority that the settings are for.
    pub(crate) urgency: Priority,
    /// The band of which the server is told; calls are in it.
    pub(crate) band: Option<(Priority, Priority)>,
    pub(crate) protocols: Vec<Protocol>,
    pub(crate) change: Option<Change>,
}

impl PoolKey {
    /// A new pool of such connections.
    pub(crate) fn open(&self, orb: &Orb) -> ConnectionPool {
        let greeting = self.band.map(|band| Greeting {
            operation: BIND_PRIORITY_BAND,
            context: RT_CORBA_PRIORITY_RANGE_CONTEXT,
            data: encode_priority_range(band).to_vec(),
        });
        orb.open_connection_pool(greeting, |settings| {
            self.protocols.iter().for_each(|protocol| protocol.apply(self.urgency, settings));
            self.change.iter().for_each(|change| change(settings));
        })
    }
}

impl PartialEq for PoolKey {
    fn eq(&self, other: &Self) -> bool {
        let of = |key: &Self| (key.low, key.high, key.urgency, key.band);
        // A closure equals itself.
        let place = |key: &Self| key.change.as_ref().map(|change| Arc::as_ptr(change).cast::<()>());
        of(self) == of(other) && self.protocols == other.protocols && place(self) == place(other)
    }
}

/// The pool of one reference. It is closed with the reference.
pub(crate) struct OwnPool {
    orb: Orb,
    pub(crate) pool: ConnectionPool,
}

impl OwnPool {
    pub(crate) fn open(orb: &Orb, key: &PoolKey) -> Self {
        Self { orb: orb.clone(), pool: key.open(orb) }
    }
}

impl Drop for OwnPool {
    fn drop(&mut self) {
        self.orb.close_connection_pool(self.pool);
    }
}

/// The pools of an ORB that references share. There are as many as combinations of policies.
#[derive(Default)]
pub(crate) struct SharedPools(Mutex<Vec<(PoolKey, ConnectionPool)>>);

impl SharedPools {
    /// The pool of this kind.
    pub(crate) fn get(&self, orb: &Orb, key: PoolKey) -> ConnectionPool {
        let mut pools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pool)) = pools.iter().find(|(known, _)| *known == key) {
            return *pool;
        }
        let pool = key.open(orb);
        pools.push((key, pool));
        pool
    }
}
