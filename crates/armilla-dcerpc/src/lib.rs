//! DCE/RPC over connections, as pure state machines.
//!
//! [`pdu`] has the protocol data units, [`ndr`] the values in them, and [`security`] says who calls and
//! that nobody changes or reads it.
//!
//! Nothing here touches a socket, a thread or a clock. Nothing that a peer sends is trusted: no
//! input panics, memory grows only with the octets that arrive, and time is linear in them.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod cursor;
mod fault;
pub mod ndr;
mod order;
pub mod pdu;
pub mod security;
mod uuid;

pub use fault::Status;
pub use order::ByteOrder;
pub use uuid::{ParseUuidError, SyntaxId, Uuid};
