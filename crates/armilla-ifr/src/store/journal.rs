//! The journal: the file of changes. It handles lines and recovers from failed writes.

use super::{StoreError, snapshot};
use crate::model::Model;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The first line.
const FORMAT: &str = "{\"format\":\"armilla interface repository\",\"version\":1}\n";

/// The file is compacted when it is longer than this and twice as long as its contents.
const MIN_COMPACT_LENGTH: u64 = 1 << 20;

/// A file of changes.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// The length of the file up to the last complete line.
    length: u64,
    /// The length that triggers compaction.
    compact_at: u64,
    /// Whether a failure left the file in an unknown state.
    is_broken: bool,
    /// The lock of this process on the directory.
    _lock: File,
}

impl Journal {
    /// Opens the file in `directory`; also returns its lines without the first.
    pub(super) fn open(directory: &Path) -> Result<(Self, Vec<Vec<u8>>), StoreError> {
        fs::create_dir_all(directory).map_err(|e| StoreError::io(directory, "made", &e))?;
        let lock = lock(&directory.join("lock"))?;
        let path = directory.join("definitions");
        let octets = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            octets => octets.map_err(|error| StoreError::io(&path, "read", &error))?,
        };
        let mut lines = octets.split_inclusive(|octet| *octet == b'\n');
        let first = lines.next().unwrap_or_default();
        // If the process died while creating the file, only a part of the first line is there.
        if !FORMAT.as_bytes().starts_with(first) {
            let what = "is not a state of an interface repository that this version can read";
            return Err(StoreError::new(&path, what));
        }
        let lines: Vec<Vec<u8>> =
            lines.filter(|line| line.ends_with(b"\n")).map(<[u8]>::to_vec).collect();
        let length = lines.iter().map(|line| line.len() as u64).sum::<u64>() + FORMAT.len() as u64;
        let mut options = OpenOptions::new();
        let options = options.append(true).create(true);
        let file = options.open(&path);
        let file = file.map_err(|error| StoreError::io(&path, "opened for writing", &error))?;
        let journal = Self {
            path,
            file,
            length,
            compact_at: MIN_COMPACT_LENGTH,
            is_broken: false,
            _lock: lock,
        };
        if first != FORMAT.as_bytes() {
            let started = journal.file.set_len(0).and_then(|()| journal.write(FORMAT.as_bytes()));
            started.map_err(|error| StoreError::io(&journal.path, "written", &error))?;
        }
        Ok((journal, lines))
    }

    /// The error for a file with invalid contents.
    #[cold]
    pub(super) fn damaged(&self, what: &str) -> StoreError {
        let hint = "restore a backup, or remove the file to start with an empty repository";
        StoreError::new(&self.path, format!("is damaged, {what}: {hint}"))
    }

    /// Removes an incomplete last line after reading.
    pub(super) fn recover(&mut self, model: &Model) -> Result<(), StoreError> {
        // An incomplete line was never acknowledged.
        let cut = self.file.set_len(self.length);
        cut.map_err(|error| StoreError::io(&self.path, "written", &error))?;
        self.compact(model);
        Ok(())
    }

    /// Appends a line. On error the file is unchanged.
    pub(super) fn append(&mut self, line: &impl Serialize) -> Result<(), StoreError> {
        if self.is_broken {
            let what = "could not be restored after a write error: restart the repository";
            return Err(StoreError::new(&self.path, what));
        }
        let octets = octets(line).map_err(|e| StoreError::io(&self.path, "written", &e))?;
        if let Err(error) = self.write(&octets) {
            self.is_broken =
                self.file.set_len(self.length).and_then(|()| self.file.sync_data()).is_err();
            return Err(StoreError::io(&self.path, "written", &error));
        }
        self.length += octets.len() as u64;
        Ok(())
    }

    fn write(&self, octets: &[u8]) -> io::Result<()> {
        (&self.file).write_all(octets)?;
        self.file.sync_data()
    }

    /// Rewrites the file if that saves much. On failure the old file stays.
    pub(super) fn compact(&mut self, model: &Model) {
        if self.is_broken || self.length <= self.compact_at {
            return;
        }
        if let Ok((file, length)) = self.replace(model) {
            (self.file, self.length) = (file, length);
        }
        self.compact_at = MIN_COMPACT_LENGTH.max(self.length.saturating_mul(2));
    }

    fn replace(&self, model: &Model) -> io::Result<(File, u64)> {
        let new = self.path.with_extension("new");
        let mut text = FORMAT.as_bytes().to_vec();
        text.extend(octets(&snapshot(model))?);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&new)?;
        file.write_all(&text)?;
        file.sync_all()?;
        // Reopen for appending, as the old file was.
        let file = OpenOptions::new().append(true).open(&new)?;
        fs::rename(&new, &self.path)?;
        if let Some(directory) = self.path.parent() {
            // The new name has to be on disk before later lines are.
            File::open(directory)?.sync_all()?;
        }
        Ok((file, text.len() as u64))
    }
}

/// A line of JSON with its newline.
fn octets(line: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut octets = serde_json::to_vec(line)?;
    octets.push(b'\n');
    Ok(octets)
}

fn lock(path: &Path) -> Result<File, StoreError> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| StoreError::io(path, "opened for writing", &error))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(Errno::WOULDBLOCK) => Err(StoreError::new(
            path,
            "is held by another repository: stop it, or choose another directory",
        )),
        Err(error) => Err(StoreError::io(path, "locked", &error.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ChangeError, Store};
    use super::*;
    use crate::model::{Kind, ROOT};

    #[test]
    fn a_change_that_cannot_be_written_is_rolled_back() {
        let directory =
            std::env::temp_dir().join(format!("armilla-ifr-full-{}", std::process::id()));
        fs::remove_dir_all(&directory).ok();
        let mut store = Store::open(&directory).unwrap();
        let create = |store: &mut Store, name: &str| {
            let id = format!("IDL:{name}:1.0");
            store.change(|model| model.create(ROOT, &id, name, "1.0", Kind::Module))
        };
        create(&mut store, "Before").unwrap();
        // Nothing can be written by way of this, and what was written cannot be cut off.
        store.journal.as_mut().unwrap().file = File::open(directory.join("definitions")).unwrap();
        for said in ["cannot be written", "restart the repository"] {
            let error = create(&mut store, "After").unwrap_err();
            assert!(matches!(error, ChangeError::Store(_)), "{error}");
            assert!(error.to_string().contains(said), "{error}");
            assert!(store.model().lookup(ROOT, "After").is_none());
        }
        drop(store);
        let mut store = Store::open(&directory).unwrap();
        assert!(store.model().lookup(ROOT, "Before").is_some());
        create(&mut store, "After").unwrap();
        drop(store);
        fs::remove_dir_all(directory).unwrap();
    }
}
