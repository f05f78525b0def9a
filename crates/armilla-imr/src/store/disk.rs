//! The file of a store: a redb database with a table of definitions and a table of runs, each as
//! JSON under the name of the server.

use super::{StoreError, decode_definition};
use crate::model::{Definition, RunRecord};
use redb::{
    Database, DatabaseError, Durability, ReadableDatabase, ReadableTable, StorageError,
    TableDefinition, WriteTransaction,
};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The name of the file in the directory.
const FILE: &str = "imr.redb";

const DEFINITIONS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("definitions");
const RUNS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("runs");
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

/// The version of the format.
const FORMAT: &str = "format";
const THIS_FORMAT: u64 = 1;

/// The memory that redb may use for pages, in octets.
const CACHE: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct Disk {
    database: Database,
    path: PathBuf,
}

impl Disk {
    /// Opens or makes the file.
    pub(super) fn open(directory: &Path) -> Result<Self, StoreError> {
        let failed =
            |error| StoreError::new(directory, format!("cannot be made or written: {error}"));
        fs::create_dir_all(directory).map_err(failed)?;
        let path = directory.join(FILE);
        // redb checks pages when it opens a file that was not closed; in a damaged file it may
        // still meet what it takes for impossible.
        let opened = catch_unwind(AssertUnwindSafe(|| Self::open_file(&path)));
        opened.unwrap_or_else(|_| Err(damaged(&path, "the database engine cannot read it")))
    }

    fn open_file(path: &Path) -> Result<Self, StoreError> {
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE);
        let database = builder.create(path).map_err(|error| open_error(path, &error))?;
        let disk = Self { database, path: path.to_owned() };
        let mut format = THIS_FORMAT;
        let prepared = disk.transaction(|transaction| {
            transaction.open_table(DEFINITIONS)?;
            transaction.open_table(RUNS)?;
            let mut numbers = transaction.open_table(NUMBERS)?;
            let found = numbers.get(FORMAT)?.map(|found| found.value());
            format = found.unwrap_or(THIS_FORMAT);
            if found.is_none() {
                numbers.insert(FORMAT, THIS_FORMAT)?;
            }
            Ok(())
        });
        prepared.map_err(|error| disk.error("cannot be read", &error))?;
        match format == THIS_FORMAT {
            true => Ok(disk),
            false => Err(StoreError::new(
                path,
                format!("has format {format}, and this program knows format {THIS_FORMAT}"),
            )),
        }
    }

    /// All definitions, each with its runs.
    pub(super) fn load(&self) -> Result<Vec<(Definition, Vec<RunRecord>)>, StoreError> {
        let mut kept = Vec::new();
        for (name, octets) in self.rows().map_err(|error| self.error("cannot be read", &error))? {
            let row = |why| damaged(&self.path, &format!("the server {name:?}: {why}"));
            let definition = decode_definition(&octets.0).map_err(row)?;
            if definition.name != name {
                return Err(row(format!("its definition is that of {:?}", definition.name)));
            }
            let runs: Vec<RunRecord> = match &*octets.1 {
                [] => Vec::new(),
                text => serde_json::from_slice(text).map_err(|error| row(error.to_string()))?,
            };
            kept.push((definition, runs));
        }
        Ok(kept)
    }

    /// The definitions and runs as octets, by the names of servers.
    #[allow(clippy::type_complexity)]
    fn rows(&self) -> Result<Vec<(String, (Vec<u8>, Vec<u8>))>, redb::Error> {
        let transaction = self.database.begin_read()?;
        let definitions = transaction.open_table(DEFINITIONS)?;
        let runs = transaction.open_table(RUNS)?;
        let mut rows = Vec::new();
        for row in definitions.iter()? {
            let (name, definition) = row?;
            let running = runs.get(name.value())?.map(|runs| runs.value().to_vec());
            let octets = (definition.value().to_vec(), running.unwrap_or_default());
            rows.push((name.value().to_owned(), octets));
        }
        Ok(rows)
    }

    pub(super) fn put(&self, definition: &Definition) -> Result<(), StoreError> {
        let octets = self.encode(definition)?;
        self.write(|transaction| {
            let mut definitions = transaction.open_table(DEFINITIONS)?;
            definitions.insert(definition.name.as_str(), octets.as_slice())?;
            Ok(())
        })
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.open_table(DEFINITIONS)?.remove(name)?;
            transaction.open_table(RUNS)?.remove(name)?;
            Ok(())
        })
    }

    pub(super) fn set_runs(&self, name: &str, runs: &[RunRecord]) -> Result<(), StoreError> {
        let octets = self.encode(&runs)?;
        self.write(|transaction| {
            let mut table = transaction.open_table(RUNS)?;
            match runs {
                [] => drop(table.remove(name)?),
                _ => drop(table.insert(name, octets.as_slice())?),
            }
            Ok(())
        })
    }

    fn encode(&self, value: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
        let failed = |error| StoreError::new(&self.path, format!("cannot be written: {error}"));
        serde_json::to_vec(value).map_err(failed)
    }

    fn write(
        &self,
        write: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
    ) -> Result<(), StoreError> {
        self.transaction(write).map_err(|error| self.error("cannot be written", &error))
    }

    fn transaction(
        &self,
        write: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
    ) -> Result<(), redb::Error> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(Durability::Immediate)?;
        // After a crash the file is then opened without a walk through all of it.
        transaction.set_quick_repair(true);
        write(&transaction)?;
        Ok(transaction.commit()?)
    }

    fn error(&self, what: &str, error: &redb::Error) -> StoreError {
        match error {
            redb::Error::Corrupted(why) => damaged(&self.path, why),
            error => StoreError::new(&self.path, format!("{what}: {error}")),
        }
    }
}

fn open_error(path: &Path, error: &DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::new(
            path,
            "is held by another implementation repository: stop it, or choose another directory",
        ),
        DatabaseError::Storage(StorageError::Corrupted(why)) => damaged(path, why),
        error => StoreError::new(path, format!("cannot be opened: {error}")),
    }
}

fn damaged(path: &Path, why: &str) -> StoreError {
    StoreError::new(
        path,
        format!(
            "is damaged: {why}. Nothing of it is used; put a copy of the file in its place, or \
             move it away and add the servers from an export"
        ),
    )
}
