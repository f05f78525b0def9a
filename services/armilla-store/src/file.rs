//! The file of a store: a redb database that opens whole or not at all.

use crate::StoreError;
use crate::disk::{self, StoreLock};
use crate::engine::{Engine, EngineError, Transaction};
use crate::format::{Format, NUMBERS, damaged, lock, no_file};
use crate::state::{self, LastCommit};
use redb::{ReadTransaction, ReadableTable, TableDefinition, TableHandle};
use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// A file so many times as large as its contents is compacted when it is opened,
const WASTEFUL: u64 = 4;

/// unless it is smaller than this, in octets.
const SMALL: u64 = 32 << 20;

/// Written to see whether the file can be written.
const PROBES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("probes");

/// How much is written to see whether a disk has room again, in octets.
const LARGE_PROBE: usize = 1 << 20;

/// How long a file that could not be written is left alone before it is opened again.
const REST: Duration = Duration::from_secs(1);

/// An open file. One process at a time can open it. A file that could not be written, because the
/// disk was full or had failed, is written again by a later change; if the disk may have lost what
/// it had taken, the contents go into a new file first.
pub struct File {
    engine: RwLock<Engine>,
    /// Held by who writes: what a failure means depends on there being one writer.
    writer: Mutex<()>,
    path: PathBuf,
    format: &'static Format,
    _lock: StoreLock,
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
        let made = disk::make_directory(directory);
        made.map_err(|error| no_file(directory, "cannot be made", &error))?;
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
        let lock = lock(path, format)?;
        let is_there = path.try_exists();
        let engine = match is_there.map_err(|error| no_file(path, "cannot be opened", &error))? {
            true => Engine::open(path, format),
            false => Engine::create(path, format),
        }?;
        let (engine, writer) = (RwLock::new(engine), Mutex::new(()));
        Ok(Self { engine, writer, path: path.to_owned(), format, _lock: lock })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why the last commit of the file was dropped when it was opened; `None` if it was not. The
    /// process before has ended while it wrote that commit, or the file was damaged since.
    pub fn dropped(&self) -> Option<String> {
        self.engine().dropped.clone()
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
        let compacted = self.engine_mut().compact();
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

    /// Whether there is a table: those that a later version of the service makes when it needs them.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn has<K: redb::Key + 'static, V: redb::Value + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
    ) -> Result<bool, StoreError> {
        let failed = |error: EngineError| self.error("cannot be read", &error);
        let transaction = self.read().map_err(failed)?;
        match transaction.open_table(table) {
            Ok(_) => Ok(true),
            Err(redb::TableError::TableDoesNotExist(_)) => Ok(false),
            Err(error) => Err(failed(error.into())),
        }
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
    /// The file cannot be written, or was moved or removed; nothing was changed. If the error
    /// [is undecided](StoreError::is_undecided), the change may be there should the process end
    /// before the file is written again.
    pub fn write(
        &self,
        change: impl FnOnce(&Transaction) -> Result<(), EngineError>,
    ) -> Result<(), StoreError> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.recover()?;
        self.check_place()?;
        let written = catch_unwind(AssertUnwindSafe(|| {
            self.engine().transaction(|transaction| {
                change(transaction)?;
                state::count(&mut transaction.open_table(NUMBERS)?)
            })
        }));
        if let Ok(Ok(())) = written {
            self.engine_mut().commits += 1;
            return Ok(());
        }
        let is_undone = self.engine_mut().fail();
        let error = match written {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => self.error("cannot be written", &error),
            Err(_) => self.damaged(&"the database engine cannot change it"),
        };
        Err(if is_undone { error } else { error.undecided() })
    }

    /// Whether the file can be written: it writes and removes a record, larger if the last change
    /// failed, as when the disk was full.
    ///
    /// # Errors
    /// It cannot be written; the text says why.
    pub fn check(&self) -> Result<(), StoreError> {
        let size = if self.engine().failed.is_some() { LARGE_PROBE } else { 1 };
        let probe = vec![0; size];
        self.write(|transaction| {
            transaction.open_table(PROBES)?.insert(0, probe.as_slice())?;
            Ok(())
        })?;
        self.write(|transaction| {
            transaction.open_table(PROBES)?.remove(0)?;
            Ok(())
        })
    }

    /// Fails if the file was moved, removed or replaced while it is open: what is written then is not
    /// there when the next process opens it.
    fn check_place(&self) -> Result<(), StoreError> {
        match self.engine().is_at(&self.path) {
            true => Ok(()),
            false => Err(StoreError::new(
                &self.path,
                format!(
                    "was moved, removed or replaced while it is open, so nothing is written: put it \
                     back, or end this process and start it again with what is to be served; the \
                     open file is among those of /proc/{}/fd",
                    std::process::id()
                ),
            )),
        }
    }

    /// Opens the file again if it could not be written before.
    ///
    /// # Errors
    /// It still cannot be opened, or has other contents than writers were told.
    fn recover(&self) -> Result<(), StoreError> {
        let Some(failed) = self.engine().failed else { return Ok(()) };
        if failed.elapsed() < disk::rest(&self.path, REST) {
            let what = "could not be written, and will be tried again in a second";
            return Err(StoreError::new(&self.path, what));
        }
        self.engine_mut().reopen(&self.path, self.format)?;
        tracing::info!(path = %self.path.display(), "the store can be written again");
        Ok(())
    }

    fn engine(&self) -> RwLockReadGuard<'_, Engine> {
        self.engine.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn engine_mut(&self) -> RwLockWriteGuard<'_, Engine> {
        self.engine.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> Result<ReadTransaction, EngineError> {
        self.engine().read()
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

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("path", &self.path).finish_non_exhaustive()
    }
}
