//! Policies that an ORB was given since it was made (CORBA 3.4 Part 1, 8.9.2, `PolicyManager`).

use super::{Policies, current};
use crate::orb::Orb;
use arc_swap::ArcSwapOption;
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
            current::count_in();
        }
        if self.0.swap(policies.map(Arc::new)).is_some() {
            current::count_out();
        }
    }
}

impl Drop for OrbPolicies {
    fn drop(&mut self) {
        self.set(None);
    }
}

impl Orb {
    /// Sets policies for the calls that begin from now on through references of this ORB, in place of those
    /// that were set so before: `set_policy_overrides` of the `ORBPolicyManager`. They count more than the
    /// [`settings`](Self::settings), and less than those of references and threads; what they leave open
    /// is as the settings have it.
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

    /// The policies that were set for the whole ORB: `get_policy_overrides` of the `ORBPolicyManager`.
    pub fn policies(&self) -> Policies {
        self.policy_overrides().get().as_deref().cloned().unwrap_or_default()
    }
}
