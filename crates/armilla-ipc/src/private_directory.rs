//! Directories among temporary files. A process that is killed leaves its directory behind; the next one of
//! the same user that makes such a directory removes it.

use crate::random;
use rustix::fs::{Mode, OFlags, fstat, open, openat};
use std::fs::{self, DirBuilder, DirEntry, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file that the process holds locked while it uses the directory.
const LOCK: &str = "lock";

/// A directory without the file is left alone for so long: its process may be about to make it.
const GRACE: Duration = Duration::from_secs(60);

/// The most directories that one process looks at: of this user, and of all.
const MOST: usize = 1_000;
const MOST_OF_ALL: usize = 100_000;

/// A directory that only this user can enter; removed with what is in it when it is dropped, and by the next
/// process that makes one with the same prefix if its process was killed. There is a file `lock` in it.
///
/// ```
/// # use armilla_ipc::PrivateDirectory;
/// let directory = PrivateDirectory::new("armilla-doc-")?;
/// std::fs::write(directory.path().join("kept"), "as long as this lives")?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
    /// Locked as long as the process lives.
    _lock: File,
}

impl PrivateDirectory {
    /// Makes one among temporary files, whose name nobody can guess behind `prefix`, and removes those that
    /// dead processes have left there under this prefix.
    ///
    /// # Errors
    /// It cannot be made; the text says where.
    pub fn new(prefix: &str) -> io::Result<Self> {
        Self::within(&std::env::temp_dir(), prefix)
    }

    fn within(parent: &Path, prefix: &str) -> io::Result<Self> {
        sweep(parent, prefix);
        let path = parent.join(format!("{prefix}{:016x}", random::number()?));
        let made = DirBuilder::new().mode(0o700).create(&path);
        let locked = made.and_then(|()| make_locked(&path));
        let lock = locked.map_err(|error| {
            fs::remove_dir_all(&path).ok();
            let what = format!("cannot make the directory {}: {error}", path.display());
            io::Error::new(error.kind(), what)
        })?;
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // Someone may have removed it.
        fs::remove_dir_all(&self.path).ok();
    }
}

/// Makes the file [`LOCK`] in `directory`. It is locked before it gets its name: whoever found it
/// unlocked would take its process for dead.
fn make_locked(directory: &Path) -> io::Result<File> {
    let unnamed = directory.join("unlocked");
    let file = File::create(&unnamed)?;
    file.try_lock()?;
    fs::rename(unnamed, directory.join(LOCK))?;
    Ok(file)
}

/// Removes the directories of dead processes of this user in `parent`. Whatever others have put
/// there under such a name is neither opened nor removed.
fn sweep(parent: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let user = rustix::process::geteuid().as_raw();
    let is_ours = |entry: &DirEntry| {
        entry.file_name().to_string_lossy().starts_with(prefix)
            // This follows no link.
            && entry.metadata().is_ok_and(|found| found.is_dir() && found.uid() == user)
    };
    for entry in entries.flatten().take(MOST_OF_ALL).filter(is_ours).take(MOST) {
        // An error is that of a directory that has just gone, or is none of ours.
        if is_abandoned(&entry.path(), user).unwrap_or(false) {
            // Another process may be removing it too.
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// Whether a directory is one of this user, and no process holds its lock. Others may have renamed
/// it since it was listed, so what was opened is looked at, and nothing is opened that could wait.
fn is_abandoned(path: &Path, user: u32) -> io::Result<bool> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let directory = File::from(open(path, flags | OFlags::DIRECTORY, Mode::empty())?);
    let found = fstat(&directory)?;
    if found.st_uid != user {
        return Ok(false);
    }
    match openat(&directory, LOCK, flags, Mode::empty()) {
        Ok(lock) => {
            let lock = File::from(lock);
            let kind = lock.metadata()?;
            Ok(kind.is_file() && kind.uid() == user && lock.try_lock().is_ok())
        }
        Err(rustix::io::Errno::NOENT) => {
            let age = directory.metadata()?.modified()?.elapsed();
            Ok(age.is_ok_and(|age| age > GRACE))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIX: &str = "armilla-test-";

    fn within(parent: &PrivateDirectory) -> PrivateDirectory {
        PrivateDirectory::within(parent.path(), PREFIX).unwrap()
    }

    #[test]
    fn what_a_killed_process_left_is_removed_by_the_next_one() {
        let parent = PrivateDirectory::new("armilla-tests-").unwrap();
        let alive = within(&parent);
        let [dead, starting, other] =
            ["armilla-test-dead", "armilla-test-new", "other"].map(|name| {
                let path = parent.path().join(name);
                fs::create_dir(&path).unwrap();
                fs::write(path.join("flow"), "").unwrap();
                path
            });
        // The lock of a process ends with it; the file stays.
        for path in [&dead, &other] {
            fs::write(path.join(LOCK), "").unwrap();
        }
        let next = within(&parent);
        let there = [alive.path(), next.path(), &starting, &other, &dead].map(Path::exists);
        assert_eq!(there, [true, true, true, true, false]);
        let path = alive.path().to_owned();
        drop(alive);
        assert!(!path.exists());
    }

    #[test]
    fn processes_that_begin_at_once_take_no_directory_from_each_other() {
        let parent = PrivateDirectory::new("armilla-tests-").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let own = within(&parent);
                        assert!(own.path().join(LOCK).exists());
                    }
                });
            }
        });
    }

    /// Makes a pipe with a name, which nobody opens.
    fn make_pipe(path: &Path) {
        use rustix::fs::{CWD, FileType, mknodat};
        mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    }

    #[test]
    fn what_others_plant_beside_it_holds_nobody_and_stays() {
        let parent = PrivateDirectory::new("armilla-tests-").unwrap();
        let named = |name: &str| parent.path().join(format!("{PREFIX}{name}"));
        let (pipe, linked, target) = (named("pipe"), named("linked"), parent.path().join("target"));
        for path in [&pipe, &linked, &target] {
            fs::create_dir(path).unwrap();
        }
        // To open it waits for whoever writes to it.
        make_pipe(&pipe.join(LOCK));
        fs::write(target.join(LOCK), "").unwrap();
        std::os::unix::fs::symlink(target.join(LOCK), linked.join(LOCK)).unwrap();
        std::os::unix::fs::symlink(&target, named("link")).unwrap();
        make_pipe(&named("no-directory"));
        let (told, made) = std::sync::mpsc::channel();
        let beside = parent.path().to_owned();
        std::thread::spawn(move || told.send(PrivateDirectory::within(&beside, PREFIX)));
        let made = made.recv_timeout(Duration::from_secs(30)).expect("the pipe holds nobody");
        assert!(made.unwrap().path().exists());
        assert!([&pipe, &linked, &target.join(LOCK)].into_iter().all(|path| path.exists()));
    }

    #[test]
    fn directories_of_other_users_are_left_alone() {
        let parent = PrivateDirectory::new("armilla-tests-").unwrap();
        let path = parent.path().join("armilla-test-other");
        fs::create_dir(&path).unwrap();
        fs::write(path.join(LOCK), "").unwrap();
        let own = rustix::process::geteuid().as_raw();
        assert!(!is_abandoned(&path, own + 1).unwrap());
        assert!(is_abandoned(&path, own).unwrap());
        if own == 0 {
            std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
            sweep(parent.path(), PREFIX);
            assert!(path.join(LOCK).exists(), "the superuser may, and does not");
        }
    }
}
