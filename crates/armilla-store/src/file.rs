//! The file of a store: a redb database that opens whole or not at all.

use crate::StoreError;
use crate::state::{self, LastCommit};
use redb::{
    Database, DatabaseError, Durability, ReadableDatabase, ReadableTable, StorageError,
    TableDefinition, TableHandle, WriteTransaction,
};
use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// A change of several tables, all or nothing.
pub type Transaction = WriteTransaction;

/// An error of the database engine.
pub type EngineError = redb::Error;

/// Numbers by name: those of the file itself, and those of the service.
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

/// The version of the format.
const FORMAT: &str = "format";

/// A file so many times as large as its contents is compacted when it is opened,
const WASTEFUL: u64 = 4;

/// unless it is smaller than this, in octets.
const SMALL: u64 = 32 << 20;

/// What a service has in its file.
#[derive(Debug)]
pub struct Format {
    /// The name of the file in its directory.
    pub file: &'static str,
    /// The version of the format.
    pub version: u64,
    /// What holds the file, as in "naming service".
    pub service: &'static str,
    /// Where the contents may come from if the file is lost, to go on with "move it away and".
    pub otherwise: &'static str,
    /// The memory that the engine may use for pages, in octets. The contents are in memory, so
    /// pages are needed for writing only.
    pub cache: usize,
    /// Makes the tables of the service. That of numbers is there already.
    pub make: fn(&Transaction) -> Result<(), EngineError>,
}

/// An open file. One process at a time can open it.
pub struct File {
    database: Database,
    path: PathBuf,
    format: &'static Format,
}

impl File {
    /// Opens or makes the file in a directory, which is made if it is missing, and lets `load` read
    /// it. If the file is damaged, none of it is used.
    ///
    /// # Errors
    /// The file cannot be made, read or written, another process holds it, it has another format,
    /// or it is damaged: then the text says which record is, what is whole, and what to do.
    pub fn open<T>(
        directory: &Path,
        format: &'static Format,
        load: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<(Self, T), StoreError> {
        let failed =
            |error| StoreError::new(directory, format!("cannot be made or written: {error}"));
        fs::create_dir_all(directory).map_err(failed)?;
        let path = directory.join(format.file);
        // redb checks pages when it opens a file that was not closed; in a damaged file it may
        // still meet what it takes for impossible.
        let opened = catch_unwind(AssertUnwindSafe(|| {
            let mut file = Self::open_file(&path, format)?;
            let loaded = load(&mut file)?;
            Ok((file, loaded))
        }));
        opened.unwrap_or_else(|_| Err(damaged(&path, format, "the database engine cannot read it")))
    }

    fn open_file(path: &Path, format: &'static Format) -> Result<Self, StoreError> {
        let mut builder = Database::builder();
        builder.set_cache_size(format.cache);
        let database = builder.create(path).map_err(|error| open_error(path, format, &error))?;
        let file = Self { database, path: path.to_owned(), format };
        let mut version = format.version;
        let prepared = file.transaction(|transaction| {
            (format.make)(transaction)?;
            let mut numbers = transaction.open_table(NUMBERS)?;
            let found = numbers.get(FORMAT)?.map(|found| found.value());
            version = found.unwrap_or(format.version);
            if found.is_none() {
                numbers.insert(FORMAT, format.version)?;
            }
            Ok(())
        });
        prepared.map_err(|error| file.error("cannot be read", &error))?;
        match version == format.version {
            true => Ok(file),
            false => Err(StoreError::new(
                path,
                format!(
                    "has format {version}, and this program knows format {}: use the program that \
                     wrote it",
                    format.version
                ),
            )),
        }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file smaller if it is much larger than its contents, given in octets.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn compact(&mut self, contents: u64) -> Result<(), StoreError> {
        let size = fs::metadata(&self.path).map_or(0, |file| file.len());
        if size < contents.saturating_mul(WASTEFUL) + SMALL {
            return Ok(());
        }
        tracing::info!(size, contents, "the store is being compacted");
        let compacted = self.database.compact();
        compacted.map(drop).map_err(|error| self.error("cannot be compacted", &error.into()))
    }

    /// Hands over the rows of a table, in the order of their keys. What `take` refuses is damage.
    ///
    /// # Errors
    /// The table cannot be read, or is damaged: the text has the number of the record, the key of
    /// the one before it, and where in the file its octets are.
    pub fn rows<K: redb::Key + 'static, V: redb::Value + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
        mut take: impl for<'r> FnMut(K::SelfType<'r>, V::SelfType<'r>) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        let failed = |error: EngineError| self.error("cannot be read", &error);
        let transaction = self.database.begin_read().map_err(|error| failed(error.into()))?;
        let name = table.name().to_owned();
        let table = transaction.open_table(table).map_err(|error| failed(error.into()))?;
        let mut before = None;
        for (count, row) in table.iter().map_err(|error| failed(error.into()))?.enumerate() {
            let place = |before: Option<&Vec<u8>>| {
                let before = before.map(|key| format!(", behind {:?}", K::from_bytes(key)));
                format!("record {} of {name:?}{}", count + 1, before.unwrap_or_default())
            };
            let unread = |error| self.damaged_at(&place(before.as_ref()), &error, &[]);
            let (key, value) = row.map_err(unread)?;
            if let Err(why) = take(key.value(), value.value()) {
                let value = value.value();
                let octets = V::as_bytes(&value);
                return Err(self.damaged_at(&place(before.as_ref()), &why, octets.as_ref()));
            }
            let last = before.get_or_insert_with(Vec::new);
            last.clear();
            last.extend_from_slice(K::as_bytes(&key.value()).as_ref());
        }
        Ok(())
    }

    /// A number of the service; 0 if it was never set.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn number(&self, name: &str) -> Result<u64, StoreError> {
        let mut number = 0;
        self.rows(NUMBERS, |found, value| {
            number = if found == name { value } else { number };
            Ok(())
        })?;
        Ok(number)
    }

    /// Changes the contents. They are on the disk when this returns.
    ///
    /// # Errors
    /// The file cannot be written; nothing was changed.
    pub fn write(
        &self,
        change: impl FnOnce(&Transaction) -> Result<(), EngineError>,
    ) -> Result<(), StoreError> {
        let written = catch_unwind(AssertUnwindSafe(|| {
            self.transaction(|transaction| {
                change(transaction)?;
                state::count(&mut transaction.open_table(NUMBERS)?)
            })
        }));
        match written {
            Ok(written) => written.map_err(|error| self.error("cannot be written", &error)),
            Err(_) => Err(self.damaged(&"the database engine cannot change it")),
        }
    }

    fn transaction(
        &self,
        write: impl FnOnce(&Transaction) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(Durability::Immediate)?;
        // So a commit waits for the disk once, not twice. The file is walked through when it is
        // opened after a crash: a second for a million bindings.
        transaction.set_quick_repair(false);
        write(&transaction)?;
        Ok(transaction.commit()?)
    }

    /// The error for contents that do not fit together.
    pub fn damaged(&self, why: &dyn fmt::Display) -> StoreError {
        let last = self.last_commit().map(|last| format!("; {last}")).unwrap_or_default();
        damaged(&self.path, self.format, &format!("{why}{last}"))
    }

    fn damaged_at(&self, record: &str, why: &dyn fmt::Display, octets: &[u8]) -> StoreError {
        let offset = state::offset(&self.path, octets);
        let at = offset.map(|offset| format!(", at octet {offset}")).unwrap_or_default();
        self.damaged(&format_args!("{record}{at}, cannot be read: {why}"))
    }

    /// The last commit; `None` if not even that can be read.
    fn last_commit(&self) -> Option<LastCommit> {
        let read = || {
            let transaction = self.database.begin_read().ok()?;
            state::last(&transaction.open_table(NUMBERS).ok()?)
        };
        catch_unwind(AssertUnwindSafe(read)).ok()?
    }

    fn error(&self, what: &str, error: &EngineError) -> StoreError {
        match error {
            redb::Error::Corrupted(why) => self.damaged(why),
            error => StoreError::new(&self.path, format!("{what}: {error}")),
        }
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("path", &self.path).finish_non_exhaustive()
    }
}

fn open_error(path: &Path, format: &Format, error: &DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::new(
            path,
            format!("is held by another {}: stop it, or choose another directory", format.service),
        ),
        DatabaseError::Storage(StorageError::Corrupted(why)) => damaged(path, format, why),
        error => StoreError::new(path, format!("cannot be opened: {error}")),
    }
}

fn damaged(path: &Path, format: &Format, why: &str) -> StoreError {
    StoreError::new(
        path,
        format!(
            "is damaged: {why}. Nothing of it is used; put a copy of the file in its place, or \
             move it away and {}",
            format.otherwise
        ),
    )
}
