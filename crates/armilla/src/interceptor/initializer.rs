//! ORB initializers, and the information that they get (CORBA 3.4 Part 1, 16.7).

use super::Registration;
use crate::client::Object;
use crate::client::interception::ClientInterceptor;
use crate::exception::SystemException;
use crate::interception::{Codec, SlotId};
use crate::policies::{PolicyFactory, PolicyType};
use crate::runtime::Orb;
use crate::server::interception::{IorInterceptor, ServerInterceptor};
use crate::transport::Admission;
use armilla_giop::Version;
use std::fmt;
use std::sync::Arc;

/// A service that installs itself in an ORB: its interceptors, slots and initial references.
///
/// ```
/// use armilla::interceptor::{
///     ClientInterceptor, ClientRequestInfo, Interruption, OrbInitInfo, OrbInitializer, SlotId,
/// };
/// use armilla::{Any, Orb, SystemException};
/// use std::sync::{Arc, OnceLock};
///
/// /// Sends the user of the calling thread with every request.
/// #[derive(Clone, Default)]
/// struct Identity(Arc<OnceLock<SlotId>>);
///
/// const USER: u32 = 0x5553_4500;
///
/// impl OrbInitializer for Identity {
///     fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
///         let _ = self.0.set(info.allocate_slot());
///         info.add_client_interceptor(self.clone())
///     }
/// }
///
/// impl ClientInterceptor for Identity {
///     fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
///         let Some(slot) = self.0.get() else { return Ok(()) };
///         if let Ok(Some(user)) = request.slot(*slot)?.get::<String>() {
///             request.add_request_service_context(USER, user.as_bytes(), false)?;
///         }
///         Ok(())
///     }
/// }
///
/// let identity = Identity::default();
/// let orb = Orb::builder().initializer(identity.clone()).build()?;
/// let slot = *identity.0.get().expect("the initializer has run");
/// orb.pi_current().set_slot(slot, Any::new("ann")?)?;
/// # Ok::<(), SystemException>(())
/// ```
#[doc(alias = "ORBInitializer")]
pub trait OrbInitializer: Send + Sync {
    /// Runs before initial references are available.
    ///
    /// # Errors
    /// The creation of the ORB fails with the exception.
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// Runs when initial references are available, including those of other services.
    ///
    /// # Errors
    /// The creation of the ORB fails with the exception.
    fn post_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }
}

/// The ORB that is being created, as an initializer sees it.
#[doc(alias = "ORBInitInfo")]
pub struct OrbInitInfo<'i> {
    orb: &'i Orb,
    registration: &'i mut Registration,
}

impl OrbInitInfo<'_> {
    /// The ORB. Its interceptors are not active yet.
    pub const fn orb(&self) -> &Orb {
        self.orb
    }

    /// The arguments of the program that the ORB has not consumed; see
    /// [`OrbBuilder::arguments`](crate::OrbBuilder::arguments). A service may have arguments of its
    /// own.
    pub fn arguments(&self) -> &[String] {
        &self.registration.arguments
    }

    /// The id of the ORB, [`Settings::orb_id`](crate::Settings::orb_id).
    pub fn orb_id(&self) -> &str {
        &self.orb.settings().orb_id
    }

    /// A codec for the data of service contexts and components.
    #[doc(alias = "codec_factory")]
    pub const fn codec(&self, version: Version) -> Codec {
        Codec::new(version)
    }

    /// Registers an interceptor of the requests that the ORB sends.
    ///
    /// # Errors
    /// `BAD_PARAM` when another interceptor has its name: the specification's `DuplicateName`.
    #[doc(alias = "add_client_request_interceptor")]
    pub fn add_client_interceptor(
        &mut self,
        interceptor: impl ClientInterceptor + 'static,
    ) -> Result<(), SystemException> {
        self.registration.client(Arc::new(interceptor))
    }

    /// Registers an interceptor of the requests that the ORB receives.
    ///
    /// # Errors
    /// `BAD_PARAM` when another interceptor has its name: the specification's `DuplicateName`.
    #[doc(alias = "add_server_request_interceptor")]
    pub fn add_server_interceptor(
        &mut self,
        interceptor: impl ServerInterceptor + 'static,
    ) -> Result<(), SystemException> {
        self.registration.server(Arc::new(interceptor))
    }

    /// Registers an interceptor of the POAs and references that the ORB creates.
    ///
    /// # Errors
    /// `BAD_PARAM` when another interceptor has its name: the specification's `DuplicateName`.
    pub fn add_ior_interceptor(
        &mut self,
        interceptor: impl IorInterceptor + 'static,
    ) -> Result<(), SystemException> {
        self.registration.ior(Arc::new(interceptor))
    }

    /// Lets `admission` decide whose connections the ORB takes, beside those that were added before.
    pub fn add_admission(&mut self, admission: impl Admission + 'static) {
        self.registration.admissions.push(Arc::new(admission));
    }

    /// Allocates a slot of [`PiCurrent`](super::PiCurrent).
    #[doc(alias = "allocate_slot_id")]
    pub const fn allocate_slot(&mut self) -> SlotId {
        let slots = &mut self.registration.slots;
        *slots += 1;
        SlotId(*slots - 1)
    }

    /// Registers a factory, so that [`Orb::create_policy`] can create policies of this type.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (reason 16) when the type has a factory already or is the ORB's own.
    pub fn register_policy_factory(
        &self,
        policy_type: PolicyType,
        factory: impl PolicyFactory,
    ) -> Result<(), SystemException> {
        self.orb.register_policy_factory(policy_type, Arc::new(factory))
    }

    /// Registers `object` as the initial reference `name`.
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

    /// An initial reference. While [`pre_init`](OrbInitializer::pre_init) runs, some may be
    /// missing.
    ///
    /// # Errors
    /// As [`Orb::resolve_initial_references`].
    #[doc(alias = "resolve_initial_references")]
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
    /// Runs the initializers for `orb` and activates its interceptors, even if an initializer
    /// fails: the interceptors must see the destruction of the ORB.
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
