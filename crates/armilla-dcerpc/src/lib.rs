//! DCE/RPC over connections, as pure state machines.
//!
//! [`client`] and [`server`] are the two ends of a connection, and [`management`] and
//! [`endpoint_mapper`] the interfaces that every client expects. The feature `driver` adds clients
//! and servers over TCP.
//!
//! [`pdu`] has the protocol data units, [`ndr`] the values in them, and [`security`] says who calls and
//! that nobody changes or reads it.
//!
//! Nothing here touches a socket, a thread or a clock. Nothing that a peer sends is trusted: no
//! input panics, memory grows only with the octets that arrive, and time is linear in them.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "driver")]
extern crate std;

// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod client;
mod connection;
mod cursor;
#[cfg(feature = "driver")]
pub mod driver;
pub mod endpoint_mapper;
mod fault;
pub mod management;
pub mod ndr;
mod order;
pub mod pdu;
pub mod security;
pub mod server;
mod uuid;

pub use fault::Status;
pub use order::ByteOrder;
pub use uuid::{ParseUuidError, SyntaxId, Uuid};
