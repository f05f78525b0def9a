//! What the stores of Armilla's services share.
//!
//! A service has its contents in memory, and each change on the disk before it is acknowledged.
//! [`GroupCommit`] lets the changes of many threads share one write. A [`StoreError`] says what
//! failed where, and what to do. With the feature `disk` there is `File`: a database that opens
//! whole or not at all.
//!
//! What the contents are, and which octets stand for them, is the service's own.

#![forbid(unsafe_code)]

mod checksum;
mod error;
#[cfg(feature = "disk")]
mod file;
mod group_commit;
#[cfg(feature = "disk")]
mod state;

pub use checksum::checksum;
pub use error::StoreError;
#[cfg(feature = "disk")]
pub use file::{EngineError, File, Format, Transaction};
pub use group_commit::{CommitError, GroupCommit, Persist, Ticket, Undo};
/// The types with which a service describes and changes its tables.
#[cfg(feature = "disk")]
pub use redb::{ReadableTable, TableDefinition};
