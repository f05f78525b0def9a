//! Connections that references share: those of calls within the same band or lane, with the same
//! settings. The ORB has connections for each address besides, so that servers share none.

use crate::priority::Priority;
use crate::protocol::{Protocol, of_iiop};
use armilla::{ConnectionPool, Orb, Settings};
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
    pub(crate) protocols: Vec<Protocol>,
    pub(crate) change: Option<Change>,
}

impl PoolKey {
    /// A new pool of such connections.
    pub(crate) fn open(&self, orb: &Orb) -> ConnectionPool {
        let properties = of_iiop(&self.protocols);
        orb.connection_pool(|settings| {
            properties.iter().for_each(|properties| properties.apply(self.urgency, settings));
            self.change.iter().for_each(|change| change(settings));
        })
    }
}

impl PartialEq for PoolKey {
    fn eq(&self, other: &Self) -> bool {
        let of = |key: &Self| (key.low, key.high, key.urgency);
        // A closure equals itself.
        let place = |key: &Self| key.change.as_ref().map(|change| Arc::as_ptr(change).cast::<()>());
        of(self) == of(other) && self.protocols == other.protocols && place(self) == place(other)
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
