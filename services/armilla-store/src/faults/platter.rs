//! What would be on the disk: the octets of each file that were brought there, and the names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a system writes at a time, in octets.
const PAGE: u64 = 4096;

#[derive(Debug, Default)]
struct Octets {
    there: Vec<u8>,
    /// The length, when it is not that of what is there.
    length: Option<u64>,
    /// The pages that were written since, by number.
    dirty: BTreeSet<u64>,
}

/// A file as it is on the disk.
#[derive(Debug, Default)]
pub(crate) struct Platter(Mutex<Octets>);

impl Platter {
    fn octets(&self) -> MutexGuard<'_, Octets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self, offset: u64, length: u64) {
        if length > 0 {
            let mut octets = self.octets();
            octets.dirty.extend(offset / PAGE..=(offset + length - 1) / PAGE);
            let now = octets.length.unwrap_or(octets.there.len() as u64);
            octets.length = Some(now.max(offset + length));
        }
    }

    pub(crate) fn set_length(&self, length: u64) {
        let mut octets = self.octets();
        if length != octets.length.unwrap_or(octets.there.len() as u64) {
            octets.length = Some(length);
        }
    }

    /// Everything is on the disk, but for what was lost before.
    pub(crate) fn synced(&self, file: &File) -> io::Result<()> {
        let mut octets = self.octets();
        if let Some(length) = octets.length.take() {
            octets.there.resize(usize::try_from(length).unwrap_or(usize::MAX), 0);
        }
        for page in std::mem::take(&mut octets.dirty) {
            let start = usize::try_from(page * PAGE).unwrap_or(usize::MAX);
            let end = octets.there.len().min(start.saturating_add(PAGE as usize));
            if let Some(place) = octets.there.get_mut(start..end) {
                file.read_exact_at(place, page * PAGE)?;
            }
        }
        Ok(())
    }

    /// The system takes for written what is not, and will never write it again.
    pub(crate) fn sync_failed(&self) {
        self.octets().dirty.clear();
    }
}

/// The names of files: those that the system has, and those on the disk.
#[derive(Debug, Default)]
pub(crate) struct Names {
    now: BTreeMap<PathBuf, Arc<Platter>>,
    kept: BTreeMap<PathBuf, Arc<Platter>>,
    /// Names that were made or removed since their directory was brought to the disk.
    changed: BTreeMap<PathBuf, Option<Arc<Platter>>>,
}

impl Names {
    /// Takes what is in a directory for being on the disk.
    pub(crate) fn read(&mut self, directory: &Path) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                self.read(&path)?;
                continue;
            }
            let mut there = Vec::new();
            File::open(&path)?.read_to_end(&mut there)?;
            let octets = Mutex::new(Octets { there, ..Octets::default() });
            let platter = Arc::new(Platter(octets));
            self.now.insert(path.clone(), platter.clone());
            self.kept.insert(path, platter);
        }
        Ok(())
    }

    pub(crate) fn opened(&mut self, path: &Path) -> Arc<Platter> {
        if let Some(platter) = self.now.get(path) {
            return platter.clone();
        }
        let platter = Arc::new(Platter::default());
        self.set(path, Some(platter.clone()));
        platter
    }

    pub(crate) fn renamed(&mut self, from: &Path, to: &Path) {
        if let Some(platter) = self.now.get(from).cloned() {
            self.set(to, Some(platter));
            self.set(from, None);
        }
    }

    pub(crate) fn removed(&mut self, path: &Path) {
        self.set(path, None);
    }

    fn set(&mut self, path: &Path, platter: Option<Arc<Platter>>) {
        match &platter {
            Some(platter) => drop(self.now.insert(path.to_owned(), platter.clone())),
            None => drop(self.now.remove(path)),
        }
        self.changed.insert(path.to_owned(), platter);
    }

    /// A directory was brought to the disk.
    pub(crate) fn keep(&mut self, directory: &Path) {
        let of_it = |path: &Path| path.parent() == Some(directory);
        for (path, platter) in self.changed.iter().filter(|(path, _)| of_it(path)) {
            match platter {
                Some(platter) => drop(self.kept.insert(path.clone(), platter.clone())),
                None => drop(self.kept.remove(path)),
            }
        }
        self.changed.retain(|path, _| !of_it(path));
    }

    /// It was not, and the system thinks that it was.
    pub(crate) fn forget(&mut self, directory: &Path) {
        self.changed.retain(|path, _| path.parent() != Some(directory));
    }

    /// Makes the files what they are on the disk.
    pub(crate) fn restore(&mut self) -> io::Result<()> {
        for path in self.now.keys().filter(|path| !self.kept.contains_key(*path)) {
            fs::remove_file(path)?;
        }
        for (path, platter) in &self.kept {
            let mut octets = platter.octets();
            (octets.length, octets.dirty) = (None, BTreeSet::new());
            // Another file may have the name.
            fs::remove_file(path).ok();
            fs::write(path, &octets.there)?;
        }
        self.now = self.kept.clone();
        self.changed.clear();
        Ok(())
    }
}
