//! The database engine of a file: how it is made, opened, and got going again when it has failed.

use crate::StoreError;
use crate::disk::{DiskFile, Placed, Replacement};
use crate::format::{FORMAT, Format, NUMBERS, damaged, held, no_file};
use crate::pages::PagedFile;
use crate::raw::{Verdict, inspect};
use crate::{salvage, state};
use redb::{
    Database, DatabaseError, Durability, ReadTransaction, ReadableDatabase, ReadableTable,
    StorageError, WriteTransaction,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A change of several tables, all or nothing.
pub type Transaction = WriteTransaction;

/// An error of the database engine.
pub type EngineError = redb::Error;

/// The database of a file.
pub(crate) struct Engine {
    /// `None` while the file cannot be opened again.
    database: Option<Database>,
    pages: Arc<PagedFile>,
    /// How many commits the file has counted, as far as writers were told.
    pub(crate) commits: u64,
    /// When the file could not be written or opened: nothing is written then.
    pub(crate) failed: Option<Instant>,
    /// Why the last commit that the file had was dropped when it was opened.
    pub(crate) dropped: Option<String>,
}

impl Engine {
    /// Makes a file: it has its name when it has its tables.
    pub(crate) fn create(path: &Path, format: &'static Format) -> Result<Self, StoreError> {
        let failed = |error| no_file(path, "cannot be made", &error);
        let new = Replacement::begin(path).map_err(failed)?;
        let pages = PagedFile::new(new.file().clone()).map_err(failed)?;
        let (database, _) = open_database(path, format, &pages)?;
        let dropped = None;
        let mut engine =
            Self { database: Some(database), pages, commits: 0, failed: None, dropped };
        engine.prepare(path, format)?;
        let placed = new.place().and_then(|placed| placed.is_durable);
        // Who opens it next finds it not closed, and gives it its name once more.
        placed.inspect_err(|_| engine.close()).map_err(failed)?;
        Ok(engine)
    }

    /// Opens a file that is there.
    pub(crate) fn open(path: &Path, format: &'static Format) -> Result<Self, StoreError> {
        let failed = |error| no_file(path, "cannot be opened", &error);
        let file = DiskFile::open(path).map_err(failed)?;
        let dropped = check(path, format, &file)?;
        let pages = PagedFile::new(file).map_err(failed)?;
        let (database, was_closed) = open_database(path, format, &pages)?;
        let mut engine =
            Self { database: Some(database), pages, commits: 0, failed: None, dropped };
        if !was_closed {
            engine.database = None;
            // The process before may have seen the disk fail.
            engine.pages.doubt();
            engine.renew(path, format)?;
        }
        engine.prepare(path, format)?;
        Ok(engine)
    }

    /// Puts the contents of a file that was not closed into a new one. If the disk has no room for
    /// that, the file can be read, and the next change tries it again.
    fn renew(&mut self, path: &Path, format: &'static Format) -> Result<(), StoreError> {
        match moved(path, format, &self.pages, |_| Ok(())) {
            Ok((database, pages)) => (self.database, self.pages) = (Some(database), pages),
            Err(error) => {
                tracing::warn!(%error, "the store can be read, and not yet be changed");
                self.database = Some(open_database(path, format, &self.pages)?.0);
                self.failed = Some(Instant::now());
            }
        }
        Ok(())
    }

    /// Makes missing tables, and looks at the version and the number of commits.
    fn prepare(&mut self, path: &Path, format: &'static Format) -> Result<(), StoreError> {
        let unread = |error: EngineError| error_of(path, format, "cannot be read", &error);
        if self.failed.is_none() {
            let made = self.transaction(|transaction| {
                (format.make)(transaction)?;
                let mut numbers = transaction.open_table(NUMBERS)?;
                if numbers.get(FORMAT)?.is_none() {
                    numbers.insert(FORMAT, format.version)?;
                }
                Ok(())
            });
            made.map_err(unread)?;
        }
        let read = || {
            let numbers = self.read()?.open_table(NUMBERS)?;
            let version = numbers.get(FORMAT)?.map(|found| found.value());
            Ok((state::commits(&numbers)?, version.unwrap_or(format.version)))
        };
        let (commits, version) = read().map_err(unread)?;
        self.commits = commits;
        match version == format.version {
            true => Ok(()),
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

    /// Whether the file has its name still: otherwise what is written goes with the process.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.pages.is_at(path)
    }

    /// Makes a change. What has failed is to be [taken back](Self::fail).
    pub(crate) fn transaction(
        &self,
        write: impl FnOnce(&Transaction) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let database = self.database.as_ref().ok_or(EngineError::DatabaseClosed)?;
        self.pages.begin();
        let mut transaction = database.begin_write()?;
        transaction.set_durability(Durability::Immediate)?;
        // So a commit waits for the disk once, not twice. The file is walked through when it is
        // opened after a crash: a second for a million bindings.
        transaction.set_quick_repair(false);
        write(&transaction)?;
        transaction.commit()?;
        self.pages.accept();
        Ok(())
    }

    pub(crate) fn read(&self) -> Result<ReadTransaction, EngineError> {
        let database = self.database.as_ref().ok_or(EngineError::DatabaseClosed)?;
        Ok(database.begin_read()?)
    }

    pub(crate) fn compact(&mut self) -> Result<(), EngineError> {
        match &mut self.database {
            Some(database) if self.failed.is_none() => {
                database.compact()?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes back a change that failed. Returns whether it certainly is not on the disk; otherwise
    /// it may be there until the file is opened again.
    pub(crate) fn fail(&mut self) -> bool {
        self.close();
        // So that another process finds it as it was.
        self.pages.put_back().is_ok() && !self.pages.is_doubtful()
    }

    fn close(&mut self) {
        self.pages.retire();
        self.database = None;
        self.failed = Some(Instant::now());
    }

    /// Opens a file that has failed again, or another one with its contents.
    ///
    /// # Errors
    /// It cannot be opened, or does not have the commits that writers were told of.
    pub(crate) fn reopen(
        &mut self,
        path: &Path,
        format: &'static Format,
    ) -> Result<(), StoreError> {
        self.close();
        let opened = catch_unwind(AssertUnwindSafe(|| {
            let is_right =
                |database: &Database| check_commits(database, self.commits, path, format);
            if self.pages.is_doubtful() || self.pages.put_back().is_err() {
                return moved(path, format, &self.pages, is_right);
            }
            let (database, _) = open_database(path, format, &self.pages)?;
            is_right(&database).inspect_err(|_| self.pages.retire())?;
            Ok((database, self.pages.clone()))
        }));
        let engine_fails = || Err(damaged(path, format, "the database engine cannot read it"));
        let (database, pages) = opened.unwrap_or_else(|_| engine_fails())?;
        (self.database, self.pages, self.failed) = (Some(database), pages, None);
        Ok(())
    }
}

/// Looks at all of a file that is to be opened. The engine looks only at one that was not closed,
/// and takes the rest on trust. Returns why the last commit of the file is dropped, if it is.
fn check(path: &Path, format: &Format, file: &DiskFile) -> Result<Option<String>, StoreError> {
    let verdict = inspect(file).map_err(|error| no_file(path, "cannot be read", &error))?;
    let known = || salvage::known(file);
    match verdict {
        Verdict::Whole => Ok(None),
        Verdict::OneCommitBack(why) => {
            let what = format!(
                "the process before has ended while it wrote, or the file is damaged: the last \
                 commit is not whole ({why}) and is dropped{}",
                known()
            );
            tracing::warn!(path = %path.display(), "{what}");
            Ok(Some(what))
        }
        Verdict::Damaged(why) => Err(damaged(path, format, &format!("{why}{}", known()))),
    }
}

/// The database in a file, and whether the process before has closed it.
fn open_database(
    path: &Path,
    format: &Format,
    pages: &Arc<PagedFile>,
) -> Result<(Database, bool), StoreError> {
    let was_closed = Arc::new(AtomicBool::new(true));
    let mut builder = Database::builder();
    builder.set_cache_size(format.cache);
    let repaired = was_closed.clone();
    builder.set_repair_callback(move |_| repaired.store(false, Ordering::Relaxed));
    let database = builder.create_with_backend(pages.backend());
    let database = database.map_err(|error| open_error(path, format, &error))?;
    Ok((database, was_closed.load(Ordering::Relaxed)))
}

/// Puts the last good state of a file into a new one in its place, if that `is_right`. The old one
/// is of no more use then.
fn moved(
    path: &Path,
    format: &Format,
    from: &PagedFile,
    is_right: impl FnOnce(&Database) -> Result<(), StoreError>,
) -> Result<(Database, Arc<PagedFile>), StoreError> {
    let failed = |error| no_file(path, "cannot be written into a new file", &error);
    let new = Replacement::begin(path).map_err(failed)?;
    from.copy_to(new.file()).map_err(failed)?;
    let pages = PagedFile::new(new.file().clone()).map_err(failed)?;
    let (database, _) = open_database(path, format, &pages)?;
    let placed = is_right(&database).and_then(|()| {
        let Placed { is_durable, .. } = new.place().map_err(failed)?;
        is_durable.map_err(failed)
    });
    // Closing it would say that all is well.
    placed.inspect_err(|_| pages.retire())?;
    Ok((database, pages))
}

fn check_commits(
    database: &Database,
    commits: u64,
    path: &Path,
    format: &Format,
) -> Result<(), StoreError> {
    let read = || state::commits(&database.begin_read()?.open_table(NUMBERS)?);
    let found = read().map_err(|error| error_of(path, format, "cannot be read", &error))?;
    match found == commits {
        true => Ok(()),
        // The change that failed was written all the same.
        false => Err(StoreError::new(
            path,
            format!(
                "has another state than the {} in memory, commit {found} and not {commits}, \
                 because a write failed: restart the {}",
                format.service, format.service
            ),
        )),
    }
}

fn open_error(path: &Path, format: &Format, error: &DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => held(path, format),
        DatabaseError::Storage(StorageError::Corrupted(why)) => damaged(path, format, why),
        error => StoreError::new(path, format!("cannot be opened: {error}")),
    }
}

fn error_of(path: &Path, format: &Format, what: &str, error: &EngineError) -> StoreError {
    match error {
        redb::Error::Corrupted(why) => damaged(path, format, why),
        error => StoreError::new(path, format!("{what}: {error}")),
    }
}
