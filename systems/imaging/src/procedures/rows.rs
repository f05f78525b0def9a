//! The file of entries, steps and commitments: a row for each.

use super::{Commitment, Entry, State, Step};
use crate::store::StoreError;
use armilla_store::{File, Format, TableDefinition};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

type Definition = TableDefinition<'static, &'static str, &'static [u8]>;

const ENTRIES: Definition = TableDefinition::new("worklist");
const STEPS: Definition = TableDefinition::new("performed");
const COMMITMENTS: Definition = TableDefinition::new("commitments");

static FORMAT: Format = Format {
    file: "procedures.redb",
    version: 1,
    service: "image server",
    otherwise: "this file alone, and plan again what is to be done: images do not depend on it",
    cache: 4 << 20,
    make: |transaction| {
        for table in [ENTRIES, STEPS, COMMITMENTS] {
            transaction.open_table(table)?;
        }
        Ok(())
    },
};

/// A table.
#[derive(Debug, Clone, Copy)]
pub(super) enum Table {
    Entries,
    Steps,
    Commitments,
}

impl Table {
    const fn definition(self) -> Definition {
        match self {
            Self::Entries => ENTRIES,
            Self::Steps => STEPS,
            Self::Commitments => COMMITMENTS,
        }
    }
}

/// A row that comes or goes.
#[derive(Debug)]
pub(super) struct Change {
    table: Table,
    key: String,
    row: Option<Vec<u8>>,
}

impl Change {
    pub(super) fn put(table: Table, key: &str, row: Vec<u8>) -> Self {
        Self { table, key: key.to_owned(), row: Some(row) }
    }

    pub(super) fn remove(table: Table, key: &str) -> Self {
        Self { table, key: key.to_owned(), row: None }
    }
}

/// The open file. What it writes is on the disk.
#[derive(Debug)]
pub(super) struct Rows {
    file: File,
    /// Whether the last change could not be written.
    failed: AtomicBool,
}

impl Rows {
    /// Opens or makes the file in a directory, and reads it.
    pub(super) fn open(directory: &Path) -> Result<(Self, State), StoreError> {
        let opened = File::open(directory, &FORMAT, |file| {
            let (mut state, mut octets) = (State::default(), 0);
            file.rows(ENTRIES, |key, row| {
                octets += (key.len() + row.len()) as u64;
                state.entries.insert(key.to_owned(), Arc::new(Entry::from_row(key, row)?));
                Ok(())
            })?;
            file.rows(STEPS, |key, row| {
                octets += (key.len() + row.len()) as u64;
                state.steps.insert(key.to_owned(), Arc::new(Step::from_row(key, row)?));
                Ok(())
            })?;
            file.rows(COMMITMENTS, |key, row| {
                octets += (key.len() + row.len()) as u64;
                state.commitments.insert(key.to_owned(), Arc::new(Commitment::from_row(row)?));
                Ok(())
            })?;
            file.compact(octets)?;
            Ok(state)
        });
        let (file, state) = opened.map_err(failed)?;
        Ok((Self { file, failed: AtomicBool::new(false) }, state))
    }

    /// Makes all of these changes, or none.
    pub(super) fn write(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        let written = self.file.write(|transaction| {
            for change in &changes {
                let mut table = transaction.open_table(change.table.definition())?;
                match &change.row {
                    Some(row) => table.insert(change.key.as_str(), row.as_slice())?,
                    None => table.remove(change.key.as_str())?,
                };
            }
            Ok(())
        });
        self.failed.store(written.is_err(), Ordering::Release);
        written.map_err(failed)
    }

    /// Whether it can be written. Only after a failure it is tried.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self.failed.load(Ordering::Acquire) {
            true => self.write(Vec::new()),
            false => Ok(()),
        }
    }
}

fn failed(error: armilla_store::StoreError) -> StoreError {
    StoreError::Index(format!("the file of procedures {error}"))
}
