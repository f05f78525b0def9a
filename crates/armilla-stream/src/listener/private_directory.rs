//! The directory of the sockets of a listener. A process that is killed leaves its directory behind;
//! the next listener of the same user removes it.

use crate::Token;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder, DirEntry, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the names of these directories begin with.
const PREFIX: &str = "armilla-flows-";

/// The file that the process holds locked while it uses the directory.
const LOCK: &str = "lock";

/// A directory without the file is left alone for so long: its process may be about to make it.
const GRACE: Duration = Duration::from_secs(60);

/// The most directories that one listener looks at.
const MOST: usize = 1_000;

/// A directory that only this user can enter; removed with what is in it when it is dropped.
#[derive(Debug)]
pub(super) struct PrivateDirectory {
    path: PathBuf,
    /// Locked as long as the process lives.
    _lock: File,
}

impl PrivateDirectory {
    pub(super) fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    /// Makes one in `parent`, and removes those that dead processes have left there.
    fn within(parent: &Path) -> io::Result<Self> {
        sweep(parent);
        let mut name = PREFIX.to_owned();
        for octet in &Token::random()?.octets()[..8] {
            // Writing to a string does not fail.
            write!(name, "{octet:02x}").ok();
        }
        let path = parent.join(name);
        let made = DirBuilder::new().mode(0o700).create(&path);
        let locked = made.and_then(|()| File::create(path.join(LOCK))).and_then(|file| {
            file.try_lock()?;
            Ok(file)
        });
        let lock = locked.map_err(|error| {
            fs::remove_dir_all(&path).ok();
            let what = format!("cannot make the directory {} of sockets: {error}", path.display());
            io::Error::new(error.kind(), what)
        })?;
        Ok(Self { path, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // Someone may have removed it.
        fs::remove_dir_all(&self.path).ok();
    }
}

/// Removes the directories of dead processes in `parent`. Those of other users cannot be entered;
/// they stay.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let is_ours = |entry: &DirEntry| {
        entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    for entry in entries.flatten().filter(is_ours).take(MOST) {
        // An error is that of a directory of another user, or of one that has just gone.
        if is_abandoned(&entry).unwrap_or(false) {
            // Another process may be removing it too.
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// Whether no process holds the lock of the directory.
fn is_abandoned(entry: &DirEntry) -> io::Result<bool> {
    match File::open(entry.path().join(LOCK)) {
        Ok(lock) => Ok(lock.try_lock().is_ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let age = entry.metadata()?.modified()?.elapsed();
            Ok(age.is_ok_and(|age| age > GRACE))
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_by_the_next_listener() {
        let parent = PrivateDirectory::new().unwrap();
        let alive = PrivateDirectory::within(parent.path()).unwrap();
        let [dead, starting, other] =
            ["armilla-flows-dead", "armilla-flows-new", "other"].map(|name| {
                let path = parent.path().join(name);
                fs::create_dir(&path).unwrap();
                fs::write(path.join("flow"), "").unwrap();
                path
            });
        // The lock of a process ends with it; the file stays.
        for path in [&dead, &other] {
            fs::write(path.join(LOCK), "").unwrap();
        }
        let next = PrivateDirectory::within(parent.path()).unwrap();
        let there = [alive.path(), next.path(), &starting, &other, &dead].map(Path::exists);
        assert_eq!(there, [true, true, true, true, false]);
        let path = alive.path().to_owned();
        drop(alive);
        assert!(!path.exists());
    }
}
