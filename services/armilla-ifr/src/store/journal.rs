//! The journal: the file of changes. It handles lines and recovers from failed writes.

use super::{StoreError, snapshot};
use crate::model::Model;
use armilla_store::checksum;
use armilla_store::disk::{self, DiskFile, Placed, Replacement, StoreLock};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// The first line.
const FORMAT: &str = "{\"format\":\"armilla interface repository\",\"version\":1}\n";

/// Where the version is in it.
const VERSION_AT: usize = FORMAT.len() - 3;

/// The name of the file.
const FILE: &str = "definitions";

/// The file is compacted when it is longer than this and twice as long as its contents.
const MIN_COMPACT_LENGTH: u64 = 1 << 20;

/// A file of changes that was read, and is held.
#[derive(Debug)]
pub(super) struct Read {
    path: PathBuf,
    /// The lines without the first and without an incomplete last one, each with its number, without
    /// its checksum, or why it is damaged.
    pub(super) lines: Vec<(usize, Result<Vec<u8>, String>)>,
    /// What is wrong with the first line, which names the format.
    pub(super) damaged_head: Option<String>,
    lock: StoreLock,
}

/// What the first line of a file is.
enum Head {
    Whole,
    /// It is that of this version, but for a few octets; the first of them.
    Damaged(usize),
    /// It is that of another version, or of another program.
    Foreign,
}

fn head(first: &[u8]) -> Head {
    let pairs = first.iter().zip(FORMAT.as_bytes());
    let wrong: Vec<usize> =
        (0..).zip(pairs).filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect();
    let is_other_version = |at: &usize| *at == VERSION_AT && first[*at].is_ascii_digit();
    let is_ours = first.len() == FORMAT.len() && wrong.len() <= FORMAT.len() / 4;
    match wrong.first() {
        None => Head::Whole,
        Some(at) if is_ours && !wrong.iter().any(is_other_version) => Head::Damaged(*at),
        Some(_) => Head::Foreign,
    }
}

/// How long a checksum is, with the tab before it.
const CHECKSUM: usize = 9;

/// Whether all of a line was written. One that has its checksum and another octet than a newline
/// behind it was, and is damaged there.
fn is_complete(line: &[u8]) -> bool {
    let has_checksum = |line: &[u8]| {
        let parts = line.split_last_chunk::<CHECKSUM>();
        parts.is_some_and(|(_, sum)| sum[0] == b'\t') && checked(line).is_ok()
    };
    line.ends_with(b"\n") || line.split_last().is_some_and(|(_, line)| has_checksum(line))
}

/// What a line says, without its newline. A line of an earlier version has no checksum.
fn checked(line: &[u8]) -> Result<Vec<u8>, String> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let Some((text, sum)) = line.split_last_chunk::<CHECKSUM>().filter(|(_, sum)| sum[0] == b'\t')
    else {
        return Ok(line.to_vec());
    };
    match format!("\t{:08x}", checksum(&[text])).as_bytes() == sum {
        true => Ok(text.to_vec()),
        false => Err("it does not have its checksum".to_owned()),
    }
}

impl Read {
    /// Reads the file in `directory`, which is made if it is missing.
    pub(super) fn open(directory: &Path) -> Result<Self, StoreError> {
        disk::make_directory(directory).map_err(|e| failed(directory, "made", &e))?;
        let read = Self::of(directory)?;
        match &read.damaged_head {
            Some(what) => Err(read.damaged(what)),
            None => Ok(read),
        }
    }

    /// Reads a file that is there, and may be damaged.
    pub(super) fn open_damaged(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(FILE);
        std::fs::metadata(&path).map_err(|error| failed(&path, "read", &error))?;
        Self::of(directory)
    }

    fn of(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join("lock");
        let lock = StoreLock::take(&path).map_err(|error| failed(&path, "locked", &error))?;
        let lock = lock.ok_or_else(|| {
            let what = "is held by another repository: stop it, or choose another directory";
            StoreError::new(&path, what)
        })?;
        let path = directory.join(FILE);
        let octets = disk::read(&path).map_err(|error| failed(&path, "read", &error))?;
        let octets = octets.unwrap_or_default();
        // If the process died while creating the file, only a part of the first line is there.
        let (first, rest) = octets.split_at(FORMAT.len().min(octets.len()));
        let damaged_head = match head(first) {
            Head::Whole => None,
            Head::Damaged(at) => {
                Some(format!("line 1, at octet {at}: it does not name the format"))
            }
            Head::Foreign => {
                let what = "is not a state of an interface repository that this version can read";
                return Err(StoreError::new(&path, what));
            }
        };
        // An incomplete line was never acknowledged.
        let lines = rest.split_inclusive(|octet| *octet == b'\n');
        let lines = lines.filter(|line| is_complete(line)).map(checked);
        Ok(Self { lines: (2..).zip(lines).collect(), damaged_head, path, lock })
    }

    /// Puts a file with this model in the place of the one that was read, which stays beside it.
    /// Returns where.
    pub(super) fn replace(self, model: &Model) -> Result<PathBuf, StoreError> {
        let kept = disk::keep(&self.path)
            .map_err(|error| failed(&self.path, "kept under another name", &error))?;
        let (Placed { is_durable, .. }, _) =
            write(&self.path, model).map_err(|error| failed(&self.path, "written", &error))?;
        is_durable.map_err(|error| failed(&self.path, "written", &error))?;
        Ok(kept)
    }

    /// The error for a file with invalid contents.
    #[cold]
    pub(super) fn damaged(&self, what: &str) -> StoreError {
        let good = self.lines.iter().take_while(|(_, line)| line.is_ok()).last();
        let good = good.map_or(1, |(number, _)| *number);
        let hint = "save what can be saved with `armilla ifr recover`, or restore a backup";
        let what = format!("is damaged, {what}; up to line {good} it is whole: {hint}");
        StoreError::new(&self.path, what)
    }
}

/// A file of changes.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: DiskFile,
    /// The length of the file up to the last complete line.
    length: u64,
    /// The length that triggers compaction.
    compact_at: u64,
    /// Whether nobody knows what is on the disk: nothing is appended until the file is written anew.
    is_broken: bool,
    /// The lock of this process on the directory.
    _lock: StoreLock,
}

impl Journal {
    /// Writes a file anew that was read: the process before may have seen the disk fail, and then
    /// what was read need not be on the disk.
    pub(super) fn begin(read: Read, model: &Model) -> Result<Self, StoreError> {
        let Read { path, lock, .. } = read;
        let (Placed { file, is_durable }, length) =
            write(&path, model).map_err(|error| failed(&path, "written", &error))?;
        is_durable.map_err(|error| failed(&path, "written", &error))?;
        let compact_at = compact_at(length);
        Ok(Self { path, file, length, compact_at, is_broken: false, _lock: lock })
    }

    /// Writes the file anew if that is needed to append to it.
    pub(super) fn recover(&mut self, model: &Model) -> Result<(), StoreError> {
        if !self.is_broken {
            return Ok(());
        }
        self.rewrite(model).map_err(|error| {
            let what = "could not be written, and cannot be written anew";
            let hint = "free room or mend the disk; the next change tries it again";
            StoreError::new(&self.path, format!("{what}: {error}: {hint}"))
        })
    }

    /// Appends a line. On error the file is as before, unless the error is undecided.
    pub(super) fn append(&mut self, line: &impl Serialize) -> Result<(), StoreError> {
        let octets = octets(line).map_err(|e| failed(&self.path, "written", &e))?;
        let written = self.file.write_all_at(&octets, self.length);
        let is_written = written.is_ok();
        if let Err(error) = written.and_then(|()| self.file.sync()) {
            let cut = self.file.set_length(self.length).and_then(|()| self.file.sync());
            // After a failed sync, a later success says nothing.
            self.is_broken = is_written || cut.is_err();
            let error = failed(&self.path, "written", &error);
            return Err(if self.is_broken { error.undecided() } else { error });
        }
        self.length += octets.len() as u64;
        Ok(())
    }

    /// Rewrites the file if that saves much. If it fails before the new file is there, the old one
    /// stays.
    pub(super) fn compact(&mut self, model: &Model) {
        if !self.is_broken && self.length > self.compact_at {
            // Whether it is broken now is seen by the next change.
            self.rewrite(model).ok();
            self.compact_at = compact_at(self.length);
        }
    }

    fn rewrite(&mut self, model: &Model) -> io::Result<()> {
        let (Placed { file, is_durable }, length) = write(&self.path, model)?;
        // The old file has no name any more, so lines must not go there.
        (self.file, self.length) = (file, length);
        self.is_broken = is_durable.is_err();
        is_durable
    }
}

fn compact_at(length: u64) -> u64 {
    MIN_COMPACT_LENGTH.max(length.saturating_mul(2))
}

/// Puts a file with a model in the place of the one that may be there; also returns its length.
fn write(path: &Path, model: &Model) -> io::Result<(Placed, u64)> {
    let mut text = FORMAT.as_bytes().to_vec();
    // Numbers are never used again, so nothing was made yet if the next one is the first.
    if model.next_number() != Model::new().next_number() {
        // A line for each definition, so that damage costs one.
        for line in snapshot(model) {
            text.extend(octets(&line)?);
        }
    }
    let new = Replacement::begin(path)?;
    new.file().write_all_at(&text, 0)?;
    Ok((new.place()?, text.len() as u64))
}

/// A line of JSON with its checksum and its newline.
fn octets(line: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut octets = serde_json::to_vec(line)?;
    let checksum = checksum(&[&octets]);
    octets.extend(format!("\t{checksum:08x}\n").into_bytes());
    Ok(octets)
}

fn failed(path: &Path, doing: &str, error: &io::Error) -> StoreError {
    StoreError::new(path, format!("cannot be {doing}: {error}"))
}
