//! All interceptors of an ORB.

use super::current::{self, Slots};
use super::{ClientInterceptor, IorInterceptor, ServerInterceptor};
use crate::exception::{Minor, SystemException};
use crate::orb::Orb;
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

impl Interceptors {
    /// Whether any wants to see calls within the process.
    pub(crate) fn see_collocated(&self) -> bool {
        self.client.iter().any(|interceptor| interceptor.sees_collocated())
            || self.server.iter().any(|interceptor| interceptor.sees_collocated())
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
        self.client.iter().for_each(|interceptor| interceptor.destroy());
        self.server.iter().for_each(|interceptor| interceptor.destroy());
        self.ior.iter().for_each(|interceptor| interceptor.destroy());
    }
}

/// The interceptors of an ORB that is being made.
#[derive(Default)]
pub(crate) struct Registration {
    pub(super) interceptors: Interceptors,
    pub(super) initializers: Vec<Box<dyn super::OrbInitializer>>,
}

impl Registration {
    pub(crate) fn client(&mut self, interceptor: Arc<dyn ClientInterceptor>) {
        self.interceptors.client.push(interceptor);
    }

    pub(crate) fn server(&mut self, interceptor: Arc<dyn ServerInterceptor>) {
        self.interceptors.server.push(interceptor);
    }

    pub(crate) fn ior(&mut self, interceptor: Arc<dyn IorInterceptor>) {
        self.interceptors.ior.push(interceptor);
    }

    pub(crate) fn initializer(&mut self, initializer: Box<dyn super::OrbInitializer>) {
        self.initializers.push(initializer);
    }

    /// What was registered, if anything was; no name may stand twice.
    pub(super) fn finish(self) -> Result<Option<Interceptors>, SystemException> {
        let Interceptors { client, server, ior, slots, .. } = &self.interceptors;
        distinct("client", client.iter().map(|interceptor| interceptor.name()))?;
        distinct("server", server.iter().map(|interceptor| interceptor.name()))?;
        distinct("IOR", ior.iter().map(|interceptor| interceptor.name()))?;
        let any = !(client.is_empty() && server.is_empty() && ior.is_empty()) || *slots > 0;
        Ok(any.then_some(self.interceptors))
    }
}

/// `DuplicateName` in the specification. Interceptors without a name may be many.
fn distinct<'n>(kind: &str, names: impl Iterator<Item = &'n str>) -> Result<(), SystemException> {
    let mut seen = Vec::new();
    for name in names.filter(|name| !name.is_empty()) {
        if seen.contains(&name) {
            let what = format!("two {kind} interceptors have the name {name:?}");
            return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
        }
        seen.push(name);
    }
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
