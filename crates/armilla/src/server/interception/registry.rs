//! The registered server interceptors and IOR interceptors of an ORB.

use super::{IorInterceptor, ServerInterceptor};
use crate::callbacks::guarded;
use crate::exception::Completion;
use crate::interception::outcome::notify;
use crate::runtime::{Orb, Part, PartSlot};
use crate::transport::Admission;
use armilla_ipc::Address;
use std::sync::Arc;

/// The server interceptors and the IOR interceptors of an ORB, in the order of their registration.
pub(crate) struct ServerInterceptors {
    pub(super) server: Vec<Arc<dyn ServerInterceptor>>,
    pub(super) ior: Vec<Arc<dyn IorInterceptor>>,
    admissions: Vec<Arc<dyn Admission>>,
    /// The number of slots that were allocated.
    pub(super) slots: usize,
}

impl ServerInterceptors {
    /// These interceptors, for an ORB with this number of slots.
    pub(crate) const fn new(
        server: Vec<Arc<dyn ServerInterceptor>>,
        ior: Vec<Arc<dyn IorInterceptor>>,
        admissions: Vec<Arc<dyn Admission>>,
        slots: usize,
    ) -> Self {
        Self { server, ior, admissions, slots }
    }

    /// Whether a connection of this peer is served. One that panics lets nobody in.
    pub(crate) fn admit(&self, peer: &Address) -> bool {
        let admits = |each: &Arc<dyn Admission>| {
            guarded("an admission", Completion::No, || each.admit(peer)).unwrap_or(false)
        };
        self.admissions.iter().all(admits)
    }

    /// Reports that a client has broken the protocol.
    #[cold]
    pub(crate) fn broke_protocol(&self, peer: &Address) {
        for each in &self.admissions {
            // A panic is reported.
            guarded("an admission", Completion::No, || each.broke_protocol(peer)).ok();
        }
    }

    /// Whether any server interceptor may ask for the values of requests.
    pub(crate) fn read_server_values(&self) -> bool {
        self.server.iter().any(|interceptor| {
            // A panic is reported.
            let reads = || interceptor.reads_values();
            guarded("an interceptor", Completion::No, reads).unwrap_or(false)
        })
    }

    /// Reports to all interceptors that the ORB is destroyed.
    pub(crate) fn destroy(&self, orb: &Orb) {
        self.server.iter().for_each(|each| notify(orb, || each.name(), || each.destroy()));
        self.ior.iter().for_each(|each| notify(orb, || each.name(), || each.destroy()));
    }
}

impl Part for ServerInterceptors {
    const SLOT: PartSlot = PartSlot::ServerInterceptors;
}

impl Orb {
    /// The server-side interceptors, if any were registered.
    #[inline]
    pub(crate) fn server_interceptors(&self) -> Option<&ServerInterceptors> {
        self.find_part()
    }
}
