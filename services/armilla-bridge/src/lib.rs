//! Objects of CORBA for programs of COM, and objects of COM for programs of CORBA (CORBA 2.3, 17 to
//! 19).
//!
//! A [`Bridge`] stands between an ORB and a server of DCOM. [`model`] has what it knows without
//! either. With the feature `server` it is a process, `armilla bridge serve`.

#![forbid(unsafe_code)]

mod bridge;
mod counts;
mod factory;
mod ground;
mod interfaces;
pub mod model;
mod number;
mod options;
mod servant;
#[cfg(feature = "server")]
pub mod server;
mod tables;

pub use bridge::Bridge;
pub use counts::Counts;
pub use interfaces::{AUTOMATION, midl};
pub use options::{BridgeError, BridgeOptions, ComClass};

/// The interfaces of COM that the bridge has.
#[allow(missing_docs)]
mod generated {
    armilla::include_idl!("OrbAutomation");
}
