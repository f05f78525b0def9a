//! Objects that outlive their servers.
//!
//! Several servers have a copy of one object, and are its *members*. A client has one reference to all
//! of them, an *object group*. The primary executes each request, and tells the backups what it has
//! changed and what it replies, before it replies. When it is gone, a backup takes its place, and the
//! requests of clients go on there: each is executed once, and answered.
//!
//! ```no_run
//! use armilla::{Orb, SystemException};
//! use armilla_replication::{Checkpointable, EtcdRegistry, GroupName, Replica, StateError};
//! use std::sync::Arc;
//! # mod bank {
//! #     pub use ::bank::bank::*;
//! # }
//! # struct Savings;
//! # impl bank::Account for Savings {
//! #     fn balance(&self) -> Result<f64, SystemException> { Ok(0.0) }
//! #     fn deposit(&self, _: f64) -> Result<(), SystemException> { Ok(()) }
//! #     fn withdraw(&self, _: f64)
//! #         -> Result<(), armilla::Error<bank::account::WithdrawRaises>> { Ok(()) }
//! # }
//! impl Checkpointable for Savings {
//!     fn state(&self) -> Result<Vec<u8>, StateError> {
//!         // All that a copy needs.
//! #       Ok(Vec::new())
//!     }
//!     fn set_state(&self, state: &[u8]) -> Result<(), StateError> {
//!         // Take it in the place of what is here.
//! #       let _ = state; Ok(())
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let orb = Orb::builder().listen("iiop://:0")?.build()?;
//! let registry = EtcdRegistry::connect("etcd://10.0.0.1:2379,10.0.0.2:2379", None)?;
//! let savings = Arc::new(Savings);
//! let servant: Arc<dyn bank::Account> = savings.clone();
//! let replica = Replica::builder(GroupName::new("bank", 1), "host-1")
//!     .registry(Arc::new(registry))
//!     .start(&orb, savings, servant)?;
//! replica.wait_ready(std::time::Duration::from_secs(10));
//! println!("{}", replica.reference()?);
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! [`model`] has the rules, without sockets, threads and clocks. The rest lets a member run by them:
//! the registry of views in an etcd cluster, the calls between members, and the thread that keeps
//! watch.

#![forbid(unsafe_code)]

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("ArmillaReplication");
}

mod builder;
mod checkpointable;
mod clock;
#[cfg(feature = "disk")]
mod disk;
mod documents;
mod error;
mod keeper;
mod lessons;
pub mod manager;
mod member_servant;
pub mod model;
mod pace;
mod peers;
mod reference;
mod registry;
mod replica;
mod requests;
mod rounds;
#[cfg(feature = "server")]
pub mod server;
mod shared;

/// What members say to each other, generated from `idl/ArmillaReplication.idl`.
pub mod corba {
    pub use crate::idl::armilla_replication::*;
}

/// What managers of groups and programs say to each other (CORBA 3.0.3, chapter 23), generated from
/// `idl/FT.idl`.
pub mod ft {
    pub use crate::idl::ft::*;
}

/// Reports of faults, and who gets them (Notification Service 1.1).
pub mod notification {
    pub use crate::idl::cos_event_comm::Disconnected;
    pub use crate::idl::cos_notification::*;
    pub use crate::idl::cos_notify_comm::*;
    pub use crate::idl::cos_notify_filter::*;
}

pub use builder::ReplicaBuilder;
pub use checkpointable::{Checkpointable, StateError};
#[cfg(feature = "disk")]
pub use disk::{Saved, recover};
pub use documents::{Document, Documents, EtcdRegistry, MemoryRegistry};
pub use error::ReplicaError;
pub use model::Style;
pub use reference::{GroupName, group_reference};
pub use registry::ViewRegistry;
pub use replica::Replica;

/// Compiles its examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
