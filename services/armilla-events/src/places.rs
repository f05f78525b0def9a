//! The places of suppliers and of plain proxies in a channel. A place ends with its client, also
//! with one that is gone without a word: `sweep` gets such clients as candidates.

use crate::corba::comm::PushSupplierRef;
use crate::error::EventError;
use crate::farewell::Ending;
use crate::presence::Presence;
use crate::sweep::{Candidate, Role};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The connected suppliers, by numbers that are not used again.
#[derive(Default)]
pub(crate) struct Suppliers {
    next: u64,
    all: BTreeMap<u64, Supplier>,
}

/// A connected supplier.
struct Supplier {
    /// Set if it wants to be told of the end.
    reference: Option<PushSupplierRef>,
    presence: Arc<Presence>,
    /// Ends its proxy, if it is gone without a word.
    forget: Arc<dyn Fn() + Send + Sync>,
}

impl Suppliers {
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Adds a supplier, whose proxy `forget` ends, unless there are as many as there may be. Returns
    /// its number.
    pub(crate) fn add(
        &mut self,
        reference: Option<PushSupplierRef>,
        presence: &Arc<Presence>,
        forget: Ending,
        most: usize,
    ) -> Result<u64, EventError> {
        if self.all.len() >= most {
            return Err(EventError::Limit(format!("{most} suppliers (ChannelLimits)")));
        }
        self.next += 1;
        let (presence, forget) = (presence.clone(), forget.into());
        self.all.insert(self.next, Supplier { reference, presence, forget });
        Ok(self.next)
    }

    /// Removes a supplier. Returns its reference, if it has given one.
    pub(crate) fn remove(&mut self, number: u64) -> Option<PushSupplierRef> {
        self.all.remove(&number)?.reference
    }

    /// Removes all. Returns the references of those that have given one.
    pub(crate) fn take(&mut self) -> Vec<PushSupplierRef> {
        let all = std::mem::take(&mut self.all);
        all.into_values().filter_map(|supplier| supplier.reference).collect()
    }

    /// All as candidates; `remove` takes the place of one away, by its number.
    pub(crate) fn candidates(
        &self,
        remove: &(impl Fn(u64) + Clone + Send + Sync + 'static),
    ) -> Vec<Candidate> {
        let candidate = |(number, supplier): (&u64, &Supplier)| {
            let (number, remove, end) = (*number, remove.clone(), supplier.forget.clone());
            let forget: Ending = Box::new(move || {
                remove(number);
                end();
            });
            Candidate { role: Role::Supplier, presence: supplier.presence.clone(), forget }
        };
        self.all.iter().map(candidate).collect()
    }
}

/// Plain proxies, whether their clients have connected or not. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Proxies(Arc<Mutex<Numbered>>);

#[derive(Default)]
struct Numbered {
    next: u64,
    all: BTreeMap<u64, Proxy>,
}

/// A plain proxy.
struct Proxy {
    presence: Arc<Presence>,
    /// Whether its client has connected: then the proxy ends with the connection.
    is_connected: Arc<AtomicBool>,
    end: Arc<dyn Fn() + Send + Sync>,
}

impl Proxies {
    pub(crate) fn count(&self) -> usize {
        self.lock().all.len()
    }

    /// The right to make one more proxy, which `end` ends, unless there are as many as there may be.
    pub(crate) fn permit(&self, end: Ending, most: usize) -> Result<ProxyPermit, EventError> {
        let mut proxies = self.lock();
        if proxies.all.len() >= most {
            return Err(EventError::Limit(format!("{most} proxies (ChannelLimits)")));
        }
        proxies.next += 1;
        let (number, presence, is_connected) =
            (proxies.next, Arc::new(Presence::new()), Arc::<AtomicBool>::default());
        let proxy = Proxy {
            presence: presence.clone(),
            is_connected: is_connected.clone(),
            end: end.into(),
        };
        proxies.all.insert(number, proxy);
        drop(proxies);
        Ok(ProxyPermit { proxies: self.clone(), number, presence, is_connected })
    }

    /// Those whose clients have not connected, as candidates.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let proxies = self.lock();
        let unconnected =
            proxies.all.values().filter(|proxy| !proxy.is_connected.load(Ordering::Relaxed));
        let candidate = |Proxy { presence, end, .. }: &Proxy| {
            let end = end.clone();
            let forget: Ending = Box::new(move || end());
            Candidate { role: Role::Unconnected, presence: presence.clone(), forget }
        };
        unconnected.map(candidate).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Numbered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right of a plain proxy to be, which ends with it.
pub(crate) struct ProxyPermit {
    proxies: Proxies,
    number: u64,
    pub(crate) presence: Arc<Presence>,
    is_connected: Arc<AtomicBool>,
}

impl ProxyPermit {
    /// The client has connected.
    pub(crate) fn connect(&self) {
        self.is_connected.store(true, Ordering::Relaxed);
    }
}

impl Drop for ProxyPermit {
    fn drop(&mut self) {
        let mut proxies = self.proxies.lock();
        let ended = proxies.all.remove(&self.number);
        // What ends a proxy may be its last owner.
        drop(proxies);
        drop(ended);
    }
}
