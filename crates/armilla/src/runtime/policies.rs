//! The policies of an ORB: those that it was given since it was made (CORBA 3.4 Part 1, 8.9.2,
//! `PolicyManager`), and those of types that programs have defined.

use super::Orb;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::policies::{CustomPolicy, Policies, PolicyError, PolicyFactory, PolicyType, current};
use arc_swap::ArcSwapOption;
use armilla_cdr::Any as Value;
use std::sync::Arc;

/// What stands above the settings of an ORB.
#[derive(Default)]
pub(crate) struct OrbPolicies(ArcSwapOption<Policies>);

impl OrbPolicies {
    /// What was set, if anything was.
    pub(crate) fn get(&self) -> Option<Arc<Policies>> {
        self.0.load_full()
    }

    fn set(&self, policies: Option<Policies>) {
        // Calls look for them as long as there are any.
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
    /// Sets policies for the calls that begin from now on through references of this ORB, in place
    /// of those that were set so before: `set_policy_overrides` of the `ORBPolicyManager`. They
    /// count more than the [`settings`](Self::settings), and less than those of references and
    /// threads; what they leave open is as the settings have it.
    ///
    /// ```
    /// # use armilla::{Orb, Policies};
    /// # use std::time::Duration;
    /// # let orb = Orb::new()?;
    /// let round_trip_timeout = Some(Duration::from_secs(2));
    /// orb.set_policies(Policies { round_trip_timeout, ..orb.policies() });
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    pub fn set_policies(&self, policies: Policies) {
        let is_none = policies == Policies::default();
        self.policy_overrides().set((!is_none).then_some(policies));
    }

    /// The policies that were set for the whole ORB: `get_policy_overrides` of the
    /// `ORBPolicyManager`.
    pub fn policies(&self) -> Policies {
        self.policy_overrides().get().as_deref().cloned().unwrap_or_default()
    }
}

impl Orb {
    /// A policy of a type that a [factory](crate::OrbBuilder::policy_factory) was registered for:
    /// `create_policy` (CORBA 3.4 Part 1, 8.9.2). Of the policies that the ORB defines itself there
    /// are values of Rust, such as [`Lifespan`](crate::Lifespan) and [`Policies`].
    ///
    /// # Errors
    /// `BadPolicy` when there is no factory, `UnsupportedPolicy` for a type of the ORB's own; what
    /// the factory says of the value.
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
    /// `BAD_INV_ORDER` (reason 16) when there is one for the type, or the type is the ORB's own.
    pub(crate) fn register_policy_factory(
        &self,
        policy_type: PolicyType,
        factory: Arc<dyn PolicyFactory>,
    ) -> Result<(), SystemException> {
        self.policy_factories().register(policy_type, factory)
    }

    /// Whether a program makes policies of this type.
    pub(crate) fn has_policy_factory(&self, policy_type: PolicyType) -> bool {
        self.policy_factories().get(policy_type).is_some()
    }

    /// Whether the ORB, or a factory, knows policies of this type.
    pub(crate) fn knows_policy(&self, policy_type: PolicyType) -> bool {
        policy_type.is_of_the_orb() || self.has_policy_factory(policy_type)
    }

    /// Fails where an interceptor asks for a policy of a type that nobody knows (reason 3 of
    /// `INV_POLICY`).
    pub(crate) fn check_policy_type(&self, policy_type: PolicyType) -> Result<(), SystemException> {
        if self.knows_policy(policy_type) {
            return Ok(());
        }
        let what = format!("no policy factory was registered for the type {}", policy_type.0);
        let (kind, minor) = (ExceptionKind::InvPolicy, Minor::INV_POLICY_NO_FACTORY);
        Err(SystemException::new(kind, minor, Completion::No).with_reason(what))
    }
}
