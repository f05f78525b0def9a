//! The installed client interceptors of an ORB. Their registration is in [`crate::interceptor`].

use super::client::ClientInterceptor;
use crate::callbacks::guarded;
use crate::client::reference::Object;
use crate::exception::Completion;
use crate::interception::Slots;
use crate::interception::current;
use crate::interception::outcome::notify;
use crate::runtime::{Orb, Part, PartSlot};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The client interceptors of an ORB, in the order of their registration.
pub(crate) struct Interceptors {
    pub(super) client: Vec<Arc<dyn ClientInterceptor>>,
    /// The number of allocated slots.
    pub(super) slots: usize,
    sees_collocated: bool,
    next_id: AtomicU32,
}

impl Interceptors {
    /// The interceptors of an ORB with this number of slots. `sees_collocated` tells whether any
    /// interceptor of the client or the server sees calls within the process.
    pub(crate) fn new(
        client: Vec<Arc<dyn ClientInterceptor>>,
        slots: usize,
        sees_collocated: bool,
    ) -> Self {
        Self { client, slots, sees_collocated, next_id: AtomicU32::default() }
    }

    /// Whether any interceptor, of the client or the server, sees calls within the process.
    pub(super) const fn see_collocated(&self) -> bool {
        self.sees_collocated
    }

    /// Whether any client interceptor may ask for the values of calls.
    pub(super) fn read_client_values(&self) -> bool {
        self.client.iter().any(|interceptor| {
            // A panic is reported.
            let reads = || interceptor.reads_values();
            guarded("an interceptor", Completion::No, reads).unwrap_or(false)
        })
    }

    /// A copy of the current thread's slots.
    pub(crate) fn slots_of_thread(&self, orb: &Orb) -> Slots {
        if self.slots > 0 { current::copy(orb) } else { Slots::default() }
    }

    pub(super) fn next_id(&self) -> u32 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Tells all interceptors that the ORB is destroyed.
    pub(crate) fn destroy(&self, orb: &Orb) {
        self.client.iter().for_each(|each| notify(orb, || each.name(), || each.destroy()));
    }
}

impl Part for Interceptors {
    const SLOT: PartSlot = PartSlot::ClientInterceptors;
}

impl Orb {
    /// The client interceptors. `None` if the ORB has neither interceptors nor slots.
    pub(crate) fn interceptors(&self) -> Option<&Interceptors> {
        self.find_part()
    }
}

impl Object {
    /// Whether interceptors see calls of the object from this process.
    pub(crate) fn is_intercepted_here(&self) -> bool {
        let interceptors = self.reference().ok().and_then(|r| r.orb.interceptors());
        interceptors.is_some_and(Interceptors::see_collocated)
    }
}
