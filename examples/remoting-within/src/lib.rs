//! Marshalling of one's own: series whose neighbours differ little travel as differences. `packed.rs`
//! has both sides of it; the server and the client are in `src/bin`.

#![forbid(unsafe_code)]

mod packed;

pub use packed::{PACKED, Unpack, install};

armilla::include_idl!("samples");
