//! The file of a store: a redb database with a table of contexts and a table of bindings.

use super::codec::{decode, encode};
use super::{Persist, StoreError};
use crate::model::{Bound, Change, ContextId, NameTree, Step};
use redb::{
    Database, DatabaseError, Durability, ReadableDatabase, ReadableTable, StorageError,
    TableDefinition, WriteTransaction,
};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The name of the file in the directory.
const FILE: &str = "names.redb";

/// When each context was created, by its number.
const CONTEXTS: TableDefinition<'_, u64, u32> = TableDefinition::new("contexts");

/// The bindings by context and step, as `codec` writes them.
const BINDINGS: TableDefinition<'_, (u64, &str), &[u8]> = TableDefinition::new("bindings");

/// Single numbers.
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

/// The version of the format.
const FORMAT: &str = "format";
const THIS_FORMAT: u64 = 1;

/// The number of the next context.
const NEXT: &str = "next context";

/// A file so many times as large as its contents is compacted when it is opened,
const WASTEFUL: u64 = 4;

/// unless it is smaller than this, in octets.
const SMALL: u64 = 32 << 20;

/// The number of bindings: more or fewer rows are damage that no checksum of a row shows.
const COUNT: &str = "bindings";

/// The memory that redb may use for pages, in octets. The tree itself is in memory, so pages are
/// needed for writing only.
const CACHE: usize = 64 << 20;

pub(super) struct Disk {
    database: Database,
    path: PathBuf,
    /// The number of bindings in the file.
    count: u64,
}

impl Disk {
    /// Opens or makes the file, and reads the tree.
    pub(super) fn open(directory: &Path) -> Result<(Self, NameTree), StoreError> {
        let failed =
            |error| StoreError::new(directory, format!("cannot be made or written: {error}"));
        fs::create_dir_all(directory).map_err(failed)?;
        let path = directory.join(FILE);
        // redb checks pages when it opens a file that was not closed; in a damaged file it may
        // still meet what it takes for impossible.
        let opened = catch_unwind(AssertUnwindSafe(|| Self::open_file(&path)));
        opened.unwrap_or_else(|_| Err(damaged(&path, "the database engine cannot read it")))
    }

    fn open_file(path: &Path) -> Result<(Self, NameTree), StoreError> {
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE);
        let database = builder.create(path).map_err(|error| open_error(path, &error))?;
        let mut disk = Self { database, path: path.to_owned(), count: 0 };
        disk.prepare()?;
        let mut tree = NameTree::default();
        let octets = disk.load(&mut tree)?;
        disk.count = tree.bindings() as u64;
        disk.compact(octets)?;
        Ok((disk, tree))
    }

    /// Makes the tables, and checks the version.
    fn prepare(&self) -> Result<(), StoreError> {
        let mut format = THIS_FORMAT;
        let prepared = self.transaction(|transaction| {
            transaction.open_table(CONTEXTS)?;
            transaction.open_table(BINDINGS)?;
            let mut numbers = transaction.open_table(NUMBERS)?;
            let found = numbers.get(FORMAT)?.map(|found| found.value());
            format = found.unwrap_or(THIS_FORMAT);
            if found.is_none() {
                numbers.insert(FORMAT, THIS_FORMAT)?;
            }
            Ok(())
        });
        prepared.map_err(|error| self.error("cannot be read", &error))?;
        match format == THIS_FORMAT {
            true => Ok(()),
            false => Err(StoreError::new(
                &self.path,
                format!(
                    "has format {format}, and this program knows format {THIS_FORMAT}: use the \
                     program that wrote it"
                ),
            )),
        }
    }

    /// Makes the file smaller if it is much larger than its contents, `octets`.
    fn compact(&mut self, octets: u64) -> Result<(), StoreError> {
        let size = fs::metadata(&self.path).map_or(0, |file| file.len());
        if size < octets.saturating_mul(WASTEFUL) + SMALL {
            return Ok(());
        }
        tracing::info!(size, octets, "the store is being compacted");
        let compacted = self.database.compact();
        compacted.map(drop).map_err(|error| self.error("cannot be compacted", &error.into()))
    }

    /// Reads the tree, and returns how many octets keys and values have.
    fn load(&self, tree: &mut NameTree) -> Result<u64, StoreError> {
        let failed = |error: &redb::Error| self.error("cannot be read", error);
        let transaction = self.database.begin_read().map_err(|error| failed(&error.into()))?;
        let contexts = transaction.open_table(CONTEXTS).map_err(|error| failed(&error.into()))?;
        let bindings = transaction.open_table(BINDINGS).map_err(|error| failed(&error.into()))?;
        let numbers = transaction.open_table(NUMBERS).map_err(|error| failed(&error.into()))?;
        let mut created = BTreeMap::new();
        for row in contexts.iter().map_err(|error| failed(&error.into()))? {
            let (context, since) = row.map_err(|error| failed(&error.into()))?;
            created.insert(context.value(), since.value());
        }
        created.entry(0).or_insert(0);
        let rows = bindings.iter().map_err(|error| failed(&error.into()))?;
        let (mut pending, mut read): (Vec<(Step, Bound)>, usize) = (Vec::new(), 0);
        let mut octets = 0;
        let mut current = None;
        for row in rows {
            let (key, value) = row.map_err(|error| self.damaged_behind(read, &pending, &error))?;
            let (context, step) = key.value();
            if current != Some(context) {
                finish(tree, &mut created, current, &mut pending);
                current = Some(context);
            }
            octets += (step.len() + value.value().len()) as u64;
            let binding = Step::from_text(step).zip(decode(step, value.value()));
            if binding.is_none() || !created.contains_key(&context) {
                let what = "its checksum is wrong";
                return Err(self.damaged_behind(read, &pending, &what));
            }
            pending.extend(binding);
            read += 1;
        }
        finish(tree, &mut created, current, &mut pending);
        for (context, since) in created {
            tree.load(ContextId(context), since, []);
        }
        let count = numbers.get(COUNT).map_err(|error| failed(&error.into()))?;
        let count = count.map_or(0, |count| count.value());
        if count != read as u64 {
            let why = format!("it has {read} bindings where it should have {count}");
            return Err(damaged(&self.path, &why));
        }
        let next = numbers.get(NEXT).map_err(|error| failed(&error.into()))?;
        tree.reserve_below(next.map_or(0, |next| next.value()));
        Ok(octets)
    }

    /// The error of a file in which a binding cannot be read.
    fn damaged_behind(
        &self,
        read: usize,
        last: &[(Step, Bound)],
        error: &dyn fmt::Display,
    ) -> StoreError {
        let behind = match last.last() {
            Some((step, _)) => format!(", behind {:?}", step.as_str().replace('\0', ".")),
            None => String::new(),
        };
        damaged(&self.path, &format!("binding {}{behind} cannot be read: {error}", read + 1))
    }

    fn error(&self, what: &str, error: &redb::Error) -> StoreError {
        match error {
            redb::Error::Corrupted(why) => damaged(&self.path, why),
            error => StoreError::new(&self.path, format!("{what}: {error}")),
        }
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
}

/// Hands the bindings of a context over to the tree.
fn finish(
    tree: &mut NameTree,
    created: &mut BTreeMap<u64, u32>,
    context: Option<u64>,
    pending: &mut Vec<(Step, Bound)>,
) {
    if let Some(context) = context {
        let since = created.remove(&context).unwrap_or_default();
        tree.load(ContextId(context), since, pending.drain(..));
    }
}

impl Persist for Disk {
    fn commit(&mut self, changes: &[Change], next: u64) -> Result<(), StoreError> {
        let mut count = self.count;
        let written = self.transaction(|transaction| {
            let mut contexts = transaction.open_table(CONTEXTS)?;
            let mut bindings = transaction.open_table(BINDINGS)?;
            for change in changes {
                match change {
                    Change::Create { context, created } => {
                        contexts.insert(context.0, created)?;
                    }
                    Change::Destroy { context } => drop(contexts.remove(context.0)?),
                    Change::Bind { context, step, bound } => {
                        let key = step.as_str();
                        let octets = encode(key, bound);
                        let before = bindings.insert((context.0, key), octets.as_slice())?;
                        count += u64::from(before.is_none());
                    }
                    Change::Unbind { context, step } => {
                        let before = bindings.remove((context.0, step.as_str()))?;
                        count -= u64::from(before.is_some());
                    }
                }
            }
            let mut numbers = transaction.open_table(NUMBERS)?;
            numbers.insert(NEXT, next)?;
            numbers.insert(COUNT, count)?;
            Ok(())
        });
        written.map_err(|error| self.error("cannot be written", &error))?;
        self.count = count;
        Ok(())
    }
}

fn open_error(path: &Path, error: &DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::new(
            path,
            "is held by another naming service: stop it, or choose another directory",
        ),
        DatabaseError::Storage(StorageError::Corrupted(why)) => damaged(path, why),
        error => StoreError::new(path, format!("cannot be opened: {error}")),
    }
}

fn damaged(path: &Path, why: &str) -> StoreError {
    StoreError::new(
        path,
        format!(
            "is damaged: {why}. Nothing of it is served; put a copy of the file in its place, or \
             move it away and import the names from another service or from an export"
        ),
    )
}
