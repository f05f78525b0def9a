//! All interceptors of an ORB.

use super::current::{self, Slots};
use super::outcome::told;
use super::{ClientInterceptor, IorInterceptor, ProcessingMode, ServerInterceptor};
use crate::exception::{Minor, SystemException};
use crate::policies::{PolicyFactory, PolicyType};
use crate::runtime::{Orb, Part, PartSlot};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The interceptors of an ORB, in the order of their registration.
#[derive(Default)]
pub(crate) struct Interceptors {
    pub(super) client: Vec<Arc<dyn ClientInterceptor>>,
    pub(super) server: Vec<Arc<dyn ServerInterceptor>>,
    pub(super) ior: Vec<Arc<dyn IorInterceptor>>,
    /// How many slots were allocated.
    pub(super) slots: usize,
    next_id: AtomicU32,
}

impl Part for Interceptors {
    const SLOT: PartSlot = PartSlot::Interceptors;
}

impl Orb {
    /// The interceptors, if there are any.
    #[inline]
    pub(crate) fn interceptors(&self) -> Option<&Interceptors> {
        self.find_part()
    }
}

impl Interceptors {
    /// Whether any wants to see calls within the process.
    pub(crate) fn see_collocated(&self) -> bool {
        let client = self.client.iter().map(|interceptor| interceptor.processing_mode());
        let server = self.server.iter().map(|interceptor| interceptor.processing_mode());
        client.chain(server).any(ProcessingMode::wants_local)
    }

    /// Whether any client interceptor may ask for the values of calls.
    pub(crate) fn read_client_values(&self) -> bool {
        self.client.iter().any(|interceptor| interceptor.reads_values())
    }

    /// Whether any server interceptor may.
    pub(crate) fn read_server_values(&self) -> bool {
        self.server.iter().any(|interceptor| interceptor.reads_values())
    }

    /// The slots of the present thread.
    pub(crate) fn slots_of_thread(&self, orb: &Orb) -> Slots {
        if self.slots > 0 { current::copy(orb) } else { Slots::default() }
    }

    pub(super) fn next_id(&self) -> u32 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Tells all that the ORB is no more.
    pub(crate) fn destroy(&self) {
        self.client.iter().for_each(|each| told(each.name(), || each.destroy()));
        self.server.iter().for_each(|each| told(each.name(), || each.destroy()));
        self.ior.iter().for_each(|each| told(each.name(), || each.destroy()));
    }
}

/// The interceptors of an ORB that is being made.
#[derive(Default)]
pub(crate) struct Registration {
    pub(super) interceptors: Interceptors,
    pub(super) initializers: Vec<Box<dyn super::OrbInitializer>>,
    /// Why the ORB cannot be made.
    pub(super) refused: Option<SystemException>,
    pub(crate) policy_factories: Vec<(PolicyType, Arc<dyn PolicyFactory>)>,
    /// Those of the program.
    pub(crate) arguments: Vec<String>,
}

impl Registration {
    pub(super) fn client(
        &mut self,
        new: Arc<dyn ClientInterceptor>,
    ) -> Result<(), SystemException> {
        add(&mut self.interceptors.client, new, |interceptor| interceptor.name())
    }

    pub(super) fn server(
        &mut self,
        new: Arc<dyn ServerInterceptor>,
    ) -> Result<(), SystemException> {
        add(&mut self.interceptors.server, new, |interceptor| interceptor.name())
    }

    pub(super) fn ior(&mut self, new: Arc<dyn IorInterceptor>) -> Result<(), SystemException> {
        add(&mut self.interceptors.ior, new, |interceptor| interceptor.name())
    }

    /// Lets the ORB not be made if this failed.
    pub(super) fn note(&mut self, outcome: Result<(), SystemException>) {
        if let Err(exception) = outcome {
            self.refused.get_or_insert(exception);
        }
    }

    /// What was registered, if anything was.
    pub(super) fn finish(self) -> Option<Interceptors> {
        let Interceptors { client, server, ior, slots, .. } = &self.interceptors;
        let any = !(client.is_empty() && server.is_empty() && ior.is_empty()) || *slots > 0;
        any.then_some(self.interceptors)
    }
}

/// Puts an interceptor behind the others. A name may not stand twice, which is `DuplicateName` in the
/// specification; interceptors without one may be many.
fn add<I: ?Sized>(
    all: &mut Vec<Arc<I>>,
    new: Arc<I>,
    name: impl Fn(&I) -> &str,
) -> Result<(), SystemException> {
    let wanted = name(&new);
    if !wanted.is_empty() && all.iter().any(|known| name(known) == wanted) {
        let what = format!("an interceptor of this kind has the name {wanted:?} already");
        return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
    }
    all.push(new);
    Ok(())
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("client", &self.interceptors.client.len())
            .field("server", &self.interceptors.server.len())
            .field("ior", &self.interceptors.ior.len())
            .field("initializers", &self.initializers.len())
            .finish()
    }
}
