//! A smart proxy: references say for how long prices hold, and a client that understands it keeps
//! them. `cache.rs` is what stands before the object there; the server and the client are in
//! `src/bin`.

#![forbid(unsafe_code)]

mod cache;

pub use cache::{PRICES_HOLD, install, prices_hold};

armilla::include_idl!("catalogue");
