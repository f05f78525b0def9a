//! The policies in effect for a call. The reference's own come first, then the thread's, then the
//! ORB's overrides, then its settings.

use crate::policies::SyncScope;
use crate::policies::{Heartbeat, Policies, Rebind, Retries, current};
use crate::settings::Settings;
use std::fmt;
use std::time::{Duration, Instant};

/// The level at which a policy was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Reference,
    Thread,
    Orb,
}

/// A time limit and the policy that sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) struct Limit {
    pub(crate) time: Duration,
    level: Level,
    policy: &'static str,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = match self.level {
            Level::Reference => "reference",
            Level::Thread => "thread",
            Level::Orb => "ORB",
        };
        write!(f, "the {whose}'s {}", self.policy)
    }
}

/// The effective policies of one call.
#[derive(Debug)]
pub(crate) struct Effective {
    /// The limit until the reply.
    pub(super) reply: Option<Limit>,
    /// The limit for sending the request.
    pub(super) request: Option<Limit>,
    /// The limit for connecting.
    pub(super) connect: Limit,
    pub(crate) rebind: Rebind,
    pub(crate) retries: Retries,
    /// How long members of a group remember the request; `None` for as long as the call may take.
    pub(crate) request_duration: Option<Duration>,
    /// How soon a call leaves a silent member of a group.
    pub(crate) heartbeat: Option<Heartbeat>,
}

/// The levels at which policies are looked up, besides the thread.
#[derive(Clone, Copy)]
pub(crate) struct Levels<'l> {
    pub(crate) own: Option<&'l Policies>,
    pub(crate) orb: Option<&'l Policies>,
}

impl Levels<'_> {
    /// Whether any level may have policies, for a call through a reference with `own`. `false`
    /// means that the ORB's settings hold.
    #[inline]
    pub(crate) fn may_exist(own: Option<&Policies>) -> bool {
        own.is_some() || current::any()
    }
}

impl Effective {
    /// The effective policies of a call through a reference with the limit `timeout`. A call with
    /// only the default limits does not need this lookup.
    pub(crate) fn look_up(
        own: Levels<'_>,
        timeout: Option<Duration>,
        settings: &Settings,
    ) -> Box<Self> {
        let relative = |get, policy, orb| Limit::found(own, get, orb, policy);
        let absolute = |get: fn(&Policies) -> Option<Instant>, policy| {
            let (end, level) = leveled(own, get, None)?;
            Some(Limit { time: end.saturating_duration_since(Instant::now()), level, policy })
        };
        Box::new(Self {
            reply: shorter(
                round_trip(own, timeout, settings),
                absolute(|own| own.reply_end, "reply_end"),
            ),
            request: shorter(
                relative(|own| own.request_timeout, "request_timeout", settings.request_timeout),
                absolute(|own| own.request_end, "request_end"),
            ),
            connect: connect(own, settings),
            rebind: leveled(own, |own| own.rebind, None).map_or(settings.rebind, |found| found.0),
            retries: leveled(own, |own| own.retries, None)
                .map_or(settings.retries, |found| found.0),
            request_duration: leveled(own, |own| own.request_duration, None).map(|found| found.0),
            heartbeat: leveled(own, |own| own.heartbeat, None).map(|found| found.0),
        })
    }

    /// The limit that ends the call before any other; that for sending the request counts while it
    /// is `unsent`.
    pub(in crate::client) fn shortest(&self, unsent: bool) -> Option<&Limit> {
        let request = self.request.iter().filter(|_| unsent);
        request.chain(&self.reply).min_by_key(|limit| limit.time)
    }

    /// The limit until the reply when no level has policies. The straight path of a call looks up
    /// nothing else; [`look_up`](Self::look_up) comes to the same.
    pub(crate) fn plain_limit(timeout: Option<Duration>, settings: &Settings) -> Option<Duration> {
        timeout.or(settings.call_timeout)
    }
}

impl Limit {
    /// Looks up a limit as [`leveled`] does.
    fn found(
        own: Levels<'_>,
        get: fn(&Policies) -> Option<Duration>,
        settings: Option<Duration>,
        policy: &'static str,
    ) -> Option<Self> {
        let (time, level) = leveled(own, get, settings)?;
        Some(Self { time, level, policy })
    }
}

/// The limit for the reply by relative time, through a reference with the limit `timeout`.
fn round_trip(own: Levels<'_>, timeout: Option<Duration>, settings: &Settings) -> Option<Limit> {
    let of_reference =
        timeout.map(|time| Limit { time, level: Level::Reference, policy: "with_timeout" });
    of_reference
        .or_else(|| Limit::found(own, |own| own.round_trip_timeout, None, "round_trip_timeout"))
        .or_else(|| Limit::found(own, |_| None, settings.call_timeout, "call_timeout"))
}

/// The limit for making a connection.
fn connect(own: Levels<'_>, settings: &Settings) -> Limit {
    let (time, policy) = (settings.connect_timeout, "connect_timeout");
    let found = Limit::found(own, |own| own.connect_timeout, Some(time), policy);
    found.unwrap_or(Limit { time, level: Level::Orb, policy })
}

/// The `SyncScope` of oneway calls, if one of the levels sets it.
pub(in crate::client) fn chosen_sync_scope(own: Levels<'_>) -> Option<SyncScope> {
    leveled(own, |policies| policies.sync_scope, None).map(|found| found.0)
}

/// All policies in effect for a call through a reference with the limit `timeout`.
pub(in crate::client) fn policies_in_effect(
    own: Levels<'_>,
    timeout: Option<Duration>,
    settings: &Settings,
) -> Policies {
    fn found<T>(own: Levels<'_>, get: fn(&Policies) -> Option<T>, orb: Option<T>) -> Option<T> {
        leveled(own, get, orb).map(|found| found.0)
    }
    if own.orb.is_none() && !Levels::may_exist(own.own) {
        return of_settings(timeout, settings);
    }
    let mut all = Policies {
        round_trip_timeout: round_trip(own, timeout, settings).map(|limit| limit.time),
        request_timeout: found(own, |own| own.request_timeout, settings.request_timeout),
        request_end: found(own, |own| own.request_end, None),
        reply_end: found(own, |own| own.reply_end, None),
        connect_timeout: Some(connect(own, settings).time),
        rebind: found(own, |own| own.rebind, Some(settings.rebind)),
        retries: found(own, |own| own.retries, Some(settings.retries)),
        sync_scope: found(own, |own| own.sync_scope, Some(settings.sync_scope)),
        request_duration: found(own, |own| own.request_duration, None),
        heartbeat: found(own, |own| own.heartbeat, None),
        custom: Vec::new(),
    };
    own.own.inspect(|own| all.complete_custom(&own.custom));
    current::each(|policies| all.complete_custom(&policies.custom));
    own.orb.inspect(|orb| all.complete_custom(&orb.custom));
    all.complete_custom(&settings.custom_policies);
    all
}

/// The same where no level has policies. Interceptors ask for them with each call.
fn of_settings(timeout: Option<Duration>, settings: &Settings) -> Policies {
    Policies {
        round_trip_timeout: Effective::plain_limit(timeout, settings),
        request_timeout: settings.request_timeout,
        request_end: None,
        reply_end: None,
        connect_timeout: Some(settings.connect_timeout),
        rebind: Some(settings.rebind),
        retries: Some(settings.retries),
        sync_scope: Some(settings.sync_scope),
        request_duration: None,
        heartbeat: None,
        custom: settings.custom_policies.clone(),
    }
}

/// Looks up a policy with `get` in the reference, the thread and the ORB's overrides. `settings` is
/// the value in the ORB's settings.
fn leveled<T>(
    levels: Levels<'_>,
    get: fn(&Policies) -> Option<T>,
    settings: Option<T>,
) -> Option<(T, Level)> {
    let own = levels.own.and_then(get).map(|found| (found, Level::Reference));
    own.or_else(|| current::find(get).map(|found| (found, Level::Thread)))
        .or_else(|| levels.orb.and_then(get).or(settings).map(|found| (found, Level::Orb)))
}

fn shorter(a: Option<Limit>, b: Option<Limit>) -> Option<Limit> {
    a.into_iter().chain(b).min_by_key(|limit| limit.time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::request::Deadline;

    const LIMITS: [Option<Duration>; 3] =
        [None, Some(Duration::from_millis(7)), Some(Duration::from_secs(9))];

    /// The straight path of a call looks up no policies where there are none; it must have the
    /// limits that the lookup finds.
    #[test]
    fn without_policies_the_straight_path_has_the_limits_of_the_lookup() {
        let levels = Levels { own: None, orb: None };
        for (timeout, call_timeout) in LIMITS.iter().flat_map(|a| LIMITS.map(|b| (*a, b))) {
            let mut settings = Settings::default();
            settings.call_timeout = call_timeout;
            assert!(settings.is_plain());
            let straight = Deadline::after(Effective::plain_limit(timeout, &settings));
            let mut looked_up = Deadline::after(None);
            let effective = Effective::look_up(levels, timeout, &settings);
            looked_up.apply(&effective).unwrap();
            assert_eq!(looked_up.limit, straight.limit);
            assert_eq!(looked_up.request, straight.request);
            assert_eq!(looked_up.may_connect, straight.may_connect);
            let usual = settings.connect_timeout;
            assert_eq!(looked_up.connect.unwrap_or(usual), straight.connect.unwrap_or(usual));
            assert_eq!((effective.rebind, effective.retries), (Rebind::Transparent, Retries::NONE));
            assert_eq!(chosen_sync_scope(levels), None);
        }
    }
}
