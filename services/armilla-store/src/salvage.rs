//! What is left of a damaged file.
//!
//! The file is read page by page, without the database engine. A row that is in a page with its
//! checksum is as it was written. What is in another page is handed over as it is found, for the
//! service to judge. Whatever is lost is said.

use crate::StoreError;
use crate::disk::{DiskFile, StoreLock};
use crate::format::{Format, NUMBERS, lock, no_file};
use crate::raw::{Image, MENDED, Met, Slot, Table};
use crate::state::LastCommit;
use redb::{TableDefinition, TableHandle, Value};
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

/// A key or a value that can be told from other octets before it is read.
pub trait Readable: Value {
    /// Whether the octets are those of a value.
    fn is_value(octets: &[u8]) -> bool;
}

impl Readable for u32 {
    fn is_value(octets: &[u8]) -> bool {
        octets.len() == 4
    }
}

impl Readable for u64 {
    fn is_value(octets: &[u8]) -> bool {
        octets.len() == 8
    }
}

impl Readable for &str {
    fn is_value(octets: &[u8]) -> bool {
        std::str::from_utf8(octets).is_ok()
    }
}

impl Readable for &[u8] {
    fn is_value(_: &[u8]) -> bool {
        true
    }
}

impl Readable for (u64, &str) {
    fn is_value(octets: &[u8]) -> bool {
        octets.get(8..).is_some_and(<&str>::is_value)
    }
}

/// What is left of a file. It is not changed. Nobody else may have it open meanwhile.
pub struct Salvage {
    image: Image,
    path: PathBuf,
    tables: Vec<Table>,
    losses: RefCell<Vec<String>>,
    _lock: StoreLock,
}

impl Salvage {
    /// Reads what is left of the file in a directory.
    ///
    /// # Errors
    /// There is no file, it cannot be read, another process holds it, or nothing of it is left.
    pub fn open(directory: &Path, format: &Format) -> Result<Self, StoreError> {
        let path = directory.join(format.file);
        let failed = |error| no_file(&path, "cannot be read", &error);
        let file = DiskFile::open(&path).map_err(failed)?;
        let lock = lock(&path, format)?;
        let state = best(&file, true).map_err(failed)?;
        let nothing = || StoreError::new(&path, "has no table that can be read: nothing is left");
        let State { image, tables, losses } = state.ok_or_else(nothing)?;
        Ok(Self { image, path, tables, losses: RefCell::new(losses), _lock: lock })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is a table.
    pub fn has<K: redb::Key + 'static, V: redb::Value + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
    ) -> bool {
        self.table(table.name()).is_some()
    }

    /// Hands over the rows of a table. What `take` refuses, saying why, is lost. Returns how many
    /// it took.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn rows<K: Readable + redb::Key + 'static, V: Readable + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
        mut take: impl for<'r> FnMut(K::SelfType<'r>, V::SelfType<'r>) -> Result<(), String>,
    ) -> Result<u64, StoreError> {
        let name = table.name();
        let Some(table) = self.table(name) else {
            self.lose(format!("the table {name:?} is lost"));
            return Ok(0);
        };
        let (mut taken, mut seen) = (0, 0);
        let mut meet = |met: Met<'_>| match met {
            Met::Damage(at, what) => self.lose(format!("{name:?}, at octet {at}: {what}")),
            Met::Row(row) => {
                seen += 1;
                let is_read = K::is_value(row.key) && V::is_value(row.value);
                let read = match is_read {
                    true => take(K::from_bytes(row.key), V::from_bytes(row.value)),
                    false => Err("its octets are not those of a record".to_owned()),
                };
                match read {
                    Ok(()) => taken += 1,
                    Err(why) => self.lose(format!(
                        "record {seen} of {name:?}, \"{}\", at octet {}: {why}",
                        row.key.escape_ascii(),
                        row.offset
                    )),
                }
            }
        };
        if let Some(root) = table.root {
            let failed = |error| no_file(&self.path, "cannot be read", &error);
            self.image.walk(root, table.widths, &mut meet).map_err(failed)?;
        }
        if taken < table.rows && table.is_whole {
            let lost = table.rows - taken;
            self.lose(format!("{lost} of {} records of {name:?} are lost", table.rows));
        }
        Ok(taken)
    }

    /// The number of the service with this name; 0 if it is not there.
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

    /// What was met that is damaged or lost, until now: where it is, and what.
    pub fn losses(&self) -> Vec<String> {
        self.losses.borrow().clone()
    }

    /// The last commit that the file has counted, in words.
    pub fn last_commit(&self) -> Option<String> {
        last(&self.image, &self.tables).map(|last| last.to_string())
    }

    fn lose(&self, what: String) {
        let mut losses = self.losses.borrow_mut();
        if !losses.contains(&what) {
            losses.push(what);
        }
    }

    fn table(&self, name: &str) -> Option<&Table> {
        find(&self.tables, name)
    }
}

/// The table with a name, or with one that differs in an octet, which is damaged then.
fn find<'t>(tables: &'t [Table], name: &str) -> Option<&'t Table> {
    let is_nearly = |table: &&Table| {
        let pairs = table.name.chars().zip(name.chars());
        !table.is_whole
            && table.name.chars().count() == name.chars().count()
            && pairs.filter(|(a, b)| a != b).count() <= 1
    };
    tables.iter().find(|table| table.name == name).or_else(|| tables.iter().find(is_nearly))
}

/// What else is known of a damaged file, to go on behind what is damaged: which octet is wrong, if
/// that can be told, and the last commit that the file has counted.
pub(crate) fn known(file: &DiskFile) -> String {
    let Ok(Some(State { image, tables, losses })) = best(file, true) else { return String::new() };
    let wrong = losses.iter().find_map(|loss| {
        let (place, _) = loss.split_once(MENDED)?;
        place.rsplit_once("at octet ").map(|(_, at)| at.trim_end_matches([':', ' ']))
    });
    let wrong = wrong.map(|at| format!("; the octet that is wrong is {at}")).unwrap_or_default();
    let last = last(&image, &tables).map(|last| format!("; {last}")).unwrap_or_default();
    format!("{wrong}{last}")
}

fn last(image: &Image, tables: &[Table]) -> Option<LastCommit> {
    let table = find(tables, NUMBERS.name())?;
    let mut rows = Vec::new();
    let walked = image.walk(table.root?, table.widths, &mut |met| {
        if let Met::Row(row) = met
            && let (Ok(name), Some(value)) = (str::from_utf8(row.key), row.value.first_chunk())
        {
            rows.push((name.to_owned(), u64::from_le_bytes(*value)));
        }
    });
    walked.ok()?;
    LastCommit::of(&rows)
}

/// A state of a file that can be read.
struct State {
    image: Image,
    tables: Vec<Table>,
    losses: Vec<String>,
}

/// The best state that a file has: the current one, unless another one is complete or has more. If
/// it `mends`, pages that are damaged are mended or found elsewhere.
fn best(file: &DiskFile, mends: bool) -> io::Result<Option<State>> {
    let Some(image) = Image::of(file, mends)? else { return Ok(None) };
    let mut slots = image.header.slots;
    // The trees of the current state have checksums of their own.
    slots.sort_by_key(|slot| image.header.broken.is_some_and(|offset| slot.offset != offset));
    let mut assessed = Vec::new();
    for slot in slots {
        assessed.push(assess(&image, &slot)?);
        if assessed.iter().any(|contents| contents.is_complete) {
            break;
        }
    }
    let complete = assessed.iter().position(|contents| contents.is_complete);
    let most = || (0..assessed.len()).rev().max_by_key(|at| assessed[*at].rows);
    let Some(at) = complete.or_else(most).filter(|at| assessed[*at].rows > 0) else {
        return Ok(None);
    };
    let Contents { tables, mut losses, .. } = assessed.swap_remove(at);
    if let Some(offset) = image.header.broken {
        let what = "what says where the current state is does not have its checksum";
        losses.insert(0, format!("at octet {offset}: {what}"));
    }
    if at > 0 {
        let what = "the current state is damaged, and the one before the last commit is used";
        losses.insert(0, what.to_owned());
    }
    Ok(Some(State { image, tables, losses }))
}

/// What a state has: its tables, what is damaged, and how many rows can be read.
struct Contents {
    tables: Vec<Table>,
    losses: Vec<String>,
    rows: u64,
    /// Whether every row that it should have can be read.
    is_complete: bool,
}

fn assess(image: &Image, slot: &Slot) -> io::Result<Contents> {
    let (mut rows, mut losses) = (0, Vec::new());
    let tables = image.tables(slot.trees[0], &mut |at, what| {
        losses.push(format!("the list of tables, at octet {at}: {what}"));
    })?;
    for table in &tables {
        let Some(root) = table.root else { continue };
        image.walk(root, table.widths, &mut |met| match met {
            Met::Row(row) => rows += u64::from(row.is_whole),
            Met::Damage(at, what) => {
                losses.push(format!("{:?}, at octet {at}: {what}", table.name));
            }
        })?;
    }
    // A damaged number may be anything.
    let expected = tables.iter().fold(0_u64, |sum, table| sum.saturating_add(table.rows));
    let is_complete = rows > 0 && rows == expected && tables.iter().all(|table| table.is_whole);
    Ok(Contents { tables, losses, rows, is_complete })
}
