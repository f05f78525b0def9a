//! What is chosen for the calls through one reference: limits of time, policies, the use of connections.

use super::Object;
use crate::client::{Effective, Levels};
use crate::exception::SystemException;
use crate::policies::Policies;
use crate::policies::{ConnectionPolicy, SyncScope};
use crate::settings::Settings;
use std::sync::Arc;
use std::time::Duration;

/// What was chosen for the calls through one reference, which most have nothing of.
#[derive(Clone, Default)]
pub(super) struct Overrides {
    timeout: Option<Duration>,
    policies: Option<Policies>,
    connection_policy: Option<ConnectionPolicy>,
    sync_scope: Option<SyncScope>,
}

impl Object {
    /// The same reference for calls with these policies; those that it had before are gone. They
    /// count more than those of the thread and of the ORB.
    #[must_use]
    pub fn with_policies(&self, policies: Policies) -> Self {
        self.with_overrides(|overrides| overrides.policies = Some(policies))
    }

    /// The same reference for calls that may take up to `timeout` each: the short form of
    /// [`with_policies`](Self::with_policies) for the round trip, which it counts more than.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        self.with_overrides(|overrides| overrides.timeout = Some(timeout))
    }

    /// The same reference for calls that use connections in this way.
    #[must_use]
    pub fn with_connection_policy(&self, connection_policy: ConnectionPolicy) -> Self {
        self.with_overrides(|overrides| overrides.connection_policy = Some(connection_policy))
    }

    /// The same reference for oneway calls that return at this moment: the short form of
    /// [`with_policies`](Self::with_policies), which it counts more than. With [`SyncScope::None`] all
    /// calls through it use [`ConnectionPolicy::Multiplexed`], so that others arrive behind the oneway calls
    /// that wait.
    #[must_use]
    pub fn with_sync_scope(&self, scope: SyncScope) -> Self {
        self.with_overrides(|overrides| overrides.sync_scope = Some(scope))
    }

    /// The same reference with one more thing chosen.
    fn with_overrides(&self, choose: impl FnOnce(&mut Overrides)) -> Self {
        let mut chosen = self.overrides.as_deref().cloned().unwrap_or_default();
        choose(&mut chosen);
        Self { reference: self.reference.clone(), overrides: Some(Arc::new(chosen)) }
    }

    /// The policies of calls through it; `None` when there is nothing to look up.
    #[inline]
    pub(crate) fn effective(&self, settings: &Settings) -> Option<Box<Effective>> {
        if !Levels::matter(self.policy_overrides()) && settings.is_plain() {
            return None;
        }
        Some(self.at_levels(|levels| Effective::look_up(levels, self.timeout(), settings)))
    }

    /// Looks for policies where calls through it have theirs.
    #[cold]
    fn at_levels<R>(&self, look: impl FnOnce(Levels<'_>) -> R) -> R {
        let orb = self.reference.as_ref().and_then(|it| it.orb.policy_overrides().get());
        look(Levels { own: self.policy_overrides(), orb: orb.as_deref() })
    }

    /// All policies that hold for a call by this thread.
    pub(crate) fn policies_in_effect(&self, settings: &Settings) -> Policies {
        let found = self.at_levels(|levels| Policies::in_effect(levels, self.timeout(), settings));
        let own = self.overrides.as_deref().and_then(|own| own.sync_scope);
        Policies { sync_scope: own.or(found.sync_scope), ..found }
    }

    /// How calls use connections, and when oneway calls return: as was set for this reference, the latter
    /// else for this thread, else for the ORB. What waits for others travels on shared connections.
    #[inline]
    pub(crate) fn connection_policy(&self, settings: &Settings) -> (ConnectionPolicy, SyncScope) {
        let own = self.overrides.as_deref();
        let chosen = match own.and_then(|own| own.sync_scope) {
            None if Levels::matter(self.policy_overrides()) => {
                self.at_levels(Policies::chosen_sync_scope)
            }
            chosen => chosen,
        };
        let scope = chosen.unwrap_or(settings.sync_scope);
        match scope {
            SyncScope::None => (ConnectionPolicy::Multiplexed, scope),
            _ => (
                own.and_then(|own| own.connection_policy).unwrap_or(settings.connection_policy),
                scope,
            ),
        }
    }

    /// The policies that were set for calls through it: `get_policy_overrides`.
    pub fn policy_overrides(&self) -> Option<&Policies> {
        self.overrides.as_deref()?.policies.as_ref()
    }

    /// All policies that a call through it has now: those of the reference, else of this thread, else
    /// of the ORB: `get_client_policy`.
    ///
    /// # Errors
    /// `INV_OBJREF` when it is nil.
    pub fn client_policies(&self) -> Result<Policies, SystemException> {
        Ok(self.policies_in_effect(self.reference()?.orb.settings()))
    }

    /// How long a call may take: what was set for this reference, else for the ORB.
    #[inline]
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.overrides.as_deref()?.timeout
    }
}
