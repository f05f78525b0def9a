//! The policies of an ORB: the overrides of its `PolicyManager` (CORBA 3.4 Part 1, 8.9.2), and the
//! policies of types that the program defines.

use super::Orb;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::policies::{CustomPolicy, Policies, PolicyError, PolicyFactory, PolicyType, current};
use arc_swap::ArcSwapOption;
use armilla_cdr::Any as Value;
use std::sync::Arc;

/// The policies that override the settings of an ORB.
#[derive(Default)]
pub(crate) struct OrbPolicies(ArcSwapOption<Policies>);

impl OrbPolicies {
    /// The overrides; `None` if the program has set none.
    pub(crate) fn get(&self) -> Option<Arc<Policies>> {
        self.0.load_full()
    }

    fn set(&self, policies: Option<Policies>) {
        // Calls look for overrides only while the count is above zero.
        if policies.is_some() {
            current::add_override();
        }
        if self.0.swap(policies.map(Arc::new)).is_some() {
            current::remove_override();
        }
    }
}

impl Drop for OrbPolicies {
    fn drop(&mut self) {
        self.set(None);
    }
}

impl Orb {
    /// Sets the policies of the ORB: `set_policy_overrides` of the `ORBPolicyManager`. They replace
    /// the policies of the previous call and apply to calls that begin afterwards. They override
    /// the [`settings`](Self::settings); the policies of references and threads override them. A
    /// policy that is `None` leaves the setting in effect.
    ///
    /// ```
    /// # use armilla::{Orb, Policies};
    /// # use std::time::Duration;
    /// # let orb = Orb::new()?;
    /// let round_trip_timeout = Some(Duration::from_secs(2));
    /// orb.set_policies(Policies { round_trip_timeout, ..orb.policies() });
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    #[doc(alias = "PolicyManager")]
    #[doc(alias = "ORBPolicyManager")]
    #[doc(alias = "set_policy_overrides")]
    pub fn set_policies(&self, policies: Policies) {
        let is_none = policies == Policies::default();
        self.policy_overrides().set((!is_none).then_some(policies));
    }

    /// The policies of the last [`set_policies`](Self::set_policies): `get_policy_overrides` of the
    /// `ORBPolicyManager`.
    #[doc(alias = "get_policy_overrides")]
    pub fn policies(&self) -> Policies {
        self.policy_overrides().get().as_deref().cloned().unwrap_or_default()
    }
}

impl Orb {
    /// Creates a policy of a type that has a [factory](crate::OrbBuilder::policy_factory):
    /// `create_policy` (CORBA 3.4 Part 1, 8.9.2). The policies that the ORB itself defines are Rust
    /// types, such as [`Lifespan`](crate::Lifespan) and [`Policies`](crate::Policies).
    ///
    /// # Errors
    /// `BadPolicy` when the type has no factory, `UnsupportedPolicy` for a type of the ORB's own;
    /// those of the factory.
    pub fn create_policy(
        &self,
        policy_type: PolicyType,
        value: &Value,
    ) -> Result<CustomPolicy, PolicyError> {
        match self.policy_factories().get(policy_type) {
            Some(factory) => factory.create_policy(value),
            None if policy_type.is_of_the_orb() => Err(PolicyError::UnsupportedPolicy),
            None => Err(PolicyError::BadPolicy),
        }
    }

    /// Registers a factory.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (minor code 16) when the type has a factory already or is the ORB's own.
    pub(crate) fn register_policy_factory(
        &self,
        policy_type: PolicyType,
        factory: Arc<dyn PolicyFactory>,
    ) -> Result<(), SystemException> {
        self.policy_factories().register(policy_type, factory)
    }

    /// Whether the program has a factory for policies of this type.
    pub(crate) fn has_policy_factory(&self, policy_type: PolicyType) -> bool {
        self.policy_factories().get(policy_type).is_some()
    }

    /// Whether the ORB or a factory defines policies of this type.
    pub(crate) fn knows_policy(&self, policy_type: PolicyType) -> bool {
        policy_type.is_of_the_orb() || self.has_policy_factory(policy_type)
    }

    /// Checks the type of a policy that an interceptor asks for.
    ///
    /// # Errors
    /// `INV_POLICY` (minor code 3) when neither the ORB nor a factory defines the type.
    pub(crate) fn check_policy_type(&self, policy_type: PolicyType) -> Result<(), SystemException> {
        if self.knows_policy(policy_type) {
            return Ok(());
        }
        let what = format!("no policy factory was registered for the type {}", policy_type.0);
        let (kind, minor) = (ExceptionKind::InvPolicy, Minor::INV_POLICY_NO_FACTORY);
        Err(SystemException::new(kind, minor, Completion::No).with_reason(what))
    }
}
