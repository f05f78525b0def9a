//! The index of a store: a redb database with a row for each image.

use super::StoreError;
use crate::idl::Image;
use redb::{
    Database, DatabaseError, Durability, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    TableDefinition,
};
use serde_json::Value;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The images by identifier, as JSON.
const IMAGES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("images");

#[derive(Debug)]
pub(super) struct Index {
    database: Database,
    path: PathBuf,
}

impl Index {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let opened = Database::builder().set_cache_size(8 << 20).create(path);
        let database = opened.map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => failed(path, "another image server holds it"),
            error => failed(path, error),
        })?;
        let index = Self { database, path: path.to_owned() };
        index.write(|table| table.len().map(drop).map_err(redb::Error::from))?;
        Ok(index)
    }

    pub(super) fn load(&self) -> Result<Vec<Image>, StoreError> {
        let read = || -> Result<Vec<Vec<u8>>, redb::Error> {
            let table = self.database.begin_read()?.open_table(IMAGES)?;
            let rows = table.iter()?;
            rows.map(|row| Ok(row?.1.value().to_vec())).collect()
        };
        let rows = read().map_err(|error| failed(&self.path, error))?;
        // A row that was written before an attribute was known has none of it.
        let empty = serde_json::to_value(Image::default()).unwrap_or_default();
        let image = |row: &Vec<u8>| {
            let (mut image, row) = (empty.clone(), serde_json::from_slice(row)?);
            if let (Value::Object(image), Value::Object(row)) = (&mut image, row) {
                image.extend(row);
            }
            serde_json::from_value(image)
        };
        rows.iter().map(image).collect::<Result<_, _>>().map_err(|error| failed(&self.path, error))
    }

    /// Enters an image; it is on the disk when this returns.
    pub(super) fn insert(&self, image: &Image) -> Result<(), StoreError> {
        let row = serde_json::to_vec(image).map_err(|error| failed(&self.path, error))?;
        self.write(|table| {
            table.insert(image.uid.as_str(), row.as_slice())?;
            Ok(())
        })
    }

    /// Forgets an image; the disk has forgotten it when this returns.
    pub(super) fn remove(&self, uid: &str) -> Result<(), StoreError> {
        self.write(|table| {
            table.remove(uid)?;
            Ok(())
        })
    }

    fn write(
        &self,
        change: impl FnOnce(&mut redb::Table<'_, &str, &[u8]>) -> Result<(), redb::Error>,
    ) -> Result<(), StoreError> {
        let written = || -> Result<(), redb::Error> {
            let mut transaction = self.database.begin_write()?;
            transaction.set_durability(Durability::Immediate)?;
            transaction.set_quick_repair(true);
            change(&mut transaction.open_table(IMAGES)?)?;
            Ok(transaction.commit()?)
        };
        written().map_err(|error| failed(&self.path, error))
    }
}

fn failed(path: &Path, why: impl Display) -> StoreError {
    StoreError::Index(format!("the index {} fails: {why}", path.display()))
}
