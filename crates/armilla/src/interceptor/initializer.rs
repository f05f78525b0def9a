//! How interceptors come into an ORB that is being made (CORBA 3.4 Part 1, 16.7).

use super::Registration;
use crate::client::Object;
use crate::client::interception::ClientInterceptor;
use crate::exception::SystemException;
use crate::interception::{Codec, SlotId};
use crate::policies::{PolicyFactory, PolicyType};
use crate::runtime::Orb;
use crate::server::interception::{IorInterceptor, ServerInterceptor};
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

    /// The arguments that the program [gave](crate::OrbBuilder::arguments) the ORB, those among them that
    /// are not for it: a service may have some of its own.
    pub fn arguments(&self) -> &[String] {
        &self.registration.arguments
    }

    /// The name of the ORB, [`Settings::orb_id`](crate::Settings::orb_id).
    pub fn orb_id(&self) -> &str {
        &self.orb.settings().orb_id
    }

    /// A codec for the contents of service contexts and components.
    pub const fn codec(&self, version: Version) -> Codec {
        Codec::new(version)
    }

    /// Registers an interceptor of requests that leave.
    ///
    /// # Errors
    /// `BAD_PARAM` when another has its name: the specification's `DuplicateName`.
    pub fn add_client_interceptor(
        &mut self,
        interceptor: impl ClientInterceptor + 'static,
    ) -> Result<(), SystemException> {
        self.registration.client(Arc::new(interceptor))
    }

    /// Registers an interceptor of requests that arrive.
    ///
    /// # Errors
    /// `BAD_PARAM` when another has its name: the specification's `DuplicateName`.
    pub fn add_server_interceptor(
        &mut self,
        interceptor: impl ServerInterceptor + 'static,
    ) -> Result<(), SystemException> {
        self.registration.server(Arc::new(interceptor))
    }

    /// Registers an interceptor of POAs that are made.
    ///
    /// # Errors
    /// `BAD_PARAM` when another has its name: the specification's `DuplicateName`.
    pub fn add_ior_interceptor(
        &mut self,
        interceptor: impl IorInterceptor + 'static,
    ) -> Result<(), SystemException> {
        self.registration.ior(Arc::new(interceptor))
    }

    /// Allocates a slot of [`PiCurrent`](super::PiCurrent).
    pub const fn allocate_slot(&mut self) -> SlotId {
        let slots = &mut self.registration.slots;
        *slots += 1;
        SlotId(*slots - 1)
    }

    /// Lets [`Orb::create_policy`] make policies of this type.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (reason 16) when there is a factory for the type, or it is the ORB's own.
    pub fn register_policy_factory(
        &self,
        policy_type: PolicyType,
        factory: impl PolicyFactory,
    ) -> Result<(), SystemException> {
        self.orb.register_policy_factory(policy_type, Arc::new(factory))
    }

    /// Makes `resolve_initial_references(name)` give `object`.
    ///
    /// # Errors
    /// As [`Orb::register_initial_reference`].
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
    /// Runs the initializers for `orb`, which intercepts from then on, also where one of them failed.
    pub(crate) fn install(mut self, orb: &Orb) -> Result<(), SystemException> {
        let initialized = self.initialize(orb);
        self.finish(orb);
        initialized?;
        orb.root_poa().establish()
    }

    fn initialize(&mut self, orb: &Orb) -> Result<(), SystemException> {
        if let Some(exception) = self.refused.take() {
            return Err(exception);
        }
        for (policy_type, factory) in std::mem::take(&mut self.policy_factories) {
            orb.register_policy_factory(policy_type, factory)?;
        }
        let initializers = std::mem::take(&mut self.initializers);
        let mut info = OrbInitInfo { orb, registration: self };
        initializers.iter().try_for_each(|initializer| initializer.pre_init(&mut info))?;
        initializers.iter().try_for_each(|initializer| initializer.post_init(&mut info))
    }
}
