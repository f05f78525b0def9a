//! The disk, as stores use it: every store opens, writes, renames and lists its files here.
//!
//! [`Replacement`] puts a file in the place of another so that either of them is there, whole,
//! whatever happens. What is made is for its owner alone: files have mode 0600, directories 0700.
//!
//! Tests step in below these functions (`faults`), so whoever uses them is tried with every
//! operation that fails.

mod hook;
mod replacement;

#[cfg(feature = "disk")]
pub(crate) use replacement::give_to_owner;
pub use replacement::{Placed, Replacement, keep, replace};

#[cfg(feature = "disk")]
pub(crate) use hook::rest;

use hook::Tracked;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
#[cfg(feature = "disk")]
use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file on the disk. Clones share it; any thread may use it.
#[derive(Debug, Clone)]
pub struct DiskFile {
    file: Arc<File>,
    tracked: Tracked,
}

impl DiskFile {
    /// Opens a file that is there, to read and to write it.
    ///
    /// # Errors
    /// It is not there, or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_with(path, OpenOptions::new().read(true).write(true))
    }

    /// Makes a file, in the place of one that is there, to read and to write it. No link is
    /// followed.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true);
        match Self::open_with(path, options) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                remove(path)?;
                Self::open_with(path, options)
            }
            made => made,
        }
    }

    fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<Self> {
        let (file, tracked) = Tracked::open(path, || options.mode(0o600).open(path))?;
        Ok(Self { file: Arc::new(file), tracked })
    }

    /// The file of the system, to read it, or to lock it. What is written by way of it is not
    /// tried by tests.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether this is the file that has a name: it was not moved, removed or replaced.
    #[cfg(feature = "disk")]
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let same = |there: fs::Metadata| {
            let open = self.file.metadata()?;
            Ok((open.dev(), open.ino()) == (there.dev(), there.ino()))
        };
        fs::metadata(path).and_then(same).unwrap_or(false)
    }

    /// The length in octets.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn length(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }

    /// Reads octets from a place on.
    ///
    /// # Errors
    /// They cannot be read, or the file ends before them.
    pub fn read_exact_at(&self, octets: &mut [u8], offset: u64) -> io::Result<()> {
        self.tracked.read()?;
        self.file.read_exact_at(octets, offset)
    }

    /// Writes octets to a place. They are on the disk after [`sync`](Self::sync).
    ///
    /// # Errors
    /// They cannot be written; some of them may be.
    pub fn write_all_at(&self, octets: &[u8], offset: u64) -> io::Result<()> {
        self.tracked.write(octets, offset, |octets| self.file.write_all_at(octets, offset))
    }

    /// Cuts the file off, or adds zeros.
    ///
    /// # Errors
    /// It cannot be changed.
    pub fn set_length(&self, length: u64) -> io::Result<()> {
        self.tracked.set_length(length, || self.file.set_len(length))
    }

    /// Brings to the disk what was written. After an error, the system may take for written what
    /// is not on the disk, and a later success says nothing: write another file (`fsync(2)`).
    ///
    /// # Errors
    /// It is not on the disk, or nobody knows.
    pub fn sync(&self) -> io::Result<()> {
        self.tracked.sync(&self.file, || self.file.sync_data())
    }
}

/// A directory whose names can be brought to the disk.
#[derive(Debug)]
pub struct Directory {
    file: File,
    path: PathBuf,
}

impl Directory {
    /// Opens a directory.
    ///
    /// # Errors
    /// It is not there, or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let file = hook::open_directory(path, || File::open(path))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Brings the names of the files in it to the disk.
    ///
    /// # Errors
    /// New and removed names may not be on the disk.
    pub fn sync(&self) -> io::Result<()> {
        hook::sync_directory(&self.path, || self.file.sync_all())
    }
}

/// Makes a directory, with those that it is in, unless it is there. It is on the disk when this
/// returns.
///
/// # Errors
/// It cannot be made.
pub fn make_directory(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    let parent = path.parent().unwrap_or(Path::new(""));
    make_directory(parent)?;
    let made = hook::make_directory(path, || DirBuilder::new().mode(0o700).create(path));
    match made {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.and_then(|()| Directory::open(parent)?.sync()),
    }
}

/// Gives a file another name, in place of the one that has it. The name is on the disk when this
/// returns.
///
/// # Errors
/// The file has one of the two names; after a failure of the disk nobody knows which.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let directory = Directory::open(to.parent().unwrap_or(Path::new("")))?;
    hook::rename(from, to, || fs::rename(from, to))?;
    directory.sync()
}

/// Removes a file. Its name may come back when the power fails.
///
/// # Errors
/// It cannot be removed, or is not there.
pub fn remove(path: &Path) -> io::Result<()> {
    hook::remove(path, || fs::remove_file(path))
}

/// All of a file; nothing if it is not there.
///
/// # Errors
/// It cannot be read.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match hook::read(path, || fs::read(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        octets => octets.map(Some),
    }
}

/// What is in a directory.
///
/// # Errors
/// The directory cannot be read.
pub fn list(path: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = hook::list(path, || fs::read_dir(path))?;
    entries.map(|entry| entry.map(|entry| entry.path())).collect()
}

/// Holds a store for this process, until it is dropped or the process ends.
#[derive(Debug)]
pub struct StoreLock {
    file: DiskFile,
}

impl StoreLock {
    /// Takes the lock of a store whose file is at `path`; it is beside it.
    ///
    /// # Errors
    /// The lock's file cannot be made or locked; its path comes with that.
    #[cfg(feature = "disk")]
    pub(crate) fn beside(path: &Path) -> Result<Option<Self>, (PathBuf, io::Error)> {
        let mut lock = path.as_os_str().to_owned();
        lock.push(".lock");
        let lock = PathBuf::from(lock);
        Self::take(&lock).map_err(|error| (lock, error))
    }

    /// Takes the lock of a file, which is made for it and stays; nothing if another process has it.
    ///
    /// # Errors
    /// The file cannot be made or locked.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        let file = DiskFile::open_with(path, options.write(true).create(true).truncate(false))?;
        match file.file().try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        // A process that another thread starts at this moment has the file too, until it runs its
        // program: to close the file would not release the lock.
        _ = self.file.file().unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::StoreLock;

    #[test]
    fn a_lock_is_released_while_a_process_that_is_just_started_has_its_file_too() {
        let name = format!("armilla-store-lock-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let lock = StoreLock::take(&path).unwrap().expect("nobody has it");
        assert!(StoreLock::take(&path).unwrap().is_none(), "it is held");
        let of_child = lock.file.file().try_clone().unwrap();
        drop(lock);
        assert!(StoreLock::take(&path).unwrap().is_some(), "it is released");
        drop(of_child);
        std::fs::remove_file(&path).unwrap();
    }
}
