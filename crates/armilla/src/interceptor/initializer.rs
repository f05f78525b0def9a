//! How interceptors come into an ORB that is being made (CORBA 3.4 Part 1, 16.7).

use super::{ClientInterceptor, Codec, IorInterceptor, Registration, ServerInterceptor, SlotId};
use crate::exception::SystemException;
use crate::object::Object;
use crate::orb::{Orb, OrbBuilder};
use armilla_giop::Version;
use std::fmt;
use std::sync::Arc;

/// A service that comes into an ORB with all that it needs: interceptors, slots, initial references.
pub trait OrbInitializer: Send + Sync {
    /// Before initial references are there.
    ///
    /// # Errors
    /// With those the ORB is not made.
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// When initial references are there, among them those of other services.
    ///
    /// # Errors
    /// With those the ORB is not made.
    fn post_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }
}

/// The ORB that is being made, as an initializer sees it.
pub struct OrbInitInfo<'i> {
    orb: &'i Orb,
    registration: &'i mut Registration,
}

impl OrbInitInfo<'_> {
    /// The ORB. It intercepts nothing yet.
    pub const fn orb(&self) -> &Orb {
        self.orb
    }

    /// A codec for the contents of service contexts and components.
    pub const fn codec(&self, version: Version) -> Codec {
        Codec::new(version)
    }

    /// Registers an interceptor of requests that leave.
    pub fn add_client_interceptor(&mut self, interceptor: impl ClientInterceptor + 'static) {
        self.registration.client(Arc::new(interceptor));
    }

    /// Registers an interceptor of requests that arrive.
    pub fn add_server_interceptor(&mut self, interceptor: impl ServerInterceptor + 'static) {
        self.registration.server(Arc::new(interceptor));
    }

    /// Registers an interceptor of references that are made.
    pub fn add_ior_interceptor(&mut self, interceptor: impl IorInterceptor + 'static) {
        self.registration.ior(Arc::new(interceptor));
    }

    /// Allocates a slot of [`PiCurrent`](super::PiCurrent).
    pub const fn allocate_slot(&mut self) -> SlotId {
        let slots = &mut self.registration.interceptors.slots;
        *slots += 1;
        SlotId(*slots - 1)
    }

    /// Makes `resolve_initial_references(name)` give `object`.
    ///
    /// # Errors
    /// `INV_OBJREF` when it is nil.
    pub fn register_initial_reference(
        &self,
        name: &str,
        object: &Object,
    ) -> Result<(), SystemException> {
        self.orb.register_initial_reference(name, object)
    }

    /// An initial reference; while [`pre_init`](OrbInitializer::pre_init) runs, not all are known.
    ///
    /// # Errors
    /// As [`Orb::resolve_initial_references`].
    pub fn resolve_initial_reference(&self, name: &str) -> Result<Object, SystemException> {
        self.orb.resolve_initial_references(name)
    }
}

impl fmt::Debug for OrbInitInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrbInitInfo").field("registration", &self.registration).finish()
    }
}

impl Registration {
    /// Runs the initializers for `orb`, which intercepts from then on.
    pub(crate) fn install(mut self, orb: &Orb) -> Result<(), SystemException> {
        let initializers = std::mem::take(&mut self.initializers);
        let mut info = OrbInitInfo { orb, registration: &mut self };
        initializers.iter().try_for_each(|initializer| initializer.pre_init(&mut info))?;
        initializers.iter().try_for_each(|initializer| initializer.post_init(&mut info))?;
        if let Some(interceptors) = self.finish()? {
            orb.intercept(interceptors);
        }
        Ok(())
    }
}

impl OrbBuilder {
    /// Registers an interceptor of requests that leave.
    pub fn client_interceptor(mut self, interceptor: impl ClientInterceptor + 'static) -> Self {
        self.registration.client(Arc::new(interceptor));
        self
    }

    /// Registers an interceptor of requests that arrive.
    pub fn server_interceptor(mut self, interceptor: impl ServerInterceptor + 'static) -> Self {
        self.registration.server(Arc::new(interceptor));
        self
    }

    /// Registers an interceptor of references that are made.
    pub fn ior_interceptor(mut self, interceptor: impl IorInterceptor + 'static) -> Self {
        self.registration.ior(Arc::new(interceptor));
        self
    }

    /// Brings a service into the ORB.
    pub fn initializer(mut self, initializer: impl OrbInitializer + 'static) -> Self {
        self.registration.initializer(Box::new(initializer));
        self
    }
}
