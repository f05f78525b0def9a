//! The index of a store: a file with a row for each image, and whose it is where that is limited.

use super::StoreError;
use crate::idl::Image;
use armilla_store::{EngineError, File, Format, TableDefinition, Transaction};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The images by identifier, as JSON.
const IMAGES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("images");

/// Whose images are, by identifier. The first one that is somebody's makes the table.
const OWNERS: TableDefinition<'_, &str, &str> = TableDefinition::new("owners");

static FORMAT: Format = Format {
    file: "index.redb",
    version: 1,
    service: "image server",
    otherwise: "the folder images with it, and import the files of that folder",
    cache: 8 << 20,
    make: |transaction| {
        transaction.open_table(IMAGES)?;
        Ok(())
    },
};

/// What it writes is on the disk. A file that could not be written, as on a full disk, is written
/// again once that is possible.
#[derive(Debug)]
pub(super) struct Index {
    file: File,
    /// Whether the last change could not be written.
    failed: AtomicBool,
}

impl Index {
    /// Opens or makes the index of a directory, and reads it.
    pub(super) fn open(directory: &Path) -> Result<(Self, Vec<Image>), StoreError> {
        // A row that was written before an attribute was known has none of it.
        let empty = serde_json::to_value(Image::default()).unwrap_or_default();
        let read = |row: &[u8]| -> Result<Image, serde_json::Error> {
            let (mut image, row) = (empty.clone(), serde_json::from_slice(row)?);
            if let (Value::Object(image), Value::Object(row)) = (&mut image, row) {
                image.extend(row);
            }
            serde_json::from_value(image)
        };
        let opened = File::open(directory, &FORMAT, |file| {
            let (mut images, mut octets) = (Vec::new(), 0);
            file.rows(IMAGES, |uid, row| {
                octets += (uid.len() + row.len()) as u64;
                images.push(read(row).map_err(|error| error.to_string())?);
                Ok(())
            })?;
            file.compact(octets)?;
            Ok(images)
        });
        let index = |file| Self { file, failed: AtomicBool::new(false) };
        opened.map(|(file, images)| (index(file), images)).map_err(failed)
    }

    /// Whether a directory has an index.
    pub(super) fn is_in(directory: &Path) -> bool {
        directory.join(FORMAT.file).exists()
    }

    /// Enters an image; it is on the disk when this returns.
    pub(super) fn insert(&self, image: &Image) -> Result<(), StoreError> {
        let row = serde_json::to_vec(image);
        let row = row.map_err(|error| StoreError::Index(format!("no row: {error}")))?;
        self.write(|transaction| {
            transaction.open_table(IMAGES)?.insert(image.uid.as_str(), row.as_slice())?;
            Ok(())
        })
    }

    /// Forgets an image; the disk has forgotten it when this returns.
    pub(super) fn remove(&self, uid: &str) -> Result<(), StoreError> {
        let has_owners = self.file.has(OWNERS).map_err(failed)?;
        self.write(|transaction| {
            transaction.open_table(IMAGES)?.remove(uid)?;
            if has_owners {
                transaction.open_table(OWNERS)?.remove(uid)?;
            }
            Ok(())
        })
    }

    /// Notes whose an image is; the disk knows it when this returns.
    pub(super) fn own(&self, uid: &str, owner: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.open_table(OWNERS)?.insert(uid, owner)?;
            Ok(())
        })
    }

    /// The images that are somebody's, with whose they are.
    pub(super) fn owners(&self) -> Result<Vec<(String, String)>, StoreError> {
        let mut owners = Vec::new();
        if self.file.has(OWNERS).map_err(failed)? {
            let rows = self.file.rows(OWNERS, |uid, owner| {
                owners.push((uid.to_owned(), owner.to_owned()));
                Ok(())
            });
            rows.map_err(failed)?;
        }
        Ok(owners)
    }

    /// Whether it can be written. Only after a failure it is tried, because it costs as much as an
    /// image.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self.failed.load(Ordering::Acquire) {
            true => self.write(|_| Ok(())),
            false => Ok(()),
        }
    }

    /// Holds the index, as one who writes does.
    #[cfg(test)]
    pub(super) fn hold(&self, meanwhile: impl FnOnce()) {
        let held = self.write(|_| {
            meanwhile();
            Ok(())
        });
        held.unwrap();
    }

    fn write(
        &self,
        change: impl FnOnce(&Transaction) -> Result<(), EngineError>,
    ) -> Result<(), StoreError> {
        let written = self.file.write(change);
        self.failed.store(written.is_err(), Ordering::Release);
        written.map_err(failed)
    }
}

fn failed(error: armilla_store::StoreError) -> StoreError {
    StoreError::Index(format!("the index {error}"))
}
