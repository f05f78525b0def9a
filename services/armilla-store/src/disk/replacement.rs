//! A file in the place of another.

use super::{Directory, DiskFile, hook, remove};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

/// A file that is written beside another one, to take its place.
///
/// The directory is opened first: once the new file has the name, nothing is needed any more that
/// the system could lack. Dropping it before [`place`](Self::place) leaves all as it was.
#[derive(Debug)]
pub struct Replacement {
    directory: Directory,
    file: DiskFile,
    /// Where it is until it has its place.
    beside: Option<PathBuf>,
    path: PathBuf,
}

/// A file that has taken its place. Whoever had the old file open must go on with this one.
#[derive(Debug)]
#[must_use = "the old file has no name any more"]
pub struct Placed {
    /// The file.
    pub file: DiskFile,
    /// Whether its name is on the disk. Otherwise the old file may be back when the power fails,
    /// until another replacement succeeds.
    pub is_durable: io::Result<()>,
}

impl Replacement {
    /// Begins a file that is to be at `path`. If there is one, the new file gets its owner and its
    /// permissions, and a link is followed. One process at a time may replace a file.
    ///
    /// # Errors
    /// The directory cannot be opened, or the file cannot be made.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let path = match path.is_symlink() {
            true => fs::canonicalize(path)?,
            false => path.to_owned(),
        };
        let directory = Directory::open(path.parent().unwrap_or(Path::new("")))?;
        let mut beside = path.clone().into_os_string();
        beside.push(".armilla-new");
        let beside = PathBuf::from(beside);
        let file = DiskFile::create(&beside)?;
        let new = Self { directory, file, beside: Some(beside), path };
        if let Ok(old) = fs::metadata(&new.path) {
            give(new.file.file(), &old)?;
        }
        Ok(new)
    }

    /// The file, to be written.
    pub const fn file(&self) -> &DiskFile {
        &self.file
    }

    /// Brings the file to the disk and gives it its name.
    ///
    /// # Errors
    /// The old file is there as before.
    pub fn place(mut self) -> io::Result<Placed> {
        self.file.sync()?;
        if let Some(beside) = &self.beside {
            hook::rename(beside, &self.path, || fs::rename(beside, &self.path))?;
        }
        self.beside = None;
        Ok(Placed { file: self.file.clone(), is_durable: self.directory.sync() })
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // The next one writes over it.
            remove(beside).ok();
        }
    }
}

/// Gives a file to the owner of another one, if the process may, with its permissions: who repairs a
/// store need not be who serves from it.
///
/// # Errors
/// One of the files cannot be opened or changed.
#[cfg(feature = "disk")]
pub(crate) fn give_to_owner(file: &Path, of: &Path) -> io::Result<()> {
    give(&fs::File::open(file)?, &fs::metadata(of)?)
}

fn give(file: &fs::File, old: &fs::Metadata) -> io::Result<()> {
    let made = file.metadata()?;
    if (made.uid(), made.gid()) != (old.uid(), old.gid()) {
        // Only the superuser may.
        fchown(file, Some(old.uid()), Some(old.gid())).ok();
    }
    file.set_permissions(old.permissions())
}

/// Gives a file one more name that nothing has, `PATH.damaged-1` and so on, so that another one can
/// take its place. Returns it.
///
/// # Errors
/// The name cannot be made.
pub fn keep(path: &Path) -> io::Result<PathBuf> {
    let mut number = 1;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        match fs::hard_link(path, &name) {
            Ok(()) => return Ok(name.into()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Puts a file with these octets in the place of another, or where none was. It is on the disk when
/// this returns.
///
/// # Errors
/// The old file is there as before; after a failure of the disk it may be the new one.
pub fn replace(path: &Path, octets: &[u8]) -> io::Result<()> {
    let new = Replacement::begin(path)?;
    new.file().write_all_at(octets, 0)?;
    new.place()?.is_durable
}
