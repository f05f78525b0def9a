//! What a thread tells those below and above it in its own call stack: that it is about to wait
//! ([`BlockingScope`]), and how long it may ([`wait_limit`]).
//!
//! Client calls and gates of POAs wait; the server's worker threads hear of it by the hooks that
//! they set.

mod blocking;
pub(crate) mod wait_limit;

pub(crate) use blocking::{BlockingHooks, BlockingScope, set_blocking_hooks};
