//! What the stores of Armilla's services share.
//!
//! A service has its contents in memory, and each change on the disk before it is acknowledged.
//! [`GroupCommit`] lets the changes of many threads share one write. A [`StoreError`] says what
//! failed where, and what to do. [`Pending`] has what transactions will change. [`disk`] is where all stores reach the disk. With the feature
//! `disk` there is `File`: a database that opens whole or not at all; `Salvage` reads what is left of one
//! that is damaged. With the feature `faults`,
//! tests let the disk fail.
//!
//! What the contents are, and which octets stand for them, is the service's own.

#![forbid(unsafe_code)]

mod check;
mod checksum;
pub mod disk;
#[cfg(feature = "disk")]
mod engine;
mod error;
#[cfg(feature = "faults")]
pub mod faults;
#[cfg(feature = "disk")]
mod file;
#[cfg(feature = "disk")]
mod format;
mod group_commit;
#[cfg(feature = "disk")]
mod pages;
mod pending;
#[cfg(feature = "disk")]
mod raw;
#[cfg(feature = "disk")]
mod recover;
mod recovered;
#[cfg(feature = "disk")]
mod salvage;
mod savepoints;
#[cfg(feature = "disk")]
mod state;

pub use check::WriteCheck;
pub use checksum::checksum;
#[cfg(feature = "disk")]
pub use engine::{EngineError, Transaction};
pub use error::StoreError;
#[cfg(feature = "disk")]
pub use file::File;
#[cfg(feature = "disk")]
pub use format::Format;
pub use group_commit::{CommitError, GroupCommit, Persist, Ticket, Undo};
pub use pending::Pending;
pub use recovered::Recovered;
/// The types with which a service describes and changes its tables.
#[cfg(feature = "disk")]
pub use redb::{ReadableTable, TableDefinition};
#[cfg(feature = "disk")]
pub use salvage::{Readable, Salvage};
pub use savepoints::{InTheWay, Savepoints};

/// The locks of group commit; its model has others.
mod sync {
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
}
