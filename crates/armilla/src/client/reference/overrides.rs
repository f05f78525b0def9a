//! The overrides of one reference for its calls: time limits, policies, the use of connections.
//!
//! How they combine with other levels is in [`Effective`].

use super::object::{Object, Overrides};
use crate::client::request::{Effective, Levels, chosen_sync_scope, policies_in_effect};
use crate::exception::SystemException;
use crate::policies::Policies;
use crate::policies::{ConnectionPolicy, SyncScope};
use crate::settings::Settings;
use std::sync::Arc;
use std::time::Duration;

impl Object {
    /// This reference with these policies; they replace those that it had. They take precedence
    /// over those of the thread and of the ORB.
    ///
    /// ```
    /// use armilla::{Orb, Policies, Rebind, Retries};
    /// use std::time::Duration;
    ///
    /// let orb = Orb::new()?;
    /// let account = orb.string_to_object("corbaloc::bank.example.org/account")?;
    /// let patient = account.with_policies(Policies {
    ///     round_trip_timeout: Some(Duration::from_secs(60)),
    ///     rebind: Some(Rebind::NoRebind),
    ///     retries: Some(Retries { count: 3, ..Retries::NONE }),
    ///     ..Policies::default()
    /// });
    /// assert_eq!(patient.client_policies()?.rebind, Some(Rebind::NoRebind));
    /// assert!(account.policy_overrides().is_none(), "the original reference is unchanged");
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    #[must_use]
    #[doc(alias = "set_policy_overrides")]
    pub fn with_policies(&self, policies: Policies) -> Self {
        self.with_overrides(|overrides| overrides.policies = Some(policies))
    }

    /// This reference with a time limit for each call. A shorthand for the round-trip timeout of
    /// [`with_policies`](Self::with_policies); it takes precedence over that.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        self.with_overrides(|overrides| overrides.timeout = Some(timeout))
    }

    /// This reference with another use of connections.
    ///
    /// ```
    /// use armilla::{ConnectionPolicy, Orb};
    ///
    /// let orb = Orb::new()?;
    /// let quotes = orb.string_to_object("corbaloc::bank.example.org/quotes")?;
    /// // Many threads call this object; they share its connections.
    /// let quotes = quotes.with_connection_policy(ConnectionPolicy::Multiplexed);
    /// # let _ = quotes;
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    #[must_use]
    pub fn with_connection_policy(&self, connection_policy: ConnectionPolicy) -> Self {
        self.with_overrides(|overrides| overrides.connection_policy = Some(connection_policy))
    }

    /// This reference with another `SyncScope` for oneway calls. A shorthand for
    /// [`with_policies`](Self::with_policies); it takes precedence over that. With
    /// [`SyncScope::None`] all calls through the reference use [`ConnectionPolicy::Multiplexed`],
    /// so that they arrive after the buffered oneway calls.
    ///
    /// ```
    /// use armilla::{Object, SyncScope};
    ///
    /// fn audit(log: &Object) -> Result<(), armilla::SystemException> {
    ///     // Returns when the servant has recorded the entry, not when the request was sent.
    ///     log.with_sync_scope(SyncScope::WithTarget).request("flush").send_oneway()
    /// }
    /// ```
    #[must_use]
    pub fn with_sync_scope(&self, scope: SyncScope) -> Self {
        self.with_overrides(|overrides| overrides.sync_scope = Some(scope))
    }

    /// This reference with changed overrides.
    fn with_overrides(&self, choose: impl FnOnce(&mut Overrides)) -> Self {
        let mut chosen = self.overrides.as_deref().cloned().unwrap_or_default();
        choose(&mut chosen);
        Self { reference: self.reference.clone(), overrides: Some(Arc::new(chosen)) }
    }

    /// The effective policies of a call; `None` when the defaults hold.
    #[inline]
    pub(crate) fn effective(&self, settings: &Settings) -> Option<Box<Effective>> {
        if !self.has_policies(settings) {
            return None;
        }
        Some(self.looked_up(settings))
    }

    /// The effective policies of a call, also when the defaults hold.
    pub(crate) fn looked_up(&self, settings: &Settings) -> Box<Effective> {
        self.at_levels(|levels| Effective::look_up(levels, self.timeout(), settings))
    }

    /// Whether a call may have policies other than the defaults.
    #[inline]
    pub(crate) fn has_policies(&self, settings: &Settings) -> bool {
        Levels::may_exist(self.policy_overrides()) || !settings.is_plain()
    }

    /// Passes the policy levels of a call through this reference to `look`.
    #[cold]
    fn at_levels<R>(&self, look: impl FnOnce(Levels<'_>) -> R) -> R {
        let orb = self.reference.as_ref().and_then(|it| it.orb.policy_overrides().get());
        look(Levels { own: self.policy_overrides(), orb: orb.as_deref() })
    }

    /// All policies in effect for a call of this thread.
    pub(crate) fn policies_in_effect(&self, settings: &Settings) -> Policies {
        let found = self.at_levels(|levels| policies_in_effect(levels, self.timeout(), settings));
        let own = self.overrides.as_deref().and_then(|own| own.sync_scope);
        Policies { sync_scope: own.or(found.sync_scope), ..found }
    }

    /// The use of connections and the `SyncScope` of a call. The reference's overrides come first.
    /// For the scope, those of the thread and of the ORB follow. Buffered oneway calls need
    /// multiplexed connections.
    #[inline]
    pub(crate) fn connection_policy(&self, settings: &Settings) -> (ConnectionPolicy, SyncScope) {
        let own = self.overrides.as_deref();
        let chosen = match own.and_then(|own| own.sync_scope) {
            None if Levels::may_exist(self.policy_overrides()) => self.at_levels(chosen_sync_scope),
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

    /// The policies that were set for calls through this reference: `get_policy_overrides`.
    #[doc(alias = "get_policy_overrides")]
    pub fn policy_overrides(&self) -> Option<&Policies> {
        self.overrides.as_deref()?.policies.as_ref()
    }

    /// All policies in effect for a call now: those of the reference, then of this thread, then of
    /// the ORB: `get_client_policy`.
    ///
    /// # Errors
    /// `INV_OBJREF` when the reference is nil.
    #[doc(alias = "get_policy")]
    #[doc(alias = "get_client_policy")]
    pub fn client_policies(&self) -> Result<Policies, SystemException> {
        Ok(self.policies_in_effect(self.reference()?.orb.settings()))
    }

    /// The time limit of a call that was set for this reference.
    #[inline]
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.overrides.as_deref()?.timeout
    }
}
