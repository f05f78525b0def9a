//! What a thread tells the other functions on its call stack: that it is about to block
//! ([`BlockingScope`]), and how long it may wait ([`wait_limit`]); and how a thread that looks after
//! others sleeps ([`Sleeper`]).
//!
//! Client calls and the gates of POAs wait. The server's worker threads learn of it through the
//! hooks that they install. The threads themselves are in `server`.

mod blocking;
mod sleeper;
pub mod wait_limit;

pub use blocking::blocking;
#[doc(hidden)]
pub use blocking::{BlockingHooks, BlockingScope, set_blocking_hooks};
#[doc(hidden)]
pub use sleeper::Sleeper;
