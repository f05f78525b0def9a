//! The end of a channel, as its clients are told of it.

use armilla_ipc::real_time::monotonic_now;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tracing::warn;

/// What is done at the end of a connection.
pub(crate) type Ending = Box<dyn Fn() + Send + Sync>;

/// How many threads tell clients of the end of a channel.
const FAREWELL_THREADS: usize = 8;

/// Tells clients of the end of a channel, several at once, because some may be gone. Begins with
/// none after `limit`.
pub(crate) fn say_farewell(farewells: &[Ending], limit: Duration) {
    let end = monotonic_now().saturating_add(limit);
    let next = AtomicUsize::new(0);
    let work = || {
        while monotonic_now() < end {
            let Some(farewell) = farewells.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            farewell();
        }
    };
    thread::scope(|scope| {
        for _ in 1..farewells.len().min(FAREWELL_THREADS) {
            // Without further threads this one does all.
            thread::Builder::new().spawn_scoped(scope, work).ok();
        }
        work();
    });
    let untold = farewells.len().saturating_sub(next.load(Ordering::Relaxed));
    if untold > 0 {
        warn!("{untold} clients were not told of the end of an event channel within {limit:?}");
    }
}
