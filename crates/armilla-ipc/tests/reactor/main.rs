//! The reactor: its handlers, timers and threads, and connecting within it.

mod connecting;
mod handlers;
mod pool;
mod probe;
mod resource_exhaustion;

#[path = "../../../../tests/src/alone.rs"]
#[allow(dead_code, unreachable_pub)]
mod alone;
#[cfg(feature = "zero-copy")]
#[path = "../transports/conformance/mod.rs"]
#[allow(unused_imports, unused_macros)]
mod conformance;
#[path = "../transports/signals.rs"]
mod signals;
