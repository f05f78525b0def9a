//! The images of a server on the disk: an index (redb), and each image as a file beside it.
//!
//! A file is written beside the others, hashed on the way, brought to the disk, renamed, and then
//! entered in the index. What is entered is acknowledged; anything else is removed at the next start.

mod claims;
mod incoming;
mod index;
#[cfg(test)]
mod tests;

pub use incoming::Incoming;

use crate::dicom::{self, DicomError};
use crate::idl::{Group, Image, Level, Query};
use crate::query;
use armilla_security::{Owner, UsedUp};
use armilla_store::disk;
use claims::Claims;
use index::Index;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// How many octets of the disk stay free if nothing else is said: the index and the system need some.
pub const SPARE: u64 = 32 << 20;

/// In seconds.
const DAY: u64 = 86_400;

/// The time in seconds since 1970.
pub fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

/// Images on the disk. Clones share them; any thread may use them.
#[derive(Debug, Clone)]
pub struct Store(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    directory: PathBuf,
    /// How many octets of images there may be; 0 for any number.
    quota: u64,
    /// How many octets of the disk stay free.
    spare: u64,
    index: Index,
    /// The images that are being entered or removed. Their changes wait for the disk without the
    /// lock of `kept`, which readers need.
    claims: Claims,
    kept: RwLock<Kept>,
}

#[derive(Debug)]
struct Kept {
    images: BTreeMap<String, Arc<Image>>,
    /// Those of the index whose files are not there as they were acknowledged.
    lost: BTreeMap<String, Arc<Image>>,
    octets: u64,
    /// Octets of files on their way.
    reserved: u64,
}

/// Why an image is not kept, or a store not opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// It is no image.
    Dicom(DicomError),
    /// Another image with this identifier is there: one with another data set, whatever the heads of
    /// the files say.
    Differs(String),
    /// The quota of so many octets does not suffice.
    Quota(u64),
    /// The client has stored as many images as it may.
    Share(UsedUp),
    /// The disk has no room for so many octets.
    Full(u64),
    /// It must stay for so many days more.
    Retained(u64),
    /// The image is of another study than was said.
    Study(String),
    /// The index fails; the text says where and why.
    Index(String),
    /// A file fails.
    File(PathBuf, io::Error),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dicom(error) => error.fmt(f),
            Self::Differs(uid) => write!(
                f,
                "the image {uid} is there with other contents; a changed image needs a UID of its own"
            ),
            Self::Quota(octets) => {
                write!(f, "the quota of {octets} octets does not suffice; raise it with --quota")
            }
            Self::Share(used_up) => {
                write!(f, "{used_up}; remove some of them first, or raise it with --limits")
            }
            Self::Full(octets) => {
                write!(f, "the disk of the server has no room for {octets} octets; free some there")
            }
            Self::Retained(days) => {
                write!(f, "the rules keep this image for {days} days more")
            }
            Self::Study(study) => write!(f, "the image is of the study {study}"),
            Self::Index(why) => f.write_str(why),
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<DicomError> for StoreError {
    fn from(error: DicomError) -> Self {
        Self::Dicom(error)
    }
}

impl Store {
    /// Opens the images of a directory, which is made if need be. `quota` is the number of octets
    /// that they may have, or 0.
    ///
    /// # Errors
    /// The directory cannot be written; the index is damaged, held by another server, or gone while
    /// there are images.
    pub fn open(directory: &Path, quota: u64) -> Result<Self, StoreError> {
        Self::open_with_spare(directory, quota, SPARE)
    }

    /// The same with another number of octets of the disk that stay free than [`SPARE`].
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with_spare(directory: &Path, quota: u64, spare: u64) -> Result<Self, StoreError> {
        for folder in ["images", "incoming"] {
            let path = directory.join(folder);
            // Images tell of patients: directories that are there keep their permissions.
            disk::make_directory(&path).map_err(|error| StoreError::File(path, error))?;
        }
        if !Index::is_in(directory) {
            refuse_without_index(directory)?;
        }
        let (index, rows) = Index::open(directory)?;
        let (mut images, mut lost) = (BTreeMap::new(), BTreeMap::new());
        for image in rows.into_iter().map(Arc::new) {
            let there = match is_whole(&path_of(directory, &image.uid), &image) {
                true => &mut images,
                false => {
                    let (uid, octets) = (&image.uid, image.size);
                    tracing::error!(
                        uid,
                        octets,
                        "the file of an image is gone or has another size; store it again or \
                         remove it"
                    );
                    &mut lost
                }
            };
            there.insert(image.uid.clone(), image);
        }
        let octets = images.values().map(|image| image.size).sum();
        let kept = RwLock::new(Kept { images, lost, octets, reserved: 0 });
        let (directory, claims) = (directory.to_owned(), Claims::default());
        let store = Self(Arc::new(Shared { directory, quota, spare, index, claims, kept }));
        store.remove_rests();
        Ok(store)
    }

    /// Removes what was never acknowledged.
    fn remove_rests(&self) {
        let known = |name: &str| {
            let kept = self.kept();
            name.strip_suffix(".dcm")
                .is_some_and(|uid| kept.images.contains_key(uid) || kept.lost.contains_key(uid))
        };
        for folder in ["incoming", "images"] {
            // What stays is removed at a later start.
            for file in disk::list(&self.0.directory.join(folder)).unwrap_or_default() {
                let name = file.file_name().and_then(|name| name.to_str());
                if folder == "incoming" || !name.is_some_and(known) {
                    disk::remove(&file).ok();
                }
            }
        }
    }

    /// Begins to take a file of so many octets.
    ///
    /// # Errors
    /// The quota does not suffice, or the disk fails.
    pub fn receive(&self, octets: u64) -> Result<Incoming, StoreError> {
        self.reserve(octets)?;
        Incoming::new(self.clone(), octets, false)
    }

    /// Begins to take a file whose size nobody knows yet.
    ///
    /// # Errors
    /// The disk fails.
    pub fn receive_unsized(&self) -> Result<Incoming, StoreError> {
        Incoming::new(self.clone(), 0, true)
    }

    fn reserve(&self, octets: u64) -> Result<(), StoreError> {
        let mut kept = self.kept_mut();
        if octets.saturating_add(self.0.spare) > self.free().saturating_sub(kept.reserved) {
            return Err(StoreError::Full(octets));
        }
        let after = kept.octets.saturating_add(kept.reserved).saturating_add(octets);
        if self.0.quota > 0 && after > self.0.quota {
            return Err(StoreError::Quota(self.0.quota));
        }
        kept.reserved += octets;
        Ok(())
    }

    /// A file without a name, beside the images: what it holds goes with it.
    ///
    /// # Errors
    /// The disk fails.
    pub fn scratch(&self) -> io::Result<File> {
        incoming::unnamed(&self.0.directory.join("incoming"))
    }

    /// Copies a file into the store.
    ///
    /// # Errors
    /// It is no image, or cannot be kept.
    pub fn import(&self, path: &Path) -> Result<Arc<Image>, StoreError> {
        let failed = |error| StoreError::File(path.to_owned(), error);
        let mut from = File::open(path).map_err(failed)?;
        let size = from.metadata().map_err(failed)?.len();
        let mut incoming = self.receive(size)?;
        io::copy(&mut from, &mut incoming).map_err(failed)?;
        incoming.keep()
    }

    /// Enters a file that is on the disk.
    fn enter(&self, image: Image, file: &Path) -> Result<Arc<Image>, StoreError> {
        let _claim = self.0.claims.take(&image.uid);
        if let Some(there) = self.entry(&image.uid) {
            if there.sha256 != image.sha256 && !self.is_same(&there, file) {
                return Err(StoreError::Differs(image.uid));
            }
            if self.image(&image.uid).is_some() {
                return Ok(there);
            }
        }
        let path = self.path(&image.uid);
        let named = disk::rename(file, &path);
        let named = named.map_err(|error| StoreError::File(path.clone(), error));
        named.and_then(|()| self.0.index.insert(&image)).inspect_err(|_| {
            // Not acknowledged, so not kept.
            disk::remove(&path).ok();
        })?;
        let image = Arc::new(image);
        let mut kept = self.kept_mut();
        kept.lost.remove(&image.uid);
        kept.octets += image.size;
        kept.images.insert(image.uid.clone(), Arc::clone(&image));
        Ok(image)
    }

    /// Whether the data set of an image that is here is that of a file, whose head may be another one:
    /// each program that passes an image on makes a new head.
    fn is_same(&self, there: &Image, file: &Path) -> bool {
        let identities =
            [self.path(&there.uid), file.to_owned()].map(|path| dicom::identity(&path));
        matches!(identities, [Ok(one), Ok(other)] if one == other)
    }

    fn release(&self, octets: u64) {
        self.kept_mut().reserved -= octets;
    }

    /// An image by its identifier.
    pub fn image(&self, uid: &str) -> Option<Arc<Image>> {
        self.kept().images.get(uid).cloned()
    }

    /// The same also for one whose file is gone.
    pub fn entry(&self, uid: &str) -> Option<Arc<Image>> {
        let kept = self.kept();
        kept.images.get(uid).or_else(|| kept.lost.get(uid)).cloned()
    }

    /// Whether an image is here, and its file as long as it was: what another server may rely on.
    pub fn holds(&self, uid: &str) -> bool {
        self.image(uid).is_some_and(|image| is_whole(&self.path(uid), &image))
    }

    /// The images that match, by study, series and number.
    pub fn find(&self, wanted: &Query) -> Vec<Arc<Image>> {
        let mut found: Vec<_> = {
            let kept = self.kept();
            kept.images.values().filter(|image| query::matches(wanted, image)).cloned().collect()
        };
        found.sort_by(|a, b| query::order(a, b));
        found.truncate(wanted.limit as usize);
        found
    }

    /// The studies, series or images that have images which match, with all their images.
    pub fn groups(&self, wanted: &Query, level: Level) -> Vec<Group> {
        let mut groups = {
            let kept = self.kept();
            let found = kept.images.values().filter(|image| query::matches(wanted, image));
            let keys: HashSet<&str> = found.map(|image| query::key(image, level)).collect();
            let images = kept.images.values().map(AsRef::as_ref);
            query::group(images.filter(|image| keys.contains(query::key(image, level))), level)
        };
        groups.truncate(wanted.limit as usize);
        groups
    }

    /// The same as [`remove`](Self::remove) unless the image has been here for fewer than so many
    /// days.
    ///
    /// # Errors
    /// It must stay; otherwise as removing.
    pub fn remove_retained(&self, uid: &str, days: Option<u64>) -> Result<bool, StoreError> {
        let age = self.entry(uid).map(|image| now().saturating_sub(image.stored) / DAY);
        match (age, days) {
            (Some(age), Some(days)) if age < days => Err(StoreError::Retained(days - age)),
            _ => self.remove(uid),
        }
    }

    /// Removes the images that have been here for so many days at a time, in seconds since 1970, and
    /// returns them. Those of which nobody knows since when they are here stay.
    ///
    /// # Errors
    /// As removing.
    pub fn expire(&self, days: u64, at: u64) -> Result<Vec<Arc<Image>>, StoreError> {
        let old =
            |image: &&Arc<Image>| image.stored > 0 && at.saturating_sub(image.stored) / DAY >= days;
        let old: Vec<_> = self.kept().images.values().filter(old).cloned().collect();
        for image in &old {
            self.remove(&image.uid)?;
        }
        Ok(old)
    }

    /// Removes an image; whether it was there.
    ///
    /// # Errors
    /// The index or the disk fails; then it is there as before.
    pub fn remove(&self, uid: &str) -> Result<bool, StoreError> {
        let _claim = self.0.claims.take(uid);
        if self.entry(uid).is_none() {
            return Ok(false);
        }
        self.0.index.remove(uid)?;
        let mut kept = self.kept_mut();
        kept.octets -= kept.images.remove(uid).map_or(0, |image| image.size);
        kept.lost.remove(uid);
        drop(kept);
        // A file that stays is removed at the next start, for the index does not know it.
        let path = self.path(uid);
        if let Err(error) = disk::remove(&path) {
            tracing::warn!(uid, %error, "the file of a removed image stays until the next start");
        }
        Ok(true)
    }

    /// Notes whose an image is. Returns whether the image is here.
    ///
    /// # Errors
    /// The index fails.
    pub fn own(&self, uid: &str, owner: &Owner) -> Result<bool, StoreError> {
        let _claim = self.0.claims.take(uid);
        match self.entry(uid) {
            Some(_) => self.0.index.own(uid, &owner.to_string()).map(|()| true),
            None => Ok(false),
        }
    }

    /// The images that are somebody's, with whose they are.
    ///
    /// # Errors
    /// The index fails.
    pub fn owners(&self) -> Result<Vec<(String, Owner)>, StoreError> {
        let owners = self.0.index.owners()?.into_iter();
        let known = |(uid, text): (String, String)| match text.parse() {
            Ok(owner) => Some((uid, owner)),
            Err(why) => {
                tracing::warn!(uid, owner = text, why, "nobody knows whose an image is");
                None
            }
        };
        Ok(owners.filter_map(known).collect())
    }

    /// The file of an image.
    pub fn path(&self, uid: &str) -> PathBuf {
        debug_assert!(dicom::is_uid(uid), "only checked identifiers become names of files");
        path_of(&self.0.directory, uid)
    }

    /// How many octets the disk has room for.
    fn free(&self) -> u64 {
        // A file system that does not tell refuses when it is full.
        let found = rustix::fs::statvfs(&self.0.directory);
        found.map_or(u64::MAX, |found| found.f_bavail.saturating_mul(found.f_frsize))
    }

    /// How many more octets it takes now.
    pub fn room(&self) -> u64 {
        let kept = self.kept();
        let taken = kept.octets.saturating_add(kept.reserved);
        let quota = if self.0.quota > 0 { self.0.quota.saturating_sub(taken) } else { u64::MAX };
        quota.min(self.free().saturating_sub(kept.reserved).saturating_sub(self.0.spare))
    }

    /// Whether images can be kept: the disk has room and takes files, and the index can be written.
    /// A quota that is used up is no failure.
    ///
    /// # Errors
    /// Images cannot be kept; the text says why.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.free() < self.0.spare {
            return Err(StoreError::Full(self.0.spare));
        }
        let write = || self.scratch()?.write_all(&[0; 4096]);
        let failed = |error| StoreError::File(self.0.directory.join("incoming"), error);
        write().map_err(failed)?;
        self.0.index.check()
    }

    /// How many images and octets there are, and how many octets there may be.
    pub fn usage(&self) -> (u64, u64, u64) {
        let kept = self.kept();
        (kept.images.len() as u64, kept.octets, self.0.quota)
    }

    fn kept(&self) -> RwLockReadGuard<'_, Kept> {
        self.0.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept_mut(&self) -> std::sync::RwLockWriteGuard<'_, Kept> {
        self.0.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn path_of(directory: &Path, uid: &str) -> PathBuf {
    directory.join("images").join(format!("{uid}.dcm"))
}

/// Whether a file has the octets of an image, as far as their number tells.
fn is_whole(path: &Path, image: &Image) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == image.size)
}

/// Without an index nobody knows which images were acknowledged, so none is removed.
fn refuse_without_index(directory: &Path) -> Result<(), StoreError> {
    let images = directory.join("images");
    let failed = |error| StoreError::File(images.clone(), error);
    match disk::list(&images).map_err(failed)?.is_empty() {
        true => Ok(()),
        false => Err(StoreError::Index(format!(
            "{} has files, but their index {} is gone: put a copy of it there, or move the folder \
             away and import its files",
            images.display(),
            directory.join("index.redb").display()
        ))),
    }
}
