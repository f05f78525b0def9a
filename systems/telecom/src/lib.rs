//! Call details and alarms of a telephone network: 10,000 elements, each an object, served by one
//! servant. `service.rs` puts the objects together, `network.rs` is the network without an ORB.

#![forbid(unsafe_code)]

pub mod iterators;
pub mod network;
pub mod observers;
pub mod records;
pub mod service;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("telecom");
}

pub use idl::telecom;
