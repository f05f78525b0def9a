//! The file of a store: a redb database with a table for each kind of contents.

use super::codec::{decode, decode_offer, encode, encode_offer};
use super::{Keep, StoreError};
use crate::model::{Attribute, Change, Model, incarnation_number};
use armilla::Orb;
use armilla_cos_trading::link::LinkInfo;
use armilla_cos_trading::repos::service_type_repository::TypeStruct;
use redb::{
    Database, DatabaseError, Durability, ReadableDatabase, ReadableTable, StorageError,
    TableDefinition, WriteTransaction,
};
use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The name of the file in the directory.
const FILE: &str = "trader.redb";

/// The service types by name.
const TYPES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("types");
/// The offers and proxy offers by number.
const OFFERS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("offers");
/// The links by name.
const LINKS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("links");
/// The attributes by their names in IDL, and the numbers below.
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
/// Values that are no numbers.
const OCTETS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("octets");

/// The version of the format.
const FORMAT: &str = "format";
const THIS_FORMAT: u64 = 1;
/// The numbers of the next offer and of the next service type.
const NEXT_OFFER: &str = "next offer";
const NEXT_TYPE: &str = "next type";
/// The beginning of the ids of queries.
const STEM: &str = "request_id_stem";

/// The memory that redb may use for pages, in octets. The contents are in memory, so pages are
/// needed for writing only.
const CACHE: usize = 64 << 20;

pub(super) struct Disk {
    database: Database,
    path: PathBuf,
}

impl Disk {
    /// Opens or makes the file, and reads what it contains.
    pub(super) fn open(directory: &Path, orb: &Orb) -> Result<(Self, Model), StoreError> {
        let failed =
            |error| StoreError::new(directory, format!("cannot be made or written: {error}"));
        fs::create_dir_all(directory).map_err(failed)?;
        let path = directory.join(FILE);
        // redb checks pages when it opens a file that was not closed; in a damaged file it may
        // still meet what it takes for impossible.
        let opened = catch_unwind(AssertUnwindSafe(|| Self::open_file(&path, orb)));
        opened.unwrap_or_else(|_| Err(damaged(&path, "the database engine cannot read it")))
    }

    fn open_file(path: &Path, orb: &Orb) -> Result<(Self, Model), StoreError> {
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE);
        let database = builder.create(path).map_err(|error| open_error(path, &error))?;
        let disk = Self { database, path: path.to_owned() };
        disk.prepare()?;
        let mut model = Model::new(orb);
        disk.load(&mut model, orb)?;
        Ok((disk, model))
    }

    /// Makes the tables, and checks the version.
    fn prepare(&self) -> Result<(), StoreError> {
        let mut format = THIS_FORMAT;
        let prepared = self.transaction(|transaction| {
            transaction.open_table(TYPES)?;
            transaction.open_table(OFFERS)?;
            transaction.open_table(LINKS)?;
            transaction.open_table(OCTETS)?;
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

    fn load(&self, model: &mut Model, orb: &Orb) -> Result<(), StoreError> {
        let mut changes = self.numbers()?;
        changes.extend(self.types(orb)?);
        self.rows(LINKS, |name, record| {
            let info: LinkInfo = decode(name.as_bytes(), record, orb)
                .map_err(|why| format!("the link {name:?} cannot be read: {why}"))?;
            changes.push(Change::PutLink(name.to_owned(), Box::new(info)));
            Ok(())
        })?;
        let unfit = |error| self.damaged(&error);
        model.apply(changes).map_err(unfit)?;
        let mut last = None;
        self.rows(OFFERS, |number, record| {
            let behind = last.map_or_else(String::new, |last| format!(", behind {last:016x}"));
            let offer = decode_offer(number, record, orb)
                .map_err(|why| format!("the offer {number:016x}{behind} cannot be read: {why}"))?;
            last = Some(number);
            model
                .apply([Change::PutOffer(offer)])
                .map_err(|error| format!("the offer {number:016x}{behind}: {error}"))
        })
    }

    /// The service types, in the order in which they were added: supertypes come first.
    fn types(&self, orb: &Orb) -> Result<Vec<Change>, StoreError> {
        let mut types = Vec::new();
        self.rows(TYPES, |name, record| {
            let declared: TypeStruct = decode(name.as_bytes(), record, orb)
                .map_err(|why| format!("the service type {name:?} cannot be read: {why}"))?;
            types.push((name.to_owned(), declared));
            Ok(())
        })?;
        types.sort_by_key(|(_, declared)| incarnation_number(declared.incarnation));
        let put = |(name, declared)| Change::PutType(name, Box::new(declared));
        Ok(types.into_iter().map(put).collect())
    }

    /// The attributes and other single values.
    fn numbers(&self) -> Result<Vec<Change>, StoreError> {
        let (mut changes, mut offer, mut incarnation) = (Vec::new(), 1, 1);
        self.rows(NUMBERS, |name, value| {
            let attribute = Attribute::ALL.iter().find(|attribute| attribute.name() == name);
            match (name, attribute) {
                (NEXT_OFFER, _) => offer = value,
                (NEXT_TYPE, _) => incarnation = value,
                (_, Some(attribute)) => {
                    let value =
                        u32::try_from(value).map_err(|_| format!("{name} cannot be {value}"))?;
                    changes.push(Change::SetAttribute(*attribute, value));
                }
                _ => {}
            }
            Ok(())
        })?;
        self.rows(OCTETS, |name, octets| {
            if name == STEM {
                changes.push(Change::SetRequestIdStem(octets.to_vec()));
            }
            Ok(())
        })?;
        changes.push(Change::SetNext { offer, incarnation });
        Ok(changes)
    }

    /// Hands over the rows of a table. What `take` refuses is damage.
    fn rows<K: redb::Key + 'static, V: redb::Value + 'static>(
        &self,
        table: TableDefinition<'_, K, V>,
        mut take: impl for<'r> FnMut(K::SelfType<'r>, V::SelfType<'r>) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        let failed = |error: redb::Error| self.error("cannot be read", &error);
        let transaction = self.database.begin_read().map_err(|error| failed(error.into()))?;
        let table = transaction.open_table(table).map_err(|error| failed(error.into()))?;
        for row in table.iter().map_err(|error| failed(error.into()))? {
            let (key, value) = row.map_err(|error| failed(error.into()))?;
            take(key.value(), value.value()).map_err(|why| damaged(&self.path, &why))?;
        }
        Ok(())
    }

    /// The error for contents that do not fit together.
    pub(super) fn damaged(&self, error: &dyn fmt::Display) -> StoreError {
        damaged(&self.path, &error.to_string())
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

impl Keep for Disk {
    fn keep(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        // Records are made first: a value that cannot be encoded is no error of the file.
        let records = changes.iter().map(record).collect::<Result<Vec<_>, String>>();
        let records = records.map_err(|why| StoreError::new(&self.path, why))?;
        let written = self.transaction(|transaction| {
            changes
                .iter()
                .zip(&records)
                .try_for_each(|(change, record)| write(transaction, change, record))
        });
        written.map_err(|error| self.error("cannot be written", &error))
    }
}

/// The record of what a change puts; empty for other changes.
fn record(change: &Change) -> Result<Vec<u8>, String> {
    match change {
        Change::PutType(name, declared) => encode(name.as_bytes(), &**declared),
        Change::PutOffer(offer) => encode_offer(offer),
        Change::PutLink(name, info) => encode(name.as_bytes(), &**info),
        _ => Ok(Vec::new()),
    }
}

fn write(
    transaction: &WriteTransaction,
    change: &Change,
    record: &[u8],
) -> Result<(), redb::Error> {
    match change {
        Change::PutType(name, declared) => {
            transaction.open_table(TYPES)?.insert(name.as_str(), record)?;
            raise(transaction, NEXT_TYPE, incarnation_number(declared.incarnation) + 1)?;
        }
        Change::RemoveType(name) => drop(transaction.open_table(TYPES)?.remove(name.as_str())?),
        Change::PutOffer(offer) => {
            transaction.open_table(OFFERS)?.insert(offer.number, record)?;
            raise(transaction, NEXT_OFFER, offer.number + 1)?;
        }
        Change::RemoveOffer(number) => drop(transaction.open_table(OFFERS)?.remove(number)?),
        Change::PutLink(name, _) => {
            transaction.open_table(LINKS)?.insert(name.as_str(), record)?;
        }
        Change::RemoveLink(name) => drop(transaction.open_table(LINKS)?.remove(name.as_str())?),
        Change::SetAttribute(attribute, value) => {
            transaction.open_table(NUMBERS)?.insert(attribute.name(), u64::from(*value))?;
        }
        Change::SetRequestIdStem(stem) => {
            transaction.open_table(OCTETS)?.insert(STEM, stem.as_slice())?;
        }
        Change::SetNext { offer, incarnation } => {
            raise(transaction, NEXT_OFFER, *offer)?;
            raise(transaction, NEXT_TYPE, *incarnation)?;
        }
    }
    Ok(())
}

/// Makes a number at least this one.
fn raise(transaction: &WriteTransaction, name: &str, least: u64) -> Result<(), redb::Error> {
    let mut numbers = transaction.open_table(NUMBERS)?;
    let known = numbers.get(name)?.map_or(0, |known| known.value());
    if known < least {
        numbers.insert(name, least)?;
    }
    Ok(())
}

fn open_error(path: &Path, error: &DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::new(
            path,
            "is held by another trading service: stop it, or choose another directory",
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
             move it away and let the exporters export again"
        ),
    )
}
