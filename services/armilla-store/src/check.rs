//! Whether a store can be written, for those who watch over a service.

use crate::StoreError;
use crate::disk::{self, DiskFile};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long an answer holds, so that those who ask often do not wear the disk.
const HOLDS: Duration = Duration::from_secs(2);

/// How much room a store needs to go on, in octets.
const ROOM: usize = 64 << 10;

/// The file that is written and removed again.
const FILE: &str = "armilla-write-check";

/// Finds out whether a store can be written: by writing, as the only way that tells. Any thread may
/// ask; an answer holds for two seconds.
#[derive(Debug)]
pub struct WriteCheck {
    directory: PathBuf,
    last: Mutex<Option<(Instant, Result<(), StoreError>)>>,
}

impl WriteCheck {
    /// Checks the store in a directory.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), last: Mutex::default() }
    }

    /// Writes 64 KiB beside the store, brings them to the disk, and removes them; then has the store
    /// written by `write`, a change that changes nothing: a store that could not be written before
    /// recovers by it.
    ///
    /// # Errors
    /// What cannot be written, and why.
    pub fn check(&self, write: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, answer)) = &*last
            && at.elapsed() < HOLDS
        {
            return answer.clone();
        }
        let path = self.directory.join(FILE);
        let has_room = self.try_room(&path);
        let has_room = has_room.map_err(|error| {
            StoreError::new(&self.directory, format!("cannot be written: {error}"))
        });
        let answer = has_room.and_then(|()| write());
        *last = Some((Instant::now(), answer.clone()));
        answer
    }

    fn try_room(&self, path: &Path) -> io::Result<()> {
        let file = DiskFile::create(path)?;
        let written = file.write_all_at(&[0; ROOM], 0).and_then(|()| file.sync());
        // Report the first error, not that of the removal.
        let removed = disk::remove(path);
        written.and(removed)
    }
}
