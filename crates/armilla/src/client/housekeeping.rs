//! The housekeeping thread of a client: closes connections that have been idle for long, and
//! expires calls by their [timers](super::call_timer).

use super::call_timer::CallTimers;
use super::endpoint::Endpoints;
use crate::log::report;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_ipc::{CoarseInstant, coarse_now};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// Starts the housekeeping thread of an ORB. It ends when the endpoints are dropped.
pub(crate) fn start(endpoints: &Arc<Endpoints>, call_timers: Arc<CallTimers>, settings: &Settings) {
    let endpoints = Arc::downgrade(endpoints);
    let idle = settings.client_idle;
    let period = (idle / 4).max(Duration::from_millis(10));
    let body = move || {
        while tidy(&endpoints, idle) {
            thread::sleep(call_timers.expire_due().min(period));
        }
    };
    if let Err(error) = thread::Builder::new().name("armilla-idle".into()).spawn(body) {
        report!(error, "cannot start the thread that enforces call timeouts", error = error);
    }
}

/// Closes connections that have been idle for `idle`, and removes endpoints that no reference uses.
/// `false` when the ORB is gone.
fn tidy(endpoints: &Weak<Endpoints>, idle: Duration) -> bool {
    let Some(endpoints) = endpoints.upgrade() else { return false };
    let known: Vec<_> = lock(&endpoints.by_address).values().cloned().collect();
    let limit = before(idle);
    known.iter().for_each(|endpoint| endpoint.close_idle_since(Some(limit)));
    drop(known);
    endpoints.accesses.forget_unused();
    lock(&endpoints.by_address)
        .retain(|_, endpoint| Arc::strong_count(endpoint) > 1 || endpoint.has_idle());
    true
}

/// The instant `duration` ago.
fn before(duration: Duration) -> CoarseInstant {
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    CoarseInstant::from_nanos(coarse_now().as_nanos().saturating_sub(nanos))
}
