//! The file of a store: a redb database that opens whole or not at all.

use crate::StoreError;
use crate::state::{self, LastCommit};
use redb::{
    Builder, Database, DatabaseError, Durability, ReadTransaction, ReadableDatabase, ReadableTable,
    StorageError, TableDefinition, TableHandle, WriteTransaction,
};
use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

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

/// How long a file that could not be written is left alone before it is opened again.
const REST: Duration = Duration::from_secs(1);

/// An open file. One process at a time can open it. A file that could not be written, because the
/// disk was full or had failed, is opened again by a later write.
pub struct File {
    engine: RwLock<Engine>,
    path: PathBuf,
    format: &'static Format,
}

/// The database of a file.
struct Engine {
    /// `None` while the file cannot be opened again.
    database: Option<Database>,
    /// How many commits the file has counted, as far as writers were told.
    commits: AtomicU64,
    /// When the file could not be written or opened: the engine refuses every write then.
    failed: Option<Instant>,
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
        let database = builder(format).create(path);
        let database = database.map_err(|error| open_error(path, format, &error))?;
        let engine = Engine { database: Some(database), commits: AtomicU64::new(0), failed: None };
        let file = Self { engine: RwLock::new(engine), path: path.to_owned(), format };
        let (mut version, mut commits) = (format.version, 0);
        let prepared = file.engine().transaction(|transaction| {
            (format.make)(transaction)?;
            let mut numbers = transaction.open_table(NUMBERS)?;
            commits = state::commits(&numbers)?;
            let found = numbers.get(FORMAT)?.map(|found| found.value());
            version = found.unwrap_or(format.version);
            if found.is_none() {
                numbers.insert(FORMAT, format.version)?;
            }
            Ok(())
        });
        prepared.map_err(|error| file.error("cannot be read", &error))?;
        file.engine().commits.store(commits, Ordering::Relaxed);
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
        let compacted = match &mut self.engine_mut().database {
            Some(database) => database.compact().map(drop).map_err(EngineError::from),
            None => Ok(()),
        };
        compacted.map_err(|error| self.error("cannot be compacted", &error))
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
        let transaction = self.read().map_err(failed)?;
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
        self.recover()?;
        let engine = self.engine();
        let written = catch_unwind(AssertUnwindSafe(|| {
            engine.transaction(|transaction| {
                change(transaction)?;
                state::count(&mut transaction.open_table(NUMBERS)?)
            })
        }));
        if let Ok(Ok(())) = written {
            engine.commits.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        drop(engine);
        self.engine_mut().failed = Some(Instant::now());
        match written {
            Ok(written) => written.map_err(|error| self.error("cannot be written", &error)),
            Err(_) => Err(self.damaged(&"the database engine cannot change it")),
        }
    }

    /// Opens the file again if it could not be written before.
    ///
    /// # Errors
    /// It still cannot be opened, or has other contents than writers were told.
    fn recover(&self) -> Result<(), StoreError> {
        if self.engine().failed.is_none() {
            return Ok(());
        }
        let mut engine = self.engine_mut();
        let Some(failed) = engine.failed else { return Ok(()) };
        if failed.elapsed() < REST {
            let what = "could not be written, and will be tried again in a second";
            return Err(StoreError::new(&self.path, what));
        }
        engine.failed = Some(Instant::now());
        // The file is held until this is dropped.
        engine.database = None;
        let commits = engine.commits.load(Ordering::Relaxed);
        let reopened = catch_unwind(AssertUnwindSafe(|| self.reopen(commits)));
        let engine_fails =
            || damaged(&self.path, self.format, "the database engine cannot read it");
        engine.database = Some(reopened.unwrap_or_else(|_| Err(engine_fails()))?);
        engine.failed = None;
        tracing::info!(path = %self.path.display(), "the store can be written again");
        Ok(())
    }

    /// The database, if its last commit is the last one that was told.
    fn reopen(&self, commits: u64) -> Result<Database, StoreError> {
        let database = builder(self.format).open(&self.path);
        let database = database.map_err(|error| open_error(&self.path, self.format, &error))?;
        let read = || {
            let transaction = database.begin_read()?;
            state::commits(&transaction.open_table(NUMBERS)?)
        };
        let found = read().map_err(|error: EngineError| {
            StoreError::new(&self.path, format!("cannot be read: {error}"))
        })?;
        match found == commits {
            true => Ok(database),
            // The change that failed was written all the same.
            false => Err(StoreError::new(
                &self.path,
                format!(
                    "has another state than the {} in memory, commit {found} and not {commits}, \
                     because a write failed: restart the {}",
                    self.format.service, self.format.service
                ),
            )),
        }
    }

    fn engine(&self) -> RwLockReadGuard<'_, Engine> {
        self.engine.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn engine_mut(&self) -> RwLockWriteGuard<'_, Engine> {
        self.engine.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> Result<ReadTransaction, EngineError> {
        let engine = self.engine();
        let database = engine.database.as_ref().ok_or(EngineError::DatabaseClosed)?;
        Ok(database.begin_read()?)
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
            let transaction = self.read().ok()?;
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

impl Engine {
    fn transaction(
        &self,
        write: impl FnOnce(&Transaction) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let database = self.database.as_ref().ok_or(EngineError::DatabaseClosed)?;
        let mut transaction = database.begin_write()?;
        transaction.set_durability(Durability::Immediate)?;
        // So a commit waits for the disk once, not twice. The file is walked through when it is
        // opened after a crash: a second for a million bindings.
        transaction.set_quick_repair(false);
        write(&transaction)?;
        Ok(transaction.commit()?)
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("path", &self.path).finish_non_exhaustive()
    }
}

fn builder(format: &Format) -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(format.cache);
    builder
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
