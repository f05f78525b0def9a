//! Policies of calls: what a program can choose for an ORB, a thread or a reference (CORBA 3.4
//! Part 1, 17.2 and 17.3).

mod connections;
pub(crate) mod current;
mod custom;

pub use connections::{ConnectionPolicy, OnewayBuffer, SyncScope};
pub use current::{PolicyCurrent, PolicyGuard};
pub(crate) use custom::PolicyFactories;
pub use custom::{CustomPolicy, PolicyError, PolicyFactory, PolicyType};

use std::time::{Duration, Instant};

/// How calls are made: limits of time, and what is done when something goes wrong.
///
/// What is `None` is not chosen here. Each policy is looked for by itself, where it counts most
/// first: in the reference ([`Object::with_policies`](crate::Object::with_policies)), in the thread
/// that calls ([`PolicyCurrent`]), in the ORB ([`Orb::set_policies`](crate::Orb::set_policies),
/// [`Settings`](crate::Settings)). A call has the
/// policies that hold when it begins. A call within the process takes the time that its servant takes;
/// the limit of the round trip is for what it waits for otherwise: a POA manager that holds requests, the
/// call before it, the main thread.
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
    /// How long a call may take to its reply (`RelativeRoundtripTimeoutPolicy`); the ORB's is
    /// [`call_timeout`](crate::Settings::call_timeout).
    pub round_trip_timeout: Option<Duration>,
    /// How long it may take until the request has left, connecting included
    /// (`RelativeRequestTimeoutPolicy`).
    pub request_timeout: Option<Duration>,
    /// When the request must have left (`RequestEndTimePolicy`).
    pub request_end: Option<Instant>,
    /// When the reply must be there (`ReplyEndTimePolicy`).
    pub reply_end: Option<Instant>,
    /// How long it may take to make a connection; the ORB's is
    /// [`connect_timeout`](crate::Settings::connect_timeout).
    pub connect_timeout: Option<Duration>,
    /// What a call may do unseen to reach its object (`RebindPolicy`).
    pub rebind: Option<Rebind>,
    /// How often a call is tried again that was certainly not begun.
    pub retries: Option<Retries>,
    /// When oneway calls return (`SyncScopePolicy`); the ORB's is
    /// [`sync_scope`](crate::Settings::sync_scope). See [`Object::with_sync_scope`](crate::Object::with_sync_scope).
    pub sync_scope: Option<SyncScope>,
    /// Policies of types that programs have defined, which interceptors read. Of two of one type the
    /// first counts.
    pub custom: Vec<CustomPolicy>,
}

impl Policies {
    /// The policy of this type among those that programs have defined.
    pub fn custom_policy(&self, policy_type: PolicyType) -> Option<&CustomPolicy> {
        self.custom.iter().find(|policy| policy.policy_type() == policy_type)
    }

    /// What is open becomes as `outer` has it.
    fn complete(&mut self, outer: &Self) {
        fn fill<T: Copy>(place: &mut Option<T>, outer: Option<T>) {
            *place = place.or(outer);
        }
        fill(&mut self.round_trip_timeout, outer.round_trip_timeout);
        fill(&mut self.request_timeout, outer.request_timeout);
        fill(&mut self.request_end, outer.request_end);
        fill(&mut self.reply_end, outer.reply_end);
        fill(&mut self.connect_timeout, outer.connect_timeout);
        fill(&mut self.rebind, outer.rebind);
        fill(&mut self.retries, outer.retries);
        fill(&mut self.sync_scope, outer.sync_scope);
        self.complete_custom(&outer.custom);
    }

    /// The same for policies of types that programs have defined.
    pub(crate) fn complete_custom(&mut self, outer: &[CustomPolicy]) {
        for policy in outer {
            if self.custom_policy(policy.policy_type()).is_none() {
                self.custom.push(policy.clone());
            }
        }
    }
}

/// What a call may do unseen to reach its object (CORBA 3.4 Part 1, 17.3.2.2). A reference is bound
/// by its first call, or by [`Object::locate`](crate::Object::locate).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rebind {
    /// Follow forwards, and connect again: `TRANSPARENT`.
    #[default]
    Transparent,
    /// Connect again, but once the reference is bound fail with `REBIND` where the call would be
    /// forwarded: `NO_REBIND`.
    NoRebind,
    /// Once the reference is bound fail with `REBIND` where the call would be forwarded, and where
    /// no connection to the object is free: `NO_RECONNECT`.
    NoReconnect,
}

/// How often, and after which pauses, a call is tried again that failed with `TRANSIENT` or
/// `COMM_FAILURE` and was certainly not begun. All addresses of the reference were tried before. The
/// limits of time hold for all attempts together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retries {
    /// How often; 0 never does.
    pub count: u32,
    /// The pause before the first time. 100 ms.
    pub delay: Duration,
    /// By how much each pause is longer than the one before. 2.
    pub backoff: f64,
    /// The longest pause. 5 s.
    pub longest: Duration,
}

impl Retries {
    /// The default: none.
    pub const NONE: Self = Self {
        count: 0,
        delay: Duration::from_millis(100),
        backoff: 2.0,
        longest: Duration::from_secs(5),
    };

    /// The pause before the time with this number, from 0 on.
    pub(crate) fn pause(&self, number: u32) -> Duration {
        let factor = self.backoff.max(0.0).powi(i32::try_from(number).unwrap_or(i32::MAX));
        let longest = self.longest.as_secs_f64();
        let pause = (self.delay.as_secs_f64() * factor).min(longest);
        // Where the factor is beyond numbers the product of it and no delay is none.
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
