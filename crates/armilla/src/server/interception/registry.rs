//! The registered server interceptors and IOR interceptors of an ORB.

use super::{IorInterceptor, ServerInterceptor};
use crate::callbacks::guarded;
use crate::exception::Completion;
use crate::interception::outcome::notify;
use crate::runtime::{Orb, Part, PartSlot};
use std::sync::Arc;

/// The server interceptors and the IOR interceptors of an ORB, in the order of their registration.
pub(crate) struct ServerInterceptors {
    pub(super) server: Vec<Arc<dyn ServerInterceptor>>,
    pub(super) ior: Vec<Arc<dyn IorInterceptor>>,
    /// The number of slots that were allocated.
    pub(super) slots: usize,
}

impl ServerInterceptors {
    /// These interceptors, for an ORB with this number of slots.
    pub(crate) const fn new(
        server: Vec<Arc<dyn ServerInterceptor>>,
        ior: Vec<Arc<dyn IorInterceptor>>,
        slots: usize,
    ) -> Self {
        Self { server, ior, slots }
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
