//! The thread of a client: closes connections that nobody has used for long, and ends calls that
//! have run out of time.

use super::call_timer::CallTimers;
use super::endpoint::Endpoints;
use crate::log::report;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_ipc::{CoarseInstant, coarse_now};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// Starts the thread that looks after the endpoints of an ORB and ends with them.
pub(crate) fn start(endpoints: &Arc<Endpoints>, call_timers: Arc<CallTimers>, settings: &Settings) {
    let endpoints = Arc::downgrade(endpoints);
    let idle = settings.client_idle;
    let period = (idle / 4).max(Duration::from_millis(10));
    let body = move || {
        while tidy(&endpoints, idle) {
            thread::sleep(call_timers.look().min(period));
        }
    };
    if let Err(error) = thread::Builder::new().name("armilla-idle".into()).spawn(body) {
        report!(error, "no thread to end calls that run out of time", error = error);
    }
}

/// Closes what has been idle for as long as `idle`, and forgets endpoints that no reference leads
/// to. `false` when the ORB is gone.
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

/// The instant that lies `duration` back.
fn before(duration: Duration) -> CoarseInstant {
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    CoarseInstant::from_nanos(coarse_now().as_nanos().saturating_sub(nanos))
}
