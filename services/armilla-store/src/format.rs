//! What a service has in its file, and what is said of a file that is not as it should be.

use crate::StoreError;
use crate::disk::StoreLock;
use redb::{Error as EngineError, TableDefinition, WriteTransaction as Transaction};
use std::io;
use std::path::Path;

/// Numbers by name: those of the file itself, and those of the service.
pub(crate) const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

/// The version of the format.
pub(crate) const FORMAT: &str = "format";

/// What a service has in its file.
#[derive(Debug)]
pub struct Format {
    /// The name of the file in its directory.
    pub file: &'static str,
    /// The version of the format.
    pub version: u64,
    /// What holds the file, as in "naming service".
    pub service: &'static str,
    /// What to do if the file is damaged and there is no copy, to go on with "or".
    pub otherwise: &'static str,
    /// The memory that the engine may use for pages, in octets. The contents are in memory, so
    /// pages are needed for writing only.
    pub cache: usize,
    /// Makes the tables of the service. That of numbers is there already.
    pub make: fn(&Transaction) -> Result<(), EngineError>,
}

pub(crate) fn no_file(path: &Path, what: &str, error: &io::Error) -> StoreError {
    StoreError::new(path, format!("{what}: {error}"))
}

pub(crate) fn held(path: &Path, format: &Format) -> StoreError {
    StoreError::new(
        path,
        format!("is held by another {}: stop it, or choose another directory", format.service),
    )
    .held()
}

pub(crate) fn damaged(path: &Path, format: &Format, why: &str) -> StoreError {
    StoreError::new(
        path,
        format!(
            "is damaged: {why}. Nothing of it is used: put a copy of the file in its place, or {}",
            format.otherwise
        ),
    )
}

/// Takes the lock of a file.
pub(crate) fn lock(path: &Path, format: &Format) -> Result<StoreLock, StoreError> {
    let locked = StoreLock::beside(path);
    let locked =
        locked.map_err(|(lock, error)| no_file(&lock, "cannot be made or locked", &error))?;
    locked.ok_or_else(|| held(path, format))
}
