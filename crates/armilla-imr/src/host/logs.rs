//! Files of what processes write.
//!
//! A process writes to the files itself, so that it goes on when the repository ends. They are
//! opened to append; when one has grown too large, what it holds is copied to a second file and it
//! is emptied.

use super::LogStream;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
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
        fs::create_dir_all(&self.directory)?;
        self.rotate(name, stream)?;
        let file = OpenOptions::new().create(true).append(true).open(self.path(name, stream))?;
        let size = file.metadata()?.len();
        Ok((file, size))
    }

    /// Empties a file that is too large, and keeps what it held as the old one.
    pub(super) fn rotate(&self, name: &str, stream: LogStream) -> io::Result<()> {
        let path = self.path(name, stream);
        let size = match fs::metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if size > self.limits.file {
            let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
            // What a process writes between the copy and the cut is lost, which its next line says
            // nothing about; a pipe would lose all when the repository ends.
            file.seek(SeekFrom::Start(size - self.limits.file))?;
            let mut old = File::create(old(&path))?;
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

fn old(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".old");
    name.into()
}

fn read_tail(path: &Path, from: u64, limit: usize) -> io::Result<Vec<u8>> {
    let mut file = match File::open(path) {
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
