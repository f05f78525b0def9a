//! The file below the database engine: it remembers what the file had before a change, so that a
//! change that failed can be taken back, even if it is on the disk.
//!
//! When a `sync` has failed, the system takes pages for written that are not on the disk. Nothing
//! read from the file then says what is there, so the file is never used again: its last good state
//! goes into another one.

use crate::disk::DiskFile;
use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};
use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The octets that are remembered together.
const PAGE: u64 = 4096;

/// How many octets are copied at a time.
const PART: u64 = 256 * PAGE;

/// A file of pages.
#[derive(Debug)]
pub(crate) struct PagedFile {
    file: DiskFile,
    /// Keeps other processes away, also such as know only the locks of the engine.
    locks: FileBackend,
    good: Mutex<Good>,
    /// Whether a change is being made. Otherwise whatever the engine brings to the disk is good.
    is_changing: AtomicBool,
    /// Whether it could not be brought to the disk once.
    is_doubtful: AtomicBool,
    /// Whether the engine may do nothing any more.
    is_retired: AtomicBool,
}

/// The last good state.
#[derive(Debug)]
struct Good {
    length: u64,
    /// What the pages had that were written since, by offset.
    pages: BTreeMap<u64, Vec<u8>>,
    /// The length as the engine sees it now,
    now: u64,
    /// and that of the file: during a change nothing is cut off that the good state may need.
    real: u64,
}

impl PagedFile {
    /// Takes what the file has for being on the disk.
    pub(crate) fn new(file: DiskFile) -> io::Result<Arc<Self>> {
        let length = file.length()?;
        let locks = FileBackend::new(file.file().try_clone()?).map_err(io::Error::other)?;
        Ok(Arc::new(Self {
            file,
            locks,
            good: Mutex::new(Good { length, pages: BTreeMap::new(), now: length, real: length }),
            is_changing: AtomicBool::new(false),
            is_doubtful: AtomicBool::new(false),
            is_retired: AtomicBool::new(false),
        }))
    }

    /// What the engine gets.
    pub(crate) fn backend(self: &Arc<Self>) -> Backend {
        self.is_retired.store(false, Ordering::Release);
        Backend(self.clone())
    }

    /// Takes the file away from the engine, which may be in any state.
    pub(crate) fn retire(&self) {
        self.is_retired.store(true, Ordering::Release);
    }

    /// Begins a change. What the file has now is good.
    pub(crate) fn begin(&self) {
        self.good().accept(&self.file);
        self.is_changing.store(true, Ordering::Release);
    }

    /// Ends a change. What the file has now is good, and on the disk.
    pub(crate) fn accept(&self) {
        self.is_changing.store(false, Ordering::Release);
        self.good().accept(&self.file);
    }

    /// Whether what is read from the file may not be on the disk.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.is_doubtful.load(Ordering::Relaxed)
    }

    /// Whether it is the file that has a name.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.file.is_at(path)
    }

    /// Says that what is read from the file may not be on the disk.
    pub(crate) fn doubt(&self) {
        self.is_doubtful.store(true, Ordering::Relaxed);
    }

    fn good(&self) -> MutexGuard<'_, Good> {
        self.good.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the file what it was before the change that failed.
    pub(crate) fn put_back(&self) -> io::Result<()> {
        let mut good = self.good();
        if good.pages.is_empty() && good.real == good.length {
            return Ok(());
        }
        for (offset, octets) in &good.pages {
            self.file.write_all_at(octets, *offset)?;
        }
        self.file.set_length(good.length)?;
        (good.now, good.real) = (good.length, good.length);
        self.sync()?;
        self.is_changing.store(false, Ordering::Release);
        good.accept(&self.file);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync().inspect_err(|_| self.doubt())
    }

    /// Writes the last good state into another file.
    pub(crate) fn copy_to(&self, to: &DiskFile) -> io::Result<()> {
        let good = self.good();
        let now = self.file.length()?;
        let mut part = vec![0; PART as usize];
        for start in (0..good.length).step_by(PART as usize) {
            let end = (start + PART).min(good.length);
            let octets = &mut part[..(end - start) as usize];
            let there = now.clamp(start, end) - start;
            octets[there as usize..].fill(0);
            self.file.read_exact_at(&mut octets[..there as usize], start)?;
            for (offset, page) in good.pages.range(start..end) {
                let at = (offset - start) as usize;
                octets[at..at + page.len()].copy_from_slice(page);
            }
            to.write_all_at(octets, start)?;
        }
        Ok(())
    }
}

impl Good {
    /// What the file has now is good.
    fn accept(&mut self, file: &DiskFile) {
        if self.real > self.now && file.set_length(self.now).is_ok() {
            self.real = self.now;
        }
        self.pages.clear();
        self.length = self.now;
    }

    /// Cuts the file off, or adds zeros.
    fn set_length(&mut self, file: &DiskFile, length: u64, is_changing: bool) -> io::Result<()> {
        if length > self.now && self.real > self.now {
            // What was cut off has to be zero when it is there again.
            self.remember(file, self.now, self.real - self.now)?;
            file.set_length(self.now)?;
            self.real = self.now;
        }
        if length > self.now || !is_changing {
            file.set_length(length)?;
            self.real = length;
        }
        self.now = length;
        if !is_changing && length < self.length {
            // The engine cuts off only what its last state on the disk has no use for.
            self.length = length;
            self.pages.split_off(&length);
        }
        Ok(())
    }

    /// Remembers what is about to be written over.
    fn remember(&mut self, file: &DiskFile, offset: u64, length: u64) -> io::Result<()> {
        let end = offset.saturating_add(length).min(self.length);
        let mut page = offset - offset % PAGE;
        while page < end {
            if !self.pages.contains_key(&page) {
                let mut octets = vec![0; (self.length - page).min(PAGE) as usize];
                file.read_exact_at(&mut octets, page)?;
                self.pages.insert(page, octets);
            }
            page += PAGE;
        }
        Ok(())
    }
}

/// A file as the engine sees it.
#[derive(Debug)]
pub(crate) struct Backend(Arc<PagedFile>);

impl Backend {
    fn file(&self) -> io::Result<&PagedFile> {
        match self.0.is_retired.load(Ordering::Acquire) {
            true => Err(io::Error::other("the file is in use no more")),
            false => Ok(&self.0),
        }
    }
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file()?.good().now)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file()?.file.read_exact_at(out, offset)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let pages = self.file()?;
        let is_changing = pages.is_changing.load(Ordering::Acquire);
        pages.good().set_length(&pages.file, length, is_changing)
    }

    fn sync_data(&self) -> io::Result<()> {
        let pages = self.file()?;
        let mut good = pages.good();
        pages.sync()?;
        if !pages.is_changing.load(Ordering::Acquire) {
            good.accept(&pages.file);
        }
        Ok(())
    }

    fn write(&self, offset: u64, octets: &[u8]) -> io::Result<()> {
        let pages = self.file()?;
        let (mut good, length) = (pages.good(), octets.len() as u64);
        good.remember(&pages.file, offset, length)?;
        good.now = good.now.max(offset.saturating_add(length));
        good.real = good.real.max(good.now);
        pages.file.write_all_at(octets, offset)
    }

    fn close(&self) -> io::Result<()> {
        self.0.locks.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.locks.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.0.locks.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.locks.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.locks.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.locks.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.locks.query_lock_range(start, end)
    }
}
