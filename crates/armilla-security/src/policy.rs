//! What a server asks of clients.

use armilla::{Any, CustomPolicy, PolicyError, PolicyType};

/// Whether the clients of a server, or of one of its POAs, have to show who they are.
///
/// ```
/// use armilla::Orb;
/// use armilla_security::{Authentication, ServerSecurity};
///
/// let security = ServerSecurity::builder().authentication(Authentication::Required).build()?;
/// let orb = Orb::builder().initializer(security).build()?;
/// // What anybody may call:
/// let open = orb.root_poa().create_poa("open").policy(Authentication::Optional).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Authentication {
    /// They need not, and nothing that they show is looked at.
    Off,
    /// They need not. What they show has to be right.
    #[default]
    Optional,
    /// Without they are refused.
    Required,
}

/// The type of the policy, with the number of the vendor.
pub(crate) const AUTHENTICATION: PolicyType = PolicyType(0x4152_4d10);

impl Authentication {
    /// Its policy from a value: 0, 1 or 2.
    pub(crate) fn from_value(value: &Any) -> Result<CustomPolicy, PolicyError> {
        let number = value.get::<u16>().ok().flatten().ok_or(PolicyError::BadPolicyType)?;
        let all = [Self::Off, Self::Optional, Self::Required];
        let policy = all.get(usize::from(number)).ok_or(PolicyError::BadPolicyValue)?;
        Ok((*policy).into())
    }
}

impl From<Authentication> for CustomPolicy {
    fn from(authentication: Authentication) -> Self {
        Self::new(AUTHENTICATION, authentication)
    }
}

impl From<Authentication> for armilla::Policy {
    fn from(authentication: Authentication) -> Self {
        CustomPolicy::from(authentication).into()
    }
}
