//! Custom marshalling: series whose neighbours differ little are sent as differences. `packed.rs`
//! has both sides; the server and the client are in `src/bin`.

#![forbid(unsafe_code)]

mod packed;

pub use packed::{PACKED, Unpack, install};

armilla::include_idl!("samples");
