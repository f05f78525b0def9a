//! Custom policies: policies of types that the program, or a service in it, defines (CORBA 3.4 Part
//! 1, 8.9 and 16.7.2, `PolicyFactory`).

use crate::exception::{Completion, Error, ExceptionKind, Minor, SystemException};
use armilla_cdr::Any as Value;
use std::any::Any;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

/// The number of a type of policies: `PolicyType`. The numbers of a vendor have its vendor id in
/// the upper 20 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PolicyType(pub u32);

impl PolicyType {
    /// That of `Threading`.
    pub const THREADING: Self = Self(16);
    /// That of `Lifespan`.
    pub const LIFESPAN: Self = Self(17);
    /// That of `IdUniqueness`.
    pub const ID_UNIQUENESS: Self = Self(18);
    /// That of `IdAssignment`.
    pub const ID_ASSIGNMENT: Self = Self(19);
    /// That of `ImplicitActivation`.
    pub const IMPLICIT_ACTIVATION: Self = Self(20);
    /// That of `ServantRetention`.
    pub const SERVANT_RETENTION: Self = Self(21);
    /// That of `RequestProcessing`.
    pub const REQUEST_PROCESSING: Self = Self(22);
    /// That of `Bidirectional`.
    pub const BIDIRECTIONAL: Self = Self(37);

    /// Whether the ORB itself defines this type: the policies of POAs, and the policies of CORBA
    /// Messaging in [`Policies`](super::Policies).
    #[doc(hidden)]
    pub const fn is_of_the_orb(self) -> bool {
        matches!(self.0, 16..=24 | 28 | 30..=32 | 37 | 47..=49)
    }
}

/// A policy of a type that the program defines. The ORB only stores it: for a POA
/// (`PoaBuilder::policy`), a reference or a thread
/// ([`Policies::custom`](super::Policies::custom)), or the ORB
/// ([`Settings::custom_policies`](crate::settings::Settings::custom_policies)).
/// Interceptors read and implement it. Clones denote the same policy.
///
/// ```
/// use armilla::{Any, CustomPolicy, Orb, PolicyError, PolicyType};
///
/// const COMPRESSION: PolicyType = PolicyType(0x4558_0001);
///
/// let orb = Orb::builder()
///     .policy_factory(COMPRESSION, |level: &Any| match level.get::<u16>() {
///         Ok(Some(level @ 0..=9)) => Ok(CustomPolicy::new(COMPRESSION, level)),
///         Ok(Some(_)) => Err(PolicyError::BadPolicyValue),
///         _ => Err(PolicyError::BadPolicyType),
///     })
///     .build()?;
/// let fast = orb.create_policy(COMPRESSION, &Any::new(&1u16)?)?;
/// let files = orb.root_poa().create_poa("files").policy(fast).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CustomPolicy {
    policy_type: PolicyType,
    value: Arc<dyn Any + Send + Sync>,
}

impl CustomPolicy {
    /// Creates a policy of this type with the value `value`.
    pub fn new<T: Any + Send + Sync>(policy_type: PolicyType, value: T) -> Self {
        Self { policy_type, value: Arc::new(value) }
    }

    /// The type of the policy: `policy_type`.
    pub const fn policy_type(&self) -> PolicyType {
        self.policy_type
    }

    /// The value of the policy, if it is a `T`.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.value.downcast_ref()
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.value).cast::<()>().addr()
    }
}

impl PartialEq for CustomPolicy {
    /// Whether both are clones of the same policy. Values are not compared.
    fn eq(&self, other: &Self) -> bool {
        self.policy_type == other.policy_type && self.address() == other.address()
    }
}

impl Eq for CustomPolicy {}

impl Hash for CustomPolicy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.policy_type, self.address()).hash(state);
    }
}

impl fmt::Debug for CustomPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CustomPolicy({:#x})", self.policy_type.0)
    }
}

/// Creates the policies of one type for `Orb::create_policy`:
/// `PolicyFactory`. Closures that take the value and return the policy are factories.
pub trait PolicyFactory: Send + Sync + 'static {
    /// Creates a policy with the value `value`: `create_policy`. Several threads may call it at the
    /// same time.
    ///
    /// # Errors
    /// `BadPolicyType` or `BadPolicyValue` when the value is wrong.
    fn create_policy(&self, value: &Value) -> Result<CustomPolicy, PolicyError>;
}

impl<F> PolicyFactory for F
where
    F: Fn(&Value) -> Result<CustomPolicy, PolicyError> + Send + Sync + 'static,
{
    fn create_policy(&self, value: &Value) -> Result<CustomPolicy, PolicyError> {
        self(value)
    }
}

/// Why a policy cannot be created: the reasons of `CORBA::PolicyError` (CORBA 3.4 Part 1, 8.9.2).
///
/// `?` converts it into the [`SystemException`] `INV_POLICY`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[doc(alias = "InvalidPolicies")]
pub enum PolicyError {
    /// No factory creates policies of this type: `BAD_POLICY`.
    #[doc(alias = "BAD_POLICY")]
    BadPolicy,
    /// The ORB defines the type as a Rust type and does not create its policies:
    /// `UNSUPPORTED_POLICY`.
    #[doc(alias = "UNSUPPORTED_POLICY")]
    UnsupportedPolicy,
    /// The value has the wrong type: `BAD_POLICY_TYPE`.
    #[doc(alias = "BAD_POLICY_TYPE")]
    BadPolicyType,
    /// The value is out of range: `BAD_POLICY_VALUE`.
    #[doc(alias = "BAD_POLICY_VALUE")]
    BadPolicyValue,
    /// The value is valid, but the factory does not support it: `UNSUPPORTED_POLICY_VALUE`.
    #[doc(alias = "UNSUPPORTED_POLICY_VALUE")]
    UnsupportedPolicyValue,
    /// A system exception.
    System(SystemException),
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadPolicy => "BAD_POLICY: no factory creates policies of this type",
            Self::UnsupportedPolicy => {
                "UNSUPPORTED_POLICY: the policies of this type are Rust types of the ORB"
            }
            Self::BadPolicyType => "BAD_POLICY_TYPE: the policy takes values of another type",
            Self::BadPolicyValue => "BAD_POLICY_VALUE: the policy cannot have this value",
            Self::UnsupportedPolicyValue => {
                "UNSUPPORTED_POLICY_VALUE: this value of the policy is not supported"
            }
            Self::System(exception) => return exception.fmt(f),
        })
    }
}

impl std::error::Error for PolicyError {}

impl From<SystemException> for PolicyError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl<E> From<PolicyError> for Error<E> {
    /// The same error as a system exception, for operations with a `raises` clause.
    fn from(error: PolicyError) -> Self {
        SystemException::from(error).into()
    }
}

impl From<PolicyError> for SystemException {
    #[cold]
    fn from(error: PolicyError) -> Self {
        let minor = match &error {
            PolicyError::System(exception) => return exception.clone(),
            PolicyError::BadPolicy => Minor::INV_POLICY_INVALID_TYPE,
            _ => Minor::BAD_ARGUMENT,
        };
        Self::new(ExceptionKind::InvPolicy, minor, Completion::No).with_reason(error.to_string())
    }
}

/// The policy factories of an ORB, by the type of their policies.
#[derive(Default)]
pub struct PolicyFactories(RwLock<HashMap<PolicyType, Arc<dyn PolicyFactory>>>);

impl PolicyFactories {
    /// The factory for policies of this type.
    pub fn get(&self, policy_type: PolicyType) -> Option<Arc<dyn PolicyFactory>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&policy_type).cloned()
    }

    /// Registers a factory.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (minor code 16) when the type has a factory already or is the ORB's own.
    pub fn register(
        &self,
        policy_type: PolicyType,
        factory: Arc<dyn PolicyFactory>,
    ) -> Result<(), SystemException> {
        let mut factories = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match factories.entry(policy_type) {
            Entry::Vacant(entry) if !policy_type.is_of_the_orb() => {
                entry.insert(factory);
                Ok(())
            }
            _ => {
                let what = format!("policies of the type {} have a factory already", policy_type.0);
                let (kind, minor) =
                    (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_POLICY_FACTORY_EXISTS);
                Err(SystemException::new(kind, minor, Completion::No).with_reason(what))
            }
        }
    }
}
