//! Files of what processes write.
//!
//! A process writes to the files itself, so that it goes on when the repository ends. They are
//! opened to append; when one has grown too large, what it holds is copied to a second file and it
//! is emptied.
//!
//! Only this user reads them. Whoever could write in their directory could put a link there and
//! choose which file is written, so such a directory is refused, and links are not followed.

use super::LogStream;
use rustix::fs::OFlags;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// How much of what a server writes is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLimits {
    /// The size of a file in octets, at which it becomes the old one. Twice as much is kept.
    pub file: u64,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self { file: 4 << 20 }
    }
}

/// The directory of the files.
#[derive(Debug)]
pub(super) struct Logs {
    directory: PathBuf,
    limits: LogLimits,
}

impl Logs {
    pub(super) fn new(directory: PathBuf, limits: LogLimits) -> Self {
        Self { directory, limits }
    }

    /// The file of a stream of a server. Definitions allow no name that leads elsewhere.
    fn path(&self, name: &str, stream: LogStream) -> PathBuf {
        let ending = match stream {
            LogStream::Output => "out",
            LogStream::Errors => "err",
        };
        self.directory.join(format!("{name}.{ending}"))
    }

    /// Opens a file for a process that starts. Returns also its size.
    pub(super) fn open(&self, name: &str, stream: LogStream) -> io::Result<(File, u64)> {
        self.make_directory()?;
        self.rotate(name, stream)?;
        let file = options().create(true).append(true).open(self.path(name, stream))?;
        let size = file.metadata()?.len();
        Ok((file, size))
    }

    /// Makes the directory if it is missing, and refuses one in which strangers may write.
    fn make_directory(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let found = fs::metadata(&self.directory)?;
        let owner = rustix::process::geteuid().as_raw();
        // The superuser may do what it likes anyway.
        let why = match (found.uid(), found.mode()) {
            (user, _) if user != owner && user != 0 => format!("it belongs to user {user}"),
            (_, mode) if mode & 0o002 != 0 => "everybody may write there".to_owned(),
            _ => return Ok(()),
        };
        let what = format!("no logs in {}: {why}", self.directory.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
    }

    /// Empties a file that is too large, and keeps what it held as the old one.
    pub(super) fn rotate(&self, name: &str, stream: LogStream) -> io::Result<()> {
        let path = self.path(name, stream);
        let size = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if size > self.limits.file {
            let mut file = options().read(true).write(true).open(&path)?;
            // What a process writes between the copy and the cut is lost, which its next line says
            // nothing about; a pipe would lose all when the repository ends.
            file.seek(SeekFrom::Start(size - self.limits.file))?;
            let mut old = options().create(true).write(true).truncate(true).open(old(&path))?;
            io::copy(&mut (&mut file).take(self.limits.file), &mut old)?;
            file.set_len(0)?;
        }
        Ok(())
    }

    /// The last octets of a file, from the place `from` on.
    pub(super) fn tail(
        &self,
        name: &str,
        stream: LogStream,
        from: u64,
        limit: usize,
    ) -> io::Result<Vec<u8>> {
        let path = self.path(name, stream);
        let mut octets = read_tail(&path, from, limit)?;
        if from == 0 && octets.len() < limit && old(&path).exists() {
            let mut before = read_tail(&old(&path), 0, limit - octets.len())?;
            before.append(&mut octets);
            octets = before;
        }
        Ok(octets)
    }
}

/// Opens no links. What is made is for this user alone.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    options
}

fn old(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".old");
    name.into()
}

fn read_tail(path: &Path, from: u64, limit: usize) -> io::Result<Vec<u8>> {
    let mut file = match options().read(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened?,
    };
    let size = file.metadata()?.len();
    // A file that was emptied meanwhile is shorter than `from`.
    let from = if from > size { 0 } else { from };
    let start = from.max(size.saturating_sub(u64::try_from(limit).unwrap_or(u64::MAX)));
    file.seek(SeekFrom::Start(start))?;
    let mut octets = Vec::new();
    file.take(u64::try_from(limit).unwrap_or(u64::MAX)).read_to_end(&mut octets)?;
    Ok(octets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// Logs in a directory among temporary files, and that.
    fn logs() -> (Logs, PathBuf) {
        let name = crate::random::name("armilla-imr-test-").unwrap();
        let directory = std::env::temp_dir().join(name);
        (Logs::new(directory.clone(), LogLimits { file: 8 }), directory)
    }

    #[test]
    fn only_this_user_reads_what_a_server_writes() {
        use std::io::Write as _;
        let (logs, directory) = logs();
        let (mut file, _) = logs.open("bank", LogStream::Output).unwrap();
        file.write_all(b"more than eight").unwrap();
        logs.rotate("bank", LogStream::Output).unwrap();
        for (path, mode) in [("", 0o700), ("bank.out", 0o600), ("bank.out.old", 0o600)] {
            let found = fs::metadata(directory.join(path)).unwrap().permissions().mode();
            assert_eq!(found & 0o777, mode, "{path}");
        }
        assert_eq!(logs.tail("bank", LogStream::Output, 0, 100).unwrap(), b"an eight");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn links_in_the_directory_are_not_followed() {
        let (logs, directory) = logs();
        logs.open("bank", LogStream::Output).unwrap();
        let secret = directory.join("secret");
        fs::write(&secret, "unchanged and long").unwrap();
        for name in ["bank.out", "bank.err", "bank.out.old"] {
            fs::remove_file(directory.join(name)).ok();
            symlink(&secret, directory.join(name)).unwrap();
        }
        logs.open("bank", LogStream::Output).unwrap_err();
        logs.open("bank", LogStream::Errors).unwrap_err();
        logs.tail("bank", LogStream::Errors, 0, 100).unwrap_err();
        fs::remove_file(directory.join("bank.out")).unwrap();
        fs::write(directory.join("bank.out"), "more than eight").unwrap();
        logs.rotate("bank", LogStream::Output).unwrap_err();
        assert_eq!(fs::read_to_string(&secret).unwrap(), "unchanged and long");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_directory_in_which_strangers_write_is_refused() {
        let (logs, directory) = logs();
        fs::create_dir(&directory).unwrap();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
        let error = logs.open("bank", LogStream::Output).unwrap_err();
        assert!(error.to_string().contains("everybody may write there"), "{error}");
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&directory, Some(65_534), None).unwrap();
            let error = logs.open("bank", LogStream::Output).unwrap_err();
            assert!(error.to_string().contains("belongs to user 65534"), "{error}");
        }
        fs::remove_dir_all(directory).unwrap();
    }
}
