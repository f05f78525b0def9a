//! Objects that send events (MS-OAUT 3.11.4, 3.12.4; `IConnectionPointContainer`).

use crate::automation::dispatch::{
    Advise, AdviseIn, AdviseOut, CONNECTION_POINT, CONNECTION_POINT_CONTAINER, FindConnectionPoint,
    FindIn, GetConnectionInterface, InterfaceOut, PointerOut, Unadvise, UnadviseIn,
};
use crate::client::{Client, Error, Proxy, each};
use crate::server::{Object, ObjectCall};
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Operation, Unique};
use armilla_dcerpc::{Status, Uuid};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many sinks one interface of events has.
const MOST_SINKS: usize = 64;

/// The sinks of an interface of events. An object that sends events hands the calls of
/// `IConnectionPointContainer` to [`call`](Self::call), and is told nothing of them.
#[derive(Debug)]
pub struct ConnectionPoint {
    iid: Uuid,
    clients: Vec<Client>,
    sinks: Mutex<Sinks>,
}

#[derive(Debug, Default)]
struct Sinks {
    last: u32,
    all: BTreeMap<u32, Proxy>,
}

impl ConnectionPoint {
    /// The connection point of an interface of events. `client` calls the sinks: at which address a
    /// client of ours listens, and with whose credentials it is called, is a matter of its options.
    pub fn new(iid: Uuid, client: Client) -> Arc<Self> {
        Self::with_clients(iid, vec![client])
    }

    /// The same with several clients, the first of which calls a sink that it can call: for example one
    /// with security, and behind it one without.
    pub fn with_clients(iid: Uuid, clients: Vec<Client>) -> Arc<Self> {
        Arc::new(Self { iid, clients, sinks: Mutex::default() })
    }

    fn sinks(&self) -> MutexGuard<'_, Sinks> {
        self.sinks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many sinks there are.
    pub fn len(&self) -> usize {
        self.sinks().all.len()
    }

    /// Whether nobody receives events.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many sinks there have been so far; after 2³² it begins anew. Whoever has to tell a new one
    /// where things stand sees so that there is one.
    pub fn connected(&self) -> u32 {
        self.sinks().last
    }

    /// Sends an event to each sink, to eight at once, and waits for them. A sink that fails receives no
    /// more. A silent one takes the timeout of its client, once: let that be short. Returns how many
    /// received it.
    pub fn send(&self, send: impl Fn(&Proxy) -> Result<(), Error> + Sync) -> usize {
        let sinks: Vec<_> =
            self.sinks().all.iter().map(|(cookie, sink)| (*cookie, sink.clone())).collect();
        let received = AtomicUsize::new(0);
        each(sinks, |(cookie, sink)| match send(&sink) {
            Ok(()) => {
                received.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => drop(self.remove(cookie)),
        });
        received.into_inner()
    }

    fn remove(&self, cookie: u32) -> Option<Proxy> {
        self.sinks().all.remove(&cookie)
    }

    /// Executes a call of `IConnectionPointContainer`, whose only connection point this is.
    ///
    /// # Errors
    ///
    /// What the client is told.
    pub fn call(self: &Arc<Self>, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        if call.iid != CONNECTION_POINT_CONTAINER.uuid || call.opnum != FindConnectionPoint::OPNUM {
            return Err(Status::NOT_IMPLEMENTED);
        }
        let FindIn { iid } = call.arguments()?;
        if iid != self.iid {
            return Err(Status::NO_CONNECTION);
        }
        let point = Arc::new(Point(self.clone()));
        let pointer = Unique::new(call.exports.pointer(point, CONNECTION_POINT.uuid)?);
        call.answer(&PointerOut { pointer })
    }

    /// The sink, once it has answered this client.
    fn reach(&self, client: &Client, given: &AdviseIn) -> Result<Proxy, Status> {
        let sink = client.pointer(&given.sink).map_err(|_| Status::CANNOT_CONNECT)?;
        let sink = sink.ok_or(Status::INVALID_POINTER)?;
        sink.query_interface(self.iid).map_err(|_| Status::CANNOT_CONNECT)
    }

    fn advise(&self, given: &AdviseIn) -> Result<u32, Status> {
        if given.sink.get().is_none() {
            return Err(Status::INVALID_POINTER);
        }
        if self.len() >= MOST_SINKS {
            return Err(Status::ADVISE_LIMIT);
        }
        let reached = self.clients.iter().find_map(|client| self.reach(client, given).ok());
        let sink = reached.ok_or(Status::CANNOT_CONNECT)?;
        let mut sinks = self.sinks();
        // Others may have come while this one was asked.
        if sinks.all.len() >= MOST_SINKS {
            return Err(Status::ADVISE_LIMIT);
        }
        loop {
            sinks.last = sinks.last.wrapping_add(1).max(1);
            let cookie = sinks.last;
            if let Entry::Vacant(place) = sinks.all.entry(cookie) {
                place.insert(sink);
                return Ok(cookie);
            }
        }
    }
}

/// The object that a client connects to.
struct Point(Arc<ConnectionPoint>);

impl Object for Point {
    fn supports(&self, iid: Uuid) -> bool {
        iid == CONNECTION_POINT.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.opnum {
            GetConnectionInterface::OPNUM => call.answer(&InterfaceOut { iid: self.0.iid }),
            Advise::OPNUM => {
                let cookie = self.0.advise(&call.arguments()?)?;
                call.answer(&AdviseOut { cookie })
            }
            Unadvise::OPNUM => {
                let UnadviseIn { cookie } = call.arguments()?;
                let gone = self.0.remove(cookie).ok_or(Status::NO_CONNECTION)?;
                drop(gone);
                call.answer(&())
            }
            _ => Err(Status::NOT_IMPLEMENTED),
        }
    }
}
