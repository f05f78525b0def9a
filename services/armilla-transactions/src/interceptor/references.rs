//! Tells clients by references whether objects work in transactions.

use crate::policy::{INVOCATION_COMPONENT, OTS, OTS_COMPONENT, OtsPolicy, component};
use armilla::interceptor::{IorInfo, IorInterceptor};
use armilla::{Policy, SystemException};

pub(crate) struct References;

impl IorInterceptor for References {
    fn name(&self) -> &str {
        "armilla-transactions"
    }

    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        let Some(policy) = info.policy(OTS)?.as_ref().and_then(of_policy) else { return Ok(()) };
        info.add_component(OTS_COMPONENT, component(policy.number()))?;
        // Either: with a transaction that is shared, or with none.
        info.add_component(INVOCATION_COMPONENT, component(0))
    }
}

pub(super) fn of_policy(policy: &Policy) -> Option<OtsPolicy> {
    match policy {
        Policy::Custom(custom) => custom.get::<OtsPolicy>().copied(),
        _ => None,
    }
}
