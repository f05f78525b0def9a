//! The disk, as a log sees it.
//!
//! A log reaches the disk by [`Files`] alone, so that a simulated disk can take the place of
//! [`Directory`].

mod directory;
#[cfg(feature = "simulation")]
pub mod simulated;

pub use directory::Directory;

use crate::LogError;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The files of one log, held for it alone until this is dropped.
pub trait Files: Debug + Send + Sync + Sized + 'static {
    /// One of them.
    type File: LogFile;

    /// Where they are, for the text of errors.
    fn path(&self) -> &Path;

    /// Their names.
    ///
    /// # Errors
    /// They cannot be read.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Brings all names to the disk: a process before may have ended before it did.
    ///
    /// # Errors
    /// They may not be on the disk.
    fn sync_names(&self) -> io::Result<()>;

    /// Opens a file that is there.
    ///
    /// # Errors
    /// It is not there, or cannot be opened.
    fn open(&self, name: &str) -> io::Result<Self::File>;

    /// Makes an empty file, in the place of one that has the name.
    ///
    /// # Errors
    /// It cannot be made.
    fn create(&self, name: &str) -> io::Result<Self::File>;

    /// Gives a file another name, in the place of one that has it. The names are on the disk when
    /// this returns.
    ///
    /// # Errors
    /// After one, nobody knows which name it has.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file. Its name may come back when the power fails.
    ///
    /// # Errors
    /// It cannot be removed.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Gives a file one more name, which nothing has, and returns it: another file is to take its
    /// place.
    ///
    /// # Errors
    /// It cannot be made.
    fn keep(&self, name: &str) -> io::Result<PathBuf>;

    /// Whether the directory is where it was when it was opened, and the file in it has this name
    /// still: otherwise what is written goes with the process.
    fn is_in_place(&self, name: &str, file: &Self::File) -> bool;

    /// How many octets the disk has room for.
    ///
    /// # Errors
    /// The system does not tell.
    fn room(&self) -> io::Result<u64>;

    /// The time of day, by which the age of records is told.
    fn now(&self) -> SystemTime;

    /// A number that is not used twice.
    fn unique(&self) -> u64;

    /// The error of an operation on a file.
    #[doc(hidden)]
    fn error(&self, name: &str, what: &str, error: &io::Error) -> LogError {
        LogError::io(self.path().join(name), what, error)
    }
}

/// A file of a log. Any thread may use it.
pub trait LogFile: Debug + Send + Sync + 'static {
    /// The length in octets.
    ///
    /// # Errors
    /// The system does not tell.
    fn length(&self) -> io::Result<u64>;

    /// Reads octets from a place on. Returns how many there are, which is less than asked for only
    /// at the end of the file.
    ///
    /// # Errors
    /// They cannot be read.
    fn read_at(&self, octets: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes octets to a place. They are on the disk after [`sync`](Self::sync).
    ///
    /// # Errors
    /// Some of them may be written.
    fn write_all_at(&self, octets: &[u8], offset: u64) -> io::Result<()>;

    /// Makes the file this long, and reserves room on the disk for all of it.
    ///
    /// # Errors
    /// There is no room.
    fn allocate(&self, length: u64) -> io::Result<()>;

    /// Makes the file this long, without reserving room.
    ///
    /// # Errors
    /// It cannot be changed.
    fn set_length(&self, length: u64) -> io::Result<()>;

    /// Brings what was written to the disk. After an error the file is not to be trusted.
    ///
    /// # Errors
    /// It is not on the disk, or nobody knows.
    fn sync(&self) -> io::Result<()>;
}
