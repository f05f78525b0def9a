//! Clients that are gone without a word: nothing is left of them.
//!
//! Who has given a reference is asked, now and then, and when its place is needed. Who has given
//! none cannot be asked: a pull consumer that has called nothing for long is gone, and when a place
//! is needed, whoever has called nothing for longest makes room.

use crate::farewell::{Ending, in_parallel};
use crate::options::ChannelLimits;
use crate::presence::{Asked, Presence};
use armilla_ipc::real_time::monotonic_now;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tracing::{info, warn};

/// What a client is to a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A consumer that is pushed to.
    PushConsumer,
    /// A consumer that pulls, since it has a proxy.
    PullConsumer,
    Supplier,
    /// It has a proxy, and has not connected.
    Unconnected,
}

impl Role {
    /// Whether it holds something that must not be kept for nobody, as a queue: who of this role has
    /// given no reference is dropped once it was idle for long.
    const fn holds_much(self) -> bool {
        matches!(self, Self::PullConsumer | Self::Unconnected)
    }
}

/// A client that may be gone.
pub(crate) struct Candidate {
    pub(crate) role: Role,
    pub(crate) presence: Arc<Presence>,
    /// Drops it.
    pub(crate) forget: Ending,
}

/// Ends the thread that sweeps.
#[derive(Debug, Default)]
pub(crate) struct Sweeper(Arc<(Mutex<bool>, Condvar)>);

impl Drop for Sweeper {
    fn drop(&mut self) {
        self.end();
    }
}

impl Sweeper {
    pub(crate) fn end(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    /// Does `sweep` now and then, in a thread of its own, until that returns `false` or this ends.
    pub(crate) fn start(&self, period: Duration, sweep: impl Fn() -> bool + Send + 'static) {
        let ended = self.0.clone();
        let work = move || keep_sweeping(&ended, period, sweep);
        if let Err(error) = thread::Builder::new().name("event-sweep".into()).spawn(work) {
            warn!("clients of events that are gone make room only when it is needed: {error}");
        }
    }
}

fn keep_sweeping(ended: &(Mutex<bool>, Condvar), period: Duration, sweep: impl Fn() -> bool) {
    loop {
        let state = ended.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = ended.1.wait_timeout_while(state, period, |ended| !*ended);
        if *waited.unwrap_or_else(PoisonError::into_inner).0 {
            return;
        }
        if !sweep() {
            return;
        }
    }
}

/// Drops the clients that are gone.
pub(crate) fn sweep(candidates: Vec<Candidate>, limits: ChannelLimits) {
    let mut asks = Vec::<Ending>::new();
    for candidate in candidates {
        let Some(idle) = candidate.presence.idle() else { continue };
        if !candidate.presence.has_reference() {
            if candidate.role.holds_much() && idle >= limits.idle {
                drop_client(&candidate, "has called nothing for long");
            }
        } else if idle >= limits.probe {
            asks.push(Box::new(move || {
                if candidate.presence.is_gone(limits.delivery) {
                    drop_client(&candidate, "is gone");
                }
            }));
        }
    }
    // Those that are not asked in time are asked the next time.
    in_parallel(&asks, limits.probe.max(limits.delivery));
}

/// Makes room for one more client, if one of these is gone. Asks for as long as a call of a
/// consumer may take.
pub(crate) fn make_room(candidates: Vec<Candidate>, limits: ChannelLimits) -> bool {
    let candidates = candidates.into_iter();
    let mut idle: Vec<_> = candidates.filter_map(|it| Some((it.presence.idle()?, it))).collect();
    idle.sort_by_key(|(idle, _)| std::cmp::Reverse(*idle));
    let end = monotonic_now().saturating_add(limits.delivery);
    let is_gone = |presence: &Presence| {
        let left = end.saturating_sub(monotonic_now());
        presence.has_reference()
            && !left.is_zero()
            && matches!(presence.ask(left), Asked::Gone | Asked::Unreached)
    };
    if let Some((_, gone)) = idle.iter().find(|(_, it)| is_gone(&it.presence)) {
        drop_client(gone, "is gone, and its place is needed");
        return true;
    }
    let cannot_be_asked = |(_, it): &&(Duration, Candidate)| !it.presence.has_reference();
    match idle.iter().find(cannot_be_asked) {
        Some((time, longest)) if *time >= limits.idle_if_full => {
            drop_client(longest, "was idle for longest, and its place is needed");
            true
        }
        _ => false,
    }
}

fn drop_client(candidate: &Candidate, why: &str) {
    info!(role = ?candidate.role, "a client of an event channel {why}");
    (candidate.forget)();
}
