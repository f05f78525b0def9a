//! The naming service: names for objects, kept and served (Naming Service 1.3).
//!
//! A [`NamingService`] runs in an ORB of any program; `armilla naming serve` is such a program. Its
//! contexts are in a [`Store`], in memory or on the disk. Clients of any vendor reach it at
//! `corbaloc::HOST:PORT/NameService`. [`model`] has the contexts as plain data.
//!
//! [`client`] walks and copies the names of any vendor's service.
//!
//! What only some programs need is a feature: `disk` for a store on the disk, `server` for what
//! `armilla naming serve` is made of, with a web page, `transactions` for names that change with
//! transactions.

#![forbid(unsafe_code)]

pub mod access;
pub mod client;
pub mod model;
mod servant;
#[cfg(feature = "server")]
pub mod server;
mod store;

pub use servant::{ForeignLimits, IteratorLimits, NamingService, NamingServiceBuilder, Status};
#[cfg(feature = "etcd")]
pub use store::ClusterUser;
#[cfg(feature = "disk")]
pub use store::Saved;
#[cfg(any(feature = "disk", feature = "etcd"))]
#[doc(hidden)]
pub use store::check_record;
pub use store::{ChangeError, Recovered, Store, StoreError, Subscription};
