//! Another transport for one object: its calls have a port of their own, beside the one for all.
//! `express.rs` is the transport; the server and the client are in `src/bin`.

#![forbid(unsafe_code)]

mod express;

pub use express::{EXPRESS, Express};

armilla::include_idl!("valve");
