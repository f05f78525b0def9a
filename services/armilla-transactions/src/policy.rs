//! Policies of objects and clients (Transaction Service 1.4, 2.3.3).

use armilla::codegen::Signature;
use armilla::{Any, CustomPolicy, PolicyError, PolicyType};

/// Whether the objects of a POA work in transactions: `OTSPolicy`. A reference tells it. An object
/// whose POA has no policy gets no transaction.
///
/// ```
/// use armilla::Orb;
/// use armilla_transactions::{OtsPolicy, Transactions};
///
/// let orb = Orb::builder().initializer(Transactions::builder().build()).build()?;
/// let accounts = orb.root_poa().create_poa("accounts").policy(OtsPolicy::Requires).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OtsPolicy {
    /// Only in one.
    Requires,
    /// Never in one.
    Forbids,
    /// With or without.
    Adapts,
}

/// Whether a client in a transaction may call objects that do not work in transactions:
/// `NonTxTargetPolicy`. For [`armilla::Policies::custom`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NonTxTargetPolicy {
    /// It may not: `INVALID_TRANSACTION`.
    Prevent,
    /// It may; the object does not hear of the transaction.
    #[default]
    Permit,
}

pub(crate) const OTS: PolicyType = PolicyType(56);
pub(crate) const NON_TX_TARGET: PolicyType = PolicyType(57);

/// `TAG_OTS_POLICY` and `TAG_INV_POLICY`.
pub(crate) const OTS_COMPONENT: u32 = 31;
pub(crate) const INVOCATION_COMPONENT: u32 = 32;

/// Whether an operation asks what an object is, and not the object to do something: whoever reads a
/// reference, or looks whether a server is there, asks that within transactions and without.
pub(crate) fn asks_what_it_is(operation: &str) -> bool {
    Signature::name_of_object(operation).is_some()
}

impl OtsPolicy {
    pub(crate) const fn number(self) -> u16 {
        match self {
            Self::Requires => 1,
            Self::Forbids => 2,
            Self::Adapts => 3,
        }
    }

    const fn of(number: u16) -> Option<Self> {
        match number {
            1 => Some(Self::Requires),
            2 => Some(Self::Forbids),
            3 => Some(Self::Adapts),
            _ => None,
        }
    }

    pub(crate) fn from_value(value: &Any) -> Result<CustomPolicy, PolicyError> {
        let number = value.get::<u16>().ok().flatten().ok_or(PolicyError::BadPolicyType)?;
        Self::of(number).map(Into::into).ok_or(PolicyError::BadPolicyValue)
    }

    /// What a component says. `None` if it says nothing that is known.
    pub(crate) fn from_component(data: &[u8]) -> Option<Self> {
        let number: [u8; 2] = data.get(2..4)?.try_into().ok()?;
        Self::of(match data.first()? {
            0 => u16::from_be_bytes(number),
            _ => u16::from_le_bytes(number),
        })
    }
}

impl NonTxTargetPolicy {
    pub(crate) fn from_value(value: &Any) -> Result<CustomPolicy, PolicyError> {
        let number = value.get::<u16>().ok().flatten().ok_or(PolicyError::BadPolicyType)?;
        match number {
            0 => Ok(Self::Prevent.into()),
            1 => Ok(Self::Permit.into()),
            _ => Err(PolicyError::BadPolicyValue),
        }
    }
}

/// The data of a component with a number.
pub(crate) fn component(number: u16) -> Vec<u8> {
    let [high, low] = number.to_be_bytes();
    vec![0, 0, high, low]
}

impl From<OtsPolicy> for CustomPolicy {
    fn from(policy: OtsPolicy) -> Self {
        Self::new(OTS, policy)
    }
}

impl From<OtsPolicy> for armilla::Policy {
    fn from(policy: OtsPolicy) -> Self {
        CustomPolicy::from(policy).into()
    }
}

impl From<NonTxTargetPolicy> for CustomPolicy {
    fn from(policy: NonTxTargetPolicy) -> Self {
        Self::new(NON_TX_TARGET, policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_read_in_both_byte_orders() {
        assert_eq!(OtsPolicy::from_component(&component(3)), Some(OtsPolicy::Adapts));
        assert_eq!(OtsPolicy::from_component(&[1, 0, 1, 0]), Some(OtsPolicy::Requires));
        assert_eq!(OtsPolicy::from_component(&[0, 0, 0]), None);
        assert_eq!(OtsPolicy::from_component(&[0, 0, 0, 9]), None);
    }
}
