//! The ground of the Armilla ORB: what describes a call, before there is an ORB to make it.
//!
//! Programs depend on the crate `armilla`, which shows its public items again; the other items
//! here are the ORB's own and change with it.

#![forbid(unsafe_code)]

// The checks of fuzz targets, which are run here, too, know the crate by its name.
#[cfg(test)]
extern crate self as armilla_core;

#[doc(hidden)]
pub mod callbacks;
pub mod concurrency;
pub mod exception;
#[doc(hidden)]
pub mod log;
#[doc(hidden)]
pub mod message_memory;
#[doc(hidden)]
pub mod object_key;
pub mod operations;
#[doc(hidden)]
pub mod panics;
#[doc(hidden)]
pub mod peer;
pub mod policies;
pub mod rt_info;
pub mod settings;
pub mod signature;
#[doc(hidden)]
pub mod sync;
pub mod threads;
pub mod transport;
#[doc(hidden)]
pub mod wire;
