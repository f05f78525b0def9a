//! The end of a channel, as its clients are told of it.

use armilla_ipc::real_time::monotonic_now;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tracing::warn;

/// What is done at the end of a connection.
pub(crate) type Ending = Box<dyn Fn() + Send + Sync>;

/// How many threads call clients.
const THREADS: usize = 8;

/// Tells clients of the end of a channel, several at once, because some may be gone. Begins with
/// none after `limit`.
pub(crate) fn say_farewell(farewells: &[Ending], limit: Duration) {
    let untold = in_parallel(farewells, limit);
    if untold > 0 {
        warn!("{untold} clients were not told of the end of an event channel within {limit:?}");
    }
}

/// Does all of this, several at once, because each may wait for a client that is gone. Begins with
/// none after `limit`. Returns how many were not begun.
pub(crate) fn in_parallel(calls: &[Ending], limit: Duration) -> usize {
    let end = monotonic_now().saturating_add(limit);
    let next = AtomicUsize::new(0);
    let work = || {
        while monotonic_now() < end {
            let Some(call) = calls.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            call();
        }
    };
    thread::scope(|scope| {
        for _ in 1..calls.len().min(THREADS) {
            // Without further threads this one does all.
            thread::Builder::new().spawn_scoped(scope, work).ok();
        }
        work();
    });
    calls.len().saturating_sub(next.load(Ordering::Relaxed))
}
