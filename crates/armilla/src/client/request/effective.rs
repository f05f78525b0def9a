//! The policies in effect for a call. The reference's own come first, then the thread's, then the
//! ORB's overrides, then its settings.

use crate::policies::SyncScope;
use crate::policies::{Policies, Rebind, Retries, current};
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
pub(crate) struct Limit {
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
    pub(crate) reply: Option<Limit>,
    /// The limit for sending the request.
    pub(crate) request: Option<Limit>,
    /// The limit for connecting.
    pub(crate) connect: Limit,
    pub(crate) rebind: Rebind,
    pub(crate) retries: Retries,
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
    #[cold]
    pub(crate) fn look_up(
        own: Levels<'_>,
        timeout: Option<Duration>,
        settings: &Settings,
    ) -> Box<Self> {
        let relative = |get: fn(&Policies) -> Option<Duration>, policy, orb: Option<_>| {
            let (time, level) = leveled(own, get, orb)?;
            Some(Limit { time, level, policy })
        };
        let absolute = |get: fn(&Policies) -> Option<Instant>, policy| {
            let (end, level) = leveled(own, get, None)?;
            Some(Limit { time: end.saturating_duration_since(Instant::now()), level, policy })
        };
        let short =
            timeout.map(|time| Limit { time, level: Level::Reference, policy: "with_timeout" });
        let orb = |time, policy| Limit { time, level: Level::Orb, policy };
        let round_trip = short
            .or_else(|| relative(|own| own.round_trip_timeout, "round_trip_timeout", None))
            .or_else(|| settings.call_timeout.map(|time| orb(time, "call_timeout")));
        let request = settings.request_timeout;
        let connect = relative(|own| own.connect_timeout, "connect_timeout", None);
        Box::new(Self {
            reply: shorter(round_trip, absolute(|own| own.reply_end, "reply_end")),
            request: shorter(
                relative(|own| own.request_timeout, "request_timeout", request),
                absolute(|own| own.request_end, "request_end"),
            ),
            connect: connect.unwrap_or_else(|| orb(settings.connect_timeout, "connect_timeout")),
            rebind: leveled(own, |own| own.rebind, None).map_or(settings.rebind, |found| found.0),
            retries: leveled(own, |own| own.retries, None)
                .map_or(settings.retries, |found| found.0),
        })
    }
}

/// The `SyncScope` of oneway calls, if one of the levels sets it.
#[cold]
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
    let round_trip = found(own, |own| own.round_trip_timeout, settings.call_timeout);
    let connect = Some(settings.connect_timeout);
    let mut all = Policies {
        round_trip_timeout: timeout.or(round_trip),
        request_timeout: found(own, |own| own.request_timeout, settings.request_timeout),
        request_end: found(own, |own| own.request_end, None),
        reply_end: found(own, |own| own.reply_end, None),
        connect_timeout: found(own, |own| own.connect_timeout, connect),
        rebind: found(own, |own| own.rebind, Some(settings.rebind)),
        retries: found(own, |own| own.retries, Some(settings.retries)),
        sync_scope: found(own, |own| own.sync_scope, Some(settings.sync_scope)),
        custom: Vec::new(),
    };
    own.own.inspect(|own| all.complete_custom(&own.custom));
    current::each(|policies| all.complete_custom(&policies.custom));
    own.orb.inspect(|orb| all.complete_custom(&orb.custom));
    all.complete_custom(&settings.custom_policies);
    all
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
