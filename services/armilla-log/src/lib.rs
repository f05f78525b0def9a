//! A durable log.
//!
//! Many threads append records; [`Log::commit`] returns when a record is on the disk, and one wait
//! for the disk serves all who wait. Readers begin at any place and may follow the writers. Old
//! records go when they are acknowledged, too old or too many ([`Retention`]). What was acknowledged
//! is there after a crash, in order; what is damaged is found and named.
//!
//! ```
//! use armilla_log::{Log, Options};
//!
//! # let directory = std::env::temp_dir().join(format!("armilla-log-doc-{}", std::process::id()));
//! # std::fs::remove_dir_all(&directory).ok();
//! let log = Log::open(&directory, Options::default())?;
//! let first = log.append(b"prepared")?;
//! let second = log.append(b"committed")?;
//! log.commit(second)?; // Both are on the disk.
//!
//! let records = log.read_from(first).collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(records[1].data, b"committed");
//! # drop(log);
//! # std::fs::remove_dir_all(&directory).ok();
//! # Ok::<(), armilla_log::LogError>(())
//! ```
//!
//! It knows no ORB, and what the records mean is their owner's.

#![forbid(unsafe_code)]

mod acknowledged;
mod core;
mod damage;
mod error;
pub mod files;
mod group;
mod health;
#[cfg(feature = "simulation")]
pub mod inputs;
mod log;
mod opening;
mod options;
mod position;
mod reader;
mod record;
mod recover;
mod retention;
mod segment;
mod segments;
mod state;
mod storage;
mod survey;
mod walk;
mod writer;

pub use damage::Damage;
pub use error::LogError;
pub use files::Directory;
pub use health::{Health, Room};
pub use log::Log;
pub use opening::{Opened, Torn};
pub use options::{Options, Retention};
pub use position::Position;
pub use reader::{Reader, Record};
pub use recover::{Saved, check, check_files, recover, recover_files};

/// Compiles its examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The locks of group commit; its model has others.
mod sync {
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
}
