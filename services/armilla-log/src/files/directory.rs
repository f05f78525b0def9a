//! The files of a directory.

use super::{Files, LogFile};
use crate::LogError;
use armilla_store::disk::{self, DiskFile, StoreLock};
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use std::collections::hash_map::RandomState;
use std::fs::{self, File, TryLockError};
use std::hash::BuildHasher;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file whose lock is held while the log is open.
const LOCK: &str = "lock";

/// The files of a directory, locked against other processes.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    /// The directory itself, whatever its name is now. It is locked, too: the lock's file can be removed.
    itself: File,
    _lock: StoreLock,
}

impl Directory {
    /// Makes the directory unless it is there, and locks it.
    ///
    /// # Errors
    /// It cannot be made, or another log has it.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let failed = |error| LogError::io(path, "cannot be opened", &error);
        if path.exists() && !path.is_dir() {
            return Err(LogError::Io { path: path.to_owned(), what: "is no directory".to_owned() });
        }
        disk::make_directory(path).map_err(failed)?;
        let lock = StoreLock::take(&path.join(LOCK)).map_err(failed)?;
        let lock = lock.ok_or_else(|| LogError::Held(path.to_owned()))?;
        let itself = File::open(path).map_err(failed)?;
        itself.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => LogError::Held(path.to_owned()),
            TryLockError::Error(error) => failed(error),
        })?;
        Ok(Self { path: path.to_owned(), itself, _lock: lock })
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // A process that another thread starts at this moment has it open, too.
        _ = self.itself.unlock();
    }
}

impl Files for Directory {
    type File = DiskFile;

    fn path(&self) -> &Path {
        &self.path
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let names = disk::list(&self.path)?;
        Ok(names.iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect())
    }

    fn sync_names(&self) -> io::Result<()> {
        disk::Directory::open(&self.path)?.sync()
    }

    fn open(&self, name: &str) -> io::Result<DiskFile> {
        DiskFile::open(&self.path.join(name))
    }

    fn create(&self, name: &str) -> io::Result<DiskFile> {
        DiskFile::create(&self.path.join(name))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        disk::rename(&self.path.join(from), &self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        disk::remove(&self.path.join(name))
    }

    fn keep(&self, name: &str) -> io::Result<PathBuf> {
        disk::keep(&self.path.join(name))
    }

    fn is_in_place(&self, name: &str, file: &DiskFile) -> bool {
        let is_same = |open: &File, path: &Path| {
            let (open, there) = (open.metadata()?, fs::metadata(path)?);
            io::Result::Ok((open.dev(), open.ino()) == (there.dev(), there.ino()))
        };
        is_same(&self.itself, &self.path).unwrap_or(false)
            && is_same(file.file(), &self.path.join(name)).unwrap_or(false)
    }

    fn room(&self) -> io::Result<u64> {
        let status = statvfs(&self.path)?;
        Ok(status.f_bavail.saturating_mul(status.f_frsize))
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn unique(&self) -> u64 {
        // Seeded by the system for each.
        RandomState::new().hash_one(SystemTime::now())
    }
}

impl LogFile for DiskFile {
    fn length(&self) -> io::Result<u64> {
        Self::length(self)
    }

    fn read_at(&self, octets: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut read = 0;
        while read < octets.len() {
            match self.file().read_at(&mut octets[read..], offset + read as u64) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    }

    fn write_all_at(&self, octets: &[u8], offset: u64) -> io::Result<()> {
        Self::write_all_at(self, octets, offset)
    }

    fn allocate(&self, length: u64) -> io::Result<()> {
        Self::set_length(self, length)?;
        match fallocate(self.file(), FallocateFlags::empty(), 0, length) {
            Ok(()) => Ok(()),
            // A file system without it: whatever is written has room.
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {
                let zeros = vec![0; 1 << 20];
                let parts = (0..length).step_by(zeros.len());
                let part = |at: u64| usize::try_from(length - at).unwrap_or(usize::MAX);
                parts
                    .map(|at| (at, part(at).min(zeros.len())))
                    .try_for_each(|(at, most)| Self::write_all_at(self, &zeros[..most], at))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        Self::set_length(self, length)
    }

    fn sync(&self) -> io::Result<()> {
        Self::sync(self)
    }
}
