//! A file on its way into a store.

use super::{Store, StoreError};
use crate::dicom;
use crate::idl::Image;
use armilla_store::disk::{self, DiskFile};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many octets a file of unknown size reserves at a time.
const GROWTH: u64 = 1 << 20;

/// A path that no other file has.
fn path_in(directory: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    directory.join(format!("{}.part", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// A file for this process alone.
pub(super) fn unnamed(directory: &Path) -> io::Result<File> {
    let path = path_in(directory);
    let file = DiskFile::create(&path)?;
    disk::remove(&path)?;
    file.file().try_clone()
}

/// A file that is written into a store. Dropping it before [`keep`](Self::keep) removes it.
#[derive(Debug)]
pub struct Incoming {
    store: Store,
    file: DiskFile,
    path: PathBuf,
    hasher: Sha256,
    size: u64,
    reserved: u64,
    /// Whether more may be reserved.
    grows: bool,
    /// The study that it must be of, if not empty.
    study: String,
}

impl Incoming {
    pub(super) fn new(store: Store, reserved: u64, grows: bool) -> Result<Self, StoreError> {
        let path = path_in(&store.0.directory.join("incoming"));
        match DiskFile::create(&path) {
            Ok(file) => Ok(Self {
                store,
                file,
                path,
                hasher: Sha256::new(),
                size: 0,
                reserved,
                grows,
                study: String::new(),
            }),
            Err(error) => {
                store.release(reserved);
                Err(StoreError::File(path, error))
            }
        }
    }

    /// Refuses an image of another study, unless `study` is empty.
    #[must_use]
    pub fn of_study(mut self, study: &str) -> Self {
        study.clone_into(&mut self.study);
        self
    }

    /// The file as far as it has come, for who passes it on before it is kept.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many octets have come.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Whether it is an image, and of the study that was said; all of it must have come.
    ///
    /// # Errors
    /// It is not.
    pub fn check(&self) -> Result<Image, StoreError> {
        let image = dicom::describe(&self.path)?;
        match self.study.is_empty() || self.study == image.study {
            true => Ok(image),
            false => Err(StoreError::Study(image.study)),
        }
    }

    /// The same as [`keep`](Self::keep) for what was brought as this image: what comes under the
    /// identifier of another one, or with other contents, is not kept.
    ///
    /// # Errors
    /// It is another one; otherwise as keeping.
    pub fn keep_as(self, image: &Image) -> Result<Arc<Image>, StoreError> {
        let found = self.check()?.uid;
        if found != image.uid || self.hasher.clone().finalize()[..] != image.sha256[..] {
            let what = format!("another image came in the place of {}", image.uid);
            return Err(StoreError::Index(what));
        }
        self.keep()
    }

    /// Brings it to the disk and enters it in the index. What is returned is not lost.
    ///
    /// # Errors
    /// It is no image, another one with its identifier is there, or the disk fails. Then nothing is
    /// left behind.
    pub fn keep(self) -> Result<Arc<Image>, StoreError> {
        let failed = |error| StoreError::File(self.path.clone(), error);
        self.file.sync().map_err(failed)?;
        let mut image = self.check()?;
        image.size = self.size;
        image.stored = super::now();
        image.sha256 = self.hasher.clone().finalize().to_vec();
        self.store.enter(image, &self.path)
    }
}

impl Incoming {
    fn append(&mut self, octets: &[u8]) -> io::Result<usize> {
        let written = self.file.write_all_at(octets, self.size);
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
        };
        written.map_err(named)?;
        self.hasher.update(octets);
        self.size += octets.len() as u64;
        Ok(octets.len())
    }
}

impl Write for Incoming {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        if self.size + octets.len() as u64 > self.reserved {
            if self.grows {
                let more = (octets.len() as u64).max(GROWTH);
                let reserved = self.store.reserve(more).map(|()| more).or_else(|_| {
                    let least = octets.len() as u64;
                    self.store.reserve(least).map(|()| least)
                });
                self.reserved += reserved.map_err(io::Error::other)?;
                return self.append(octets);
            }
            let what = "the file is larger than was said when it began";
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, what));
        }
        self.append(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        self.store.release(self.reserved);
        // A file that was kept has another name by now.
        disk::remove(&self.path).ok();
    }
}
