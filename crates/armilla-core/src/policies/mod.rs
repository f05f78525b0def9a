//! Client policies: the choices that a program makes for an ORB, a thread or a reference (CORBA 3.4
//! Part 1, 17.2 and 17.3).
//!
//! The policies of POAs are in `server::poa`. How a call obtains its policies is in `client`.

mod connections;
pub mod current;
mod custom;

pub use connections::{ConnectionPolicy, OnewayBuffer, SyncScope};
pub use current::{PolicyCurrent, PolicyGuard};
#[doc(hidden)]
pub use custom::PolicyFactories;
pub use custom::{CustomPolicy, PolicyError, PolicyFactory, PolicyType};

use std::time::{Duration, Instant};

/// Policies of calls: time limits, rebinding, retries, and custom policies.
///
/// A policy that is `None` is not set here. The ORB looks up each policy separately, in the order
/// of precedence: the reference (`Object::with_policies`), the
/// calling thread ([`PolicyCurrent`]), the ORB (`Orb::set_policies`),
/// the [`Settings`](crate::settings::Settings). The policies at the beginning of a call apply to the whole
/// call.
///
/// In a call of an object in the same process, no limit covers the execution of the servant. The
/// round-trip limit then covers the time before it: the wait for a POA manager that holds requests,
/// for the previous call of a POA that serves one call at a time, or for the main thread.
///
/// ```
/// use armilla::{Policies, Retries};
/// use std::time::Duration;
///
/// let patient = Policies {
///     round_trip_timeout: Some(Duration::from_secs(60)),
///     retries: Some(Retries { count: 5, ..Retries::default() }),
///     ..Policies::default()
/// };
/// # let _ = patient;
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policies {
    /// The time limit of a call until its reply (`RelativeRoundtripTimeoutPolicy`). The setting is
    /// [`call_timeout`](crate::settings::Settings::call_timeout).
    #[doc(alias = "RelativeRoundtripTimeoutPolicy")]
    pub round_trip_timeout: Option<Duration>,
    /// The time limit for sending the request, connecting included
    /// (`RelativeRequestTimeoutPolicy`). Within the process it is for delivering the request: until
    /// the servant is called, however long the POA holds the request. The setting is
    /// [`request_timeout`](crate::settings::Settings::request_timeout).
    #[doc(alias = "RelativeRequestTimeoutPolicy")]
    pub request_timeout: Option<Duration>,
    /// The time by which the request must have been sent, or delivered, as above
    /// (`RequestEndTimePolicy`).
    #[doc(alias = "RequestEndTimePolicy")]
    pub request_end: Option<Instant>,
    /// The time by which the reply must have arrived (`ReplyEndTimePolicy`).
    #[doc(alias = "ReplyEndTimePolicy")]
    pub reply_end: Option<Instant>,
    /// The time limit for establishing a connection. The setting is
    /// [`connect_timeout`](crate::settings::Settings::connect_timeout).
    pub connect_timeout: Option<Duration>,
    /// Whether the client may rebind transparently (`RebindPolicy`). The setting is
    /// [`rebind`](crate::settings::Settings::rebind).
    pub rebind: Option<Rebind>,
    /// How often the client retries a call that the server certainly did not begin. The setting is
    /// [`retries`](crate::settings::Settings::retries).
    pub retries: Option<Retries>,
    /// When oneway calls return (`SyncScopePolicy`); see
    /// `Object::with_sync_scope`. The setting is
    /// [`sync_scope`](crate::settings::Settings::sync_scope).
    pub sync_scope: Option<SyncScope>,
    /// How long the members of an object group remember a request, from the beginning of its call
    /// (`FT::RequestDurationPolicy`). For as long the call is tried again at other members. Not
    /// set: for as long as the call may take.
    #[doc(alias = "RequestDurationPolicy")]
    pub request_duration: Option<Duration>,
    /// How soon a call leaves a silent member of an object group (`FT::HeartbeatPolicy`). Not set:
    /// only when its connection breaks.
    #[doc(alias = "HeartbeatPolicy")]
    pub heartbeat: Option<Heartbeat>,
    /// Policies of types that the program defines, for interceptors. If two have the same type, the
    /// first applies.
    pub custom: Vec<CustomPolicy>,
}

impl Policies {
    /// The custom policy of this type.
    pub fn custom_policy(&self, policy_type: PolicyType) -> Option<&CustomPolicy> {
        self.custom.iter().find(|policy| policy.policy_type() == policy_type)
    }

    /// Sets the policies that are not set to those of `outer`.
    fn complete(&mut self, outer: &Self) {
        fn fill<T: Copy>(policy: &mut Option<T>, outer: Option<T>) {
            *policy = policy.or(outer);
        }
        fill(&mut self.round_trip_timeout, outer.round_trip_timeout);
        fill(&mut self.request_timeout, outer.request_timeout);
        fill(&mut self.request_end, outer.request_end);
        fill(&mut self.reply_end, outer.reply_end);
        fill(&mut self.connect_timeout, outer.connect_timeout);
        fill(&mut self.rebind, outer.rebind);
        fill(&mut self.retries, outer.retries);
        fill(&mut self.sync_scope, outer.sync_scope);
        fill(&mut self.request_duration, outer.request_duration);
        fill(&mut self.heartbeat, outer.heartbeat);
        self.complete_custom(&outer.custom);
    }

    /// Adds the custom policies of `outer` whose types are not set.
    #[doc(hidden)]
    pub fn complete_custom(&mut self, outer: &[CustomPolicy]) {
        for policy in outer {
            if self.custom_policy(policy.policy_type()).is_none() {
                self.custom.push(policy.clone());
            }
        }
    }
}

/// The rebind policy of a call: whether the client may rebind the reference without the knowledge
/// of the program (CORBA 3.4 Part 1, 17.3.2.2). The first call, or
/// `Object::locate`, binds a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[doc(alias = "RebindPolicy")]
#[doc(alias = "RebindMode")]
pub enum Rebind {
    /// The client follows forwards and reconnects: `TRANSPARENT`.
    #[default]
    #[doc(alias = "TRANSPARENT")]
    Transparent,
    /// The client reconnects. A forward of a bound reference fails with `REBIND`: `NO_REBIND`.
    #[doc(alias = "NO_REBIND")]
    NoRebind,
    /// For a bound reference, a forward and the need for a new connection fail with `REBIND`:
    /// `NO_RECONNECT`.
    #[doc(alias = "NO_RECONNECT")]
    NoReconnect,
}

/// How soon a call of an object group leaves a member that does not answer (CORBA 3.0.3, 23.2.9):
/// after both times together it goes to the next member. The request carries the same identity
/// there, so that a member which was merely slow has executed it for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(alias = "HeartbeatPolicyValue")]
pub struct Heartbeat {
    /// The time after which a silent member is doubted: `heartbeat_interval`.
    pub interval: Duration,
    /// The time that it then has to be heard: `heartbeat_timeout`.
    pub timeout: Duration,
}

/// How the client retries a call that failed with `TRANSIENT` or `COMM_FAILURE` and that the server
/// certainly did not begin. A retry follows after the client has tried all addresses of the
/// reference. The time limits of the call cover all attempts together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retries {
    /// The number of retries. 0 means none. Default: 0.
    pub count: u32,
    /// The pause before the first retry. Default: 100 ms.
    pub delay: Duration,
    /// The factor by which each pause is longer than the previous one. Default: 2.
    pub backoff: f64,
    /// The longest pause. Default: 5 s.
    pub longest: Duration,
}

impl Retries {
    /// No retries, which is the default.
    pub const NONE: Self = Self {
        count: 0,
        delay: Duration::from_millis(100),
        backoff: 2.0,
        longest: Duration::from_secs(5),
    };

    /// The pause before the retry with this number, counted from 0.
    #[doc(hidden)]
    pub fn pause(&self, number: u32) -> Duration {
        let factor = self.backoff.max(0.0).powi(i32::try_from(number).unwrap_or(i32::MAX));
        let longest = self.longest.as_secs_f64();
        let pause = (self.delay.as_secs_f64() * factor).min(longest);
        // An infinite factor and a delay of zero give NaN; `min` then returns `longest`.
        Duration::try_from_secs_f64(pause).unwrap_or(self.longest)
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_the_longest() {
        let retries = Retries { count: 9, ..Retries::NONE };
        let milliseconds = [0, 1, 2, 5, 6, 1000, u32::MAX].map(|n| retries.pause(n).as_millis());
        assert_eq!(milliseconds, [100, 200, 400, 3200, 5000, 5000, 5000]);
        let steady = Retries { backoff: 1.0, ..retries };
        assert_eq!(steady.pause(u32::MAX), steady.delay);
        let none = Retries { delay: Duration::ZERO, ..retries };
        assert!(none.pause(3).is_zero());
    }
}
