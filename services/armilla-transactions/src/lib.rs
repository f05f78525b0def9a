#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod associations;
mod branches;
mod builder;
mod context;
mod current;
mod engine;
mod error;
mod interceptor;
mod journal;
pub mod model;
mod numbers;
mod policy;
mod resource;
mod servant;
#[cfg(feature = "server")]
pub mod server;
mod shared;
#[cfg(feature = "disk")]
mod store;
mod transaction;
mod transactions;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("CosTransactions");
}

/// The interfaces of the transaction service, generated from `idl/CosTransactions.idl` and
/// `idl/ArmillaTransactions.idl`.
pub mod corba {
    pub use crate::idl::armilla_transactions::*;
    pub use crate::idl::cos_transactions::*;
}

pub use armilla_store::{InTheWay, Savepoints};
pub use branches::{Branches, NotChanged, PendingStore};
pub use builder::{ContextId, TransactionsBuilder};
#[doc(hidden)]
pub use context::check_context;
pub use current::Entered;
pub use error::{CommitError, DecideError, RunError};
pub use journal::{Journal, MemoryJournal};
pub use policy::{NonTxTargetPolicy, OtsPolicy};
pub use resource::{Resource, ResourceError, ResourceManager, Synchronization};
#[cfg(feature = "disk")]
pub use store::DiskJournal;
pub use transaction::{Scoped, Transaction};
pub use transactions::Transactions;
