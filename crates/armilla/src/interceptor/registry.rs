//! The registration of interceptors while an ORB is created. The installed interceptors are in the
//! registries of the client and the server side.

use super::{ClientInterceptor, IorInterceptor, ProcessingMode, ServerInterceptor};
use crate::client::interception::Interceptors;
use crate::exception::{Minor, SystemException};
use crate::interception::SlotCount;
use crate::policies::{PolicyFactory, PolicyType};
use crate::runtime::Orb;
use crate::server::interception::ServerInterceptors;
use crate::transport::Admission;
use std::fmt;
use std::sync::Arc;

/// The interceptors, slots and initializers of an ORB that is being created.
#[derive(Default)]
pub(crate) struct Registration {
    pub(super) client: Vec<Arc<dyn ClientInterceptor>>,
    pub(super) server: Vec<Arc<dyn ServerInterceptor>>,
    pub(super) ior: Vec<Arc<dyn IorInterceptor>>,
    pub(super) admissions: Vec<Arc<dyn Admission>>,
    /// The number of allocated slots.
    pub(super) slots: usize,
    pub(crate) initializers: Vec<Box<dyn super::OrbInitializer>>,
    /// The exception with which the creation of the ORB must fail.
    pub(super) refused: Option<SystemException>,
    pub(crate) policy_factories: Vec<(PolicyType, Arc<dyn PolicyFactory>)>,
    /// The program's arguments that are left for services.
    pub(crate) arguments: Vec<String>,
}

impl Registration {
    pub(crate) fn client(
        &mut self,
        new: Arc<dyn ClientInterceptor>,
    ) -> Result<(), SystemException> {
        add(&mut self.client, new, |interceptor| interceptor.name())
    }

    pub(crate) fn server(
        &mut self,
        new: Arc<dyn ServerInterceptor>,
    ) -> Result<(), SystemException> {
        add(&mut self.server, new, |interceptor| interceptor.name())
    }

    pub(crate) fn ior(&mut self, new: Arc<dyn IorInterceptor>) -> Result<(), SystemException> {
        add(&mut self.ior, new, |interceptor| interceptor.name())
    }

    /// Records a failed registration; the creation of the ORB then fails.
    pub(crate) fn note(&mut self, outcome: Result<(), SystemException>) {
        if let Err(exception) = outcome {
            self.refused.get_or_insert(exception);
        }
    }

    /// Activates the registered interceptors in `orb`, if there are any interceptors or slots.
    pub(super) fn finish(self, orb: &Orb) {
        let Self { client, server, ior, admissions, slots, .. } = self;
        let has_interceptors = !(client.is_empty() && server.is_empty() && ior.is_empty());
        if !has_interceptors && admissions.is_empty() && slots == 0 {
            return;
        }
        admissions.iter().for_each(|each| orb.transports().admit_by(each));
        let client_modes = client.iter().map(|interceptor| interceptor.processing_mode());
        let server_modes = server.iter().map(|interceptor| interceptor.processing_mode());
        let sees_collocated = client_modes.chain(server_modes).any(ProcessingMode::wants_local);
        orb.install(SlotCount(slots));
        orb.install(ServerInterceptors::new(server, ior, admissions, slots));
        orb.install(Interceptors::new(client, slots, sees_collocated));
    }
}

/// Appends an interceptor. The specification's `DuplicateName` is `BAD_PARAM` here. Any number of
/// interceptors may have an empty name.
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
            .field("client", &self.client.len())
            .field("server", &self.server.len())
            .field("ior", &self.ior.len())
            .field("initializers", &self.initializers.len())
            .finish()
    }
}
