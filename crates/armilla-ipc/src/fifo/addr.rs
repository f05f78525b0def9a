//! Paths of named pipes: those of an address, those of the two pipes of one connection, and how
//! they are opened.

use crate::Address;
use crate::channel::check;
use crate::error::wrong_transport;
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, OFlags, mkfifoat, open};
use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The length of every request. The kernel writes and reads so few bytes of a pipe as a whole.
pub(super) const REQUEST: usize = 32;

/// How many names are tried that prove to be taken.
const MAX_NAME_ATTEMPTS: usize = 64;

/// What the acceptor sends first.
pub(super) const ACCEPTED: u8 = b'!';

/// The path of a named-pipe address.
pub(super) fn path(address: &Address) -> io::Result<&Path> {
    match address {
        Address::Fifo(path) if path.as_os_str().is_empty() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is empty"))
        }
        Address::Fifo(path) => Ok(path),
        other => Err(wrong_transport("named-pipe", other)),
    }
}

/// The address of an end that has no name.
pub(super) fn unnamed() -> Address {
    Address::fifo("")
}

/// Makes a named pipe that only our user may open.
pub(super) fn make(path: &Path) -> Result<(), Errno> {
    mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR)
}

/// Opens the named pipe at `path` without waiting for the other side; anything else there is
/// refused.
pub(super) fn open_at(path: &Path, access: OFlags) -> io::Result<OwnedFd> {
    let fd =
        open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY, Mode::empty())?;
    check(&fd)?;
    Ok(fd)
}

/// The paths of the two named pipes of one connection.
#[derive(Debug)]
pub(super) struct PipePaths {
    pub(super) to_acceptor: PathBuf,
    pub(super) to_connector: PathBuf,
}

impl PipePaths {
    /// Names beside `path` that no other connection of this process has, and the request that tells
    /// the acceptor which they are: it names no file elsewhere.
    fn new_unique(path: &Path) -> (Self, [u8; REQUEST]) {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut request = [b' '; REQUEST];
        let text = format!("{}-{number}", std::process::id());
        // Two numbers of at most ten digits each.
        request.iter_mut().zip(text.bytes()).for_each(|(target, byte)| *target = byte);
        (Self::with_suffix(path, &text), request)
    }

    /// The names that `request`, which arrived at `path`, stands for.
    pub(super) fn from_request(path: &Path, request: &[u8; REQUEST]) -> Option<Self> {
        let text = std::str::from_utf8(request).ok()?.trim_end();
        let (process, number) = text.split_once('-')?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (digits(process) && digits(number)).then(|| Self::with_suffix(path, text))
    }

    fn with_suffix(path: &Path, suffix: &str) -> Self {
        let with = |end| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{suffix}.{end}"));
            PathBuf::from(name)
        };
        Self { to_acceptor: with("up"), to_connector: with("down") }
    }
}

/// The two named pipes themselves. Dropping this removes the names; open descriptors stay valid.
#[derive(Debug)]
pub(super) struct PipeFiles(pub(super) PipePaths);

impl PipeFiles {
    /// Makes both pipes beside `path`; the request tells the acceptor which they are.
    pub(super) fn new_unique(path: &Path) -> io::Result<(Self, [u8; REQUEST])> {
        for _ in 0..MAX_NAME_ATTEMPTS {
            let (names, request) = PipePaths::new_unique(path);
            match make(&names.to_connector) {
                // Left behind by a process that was killed and had our number.
                Err(Errno::EXIST) => continue,
                other => other?,
            }
            let files = Self(names);
            make(&files.0.to_acceptor)?;
            return Ok((files, request));
        }
        Err(Errno::EXIST.into())
    }
}

impl Drop for PipeFiles {
    fn drop(&mut self) {
        // A name that cannot be removed stays behind and does no harm.
        let _ = std::fs::remove_file(&self.0.to_acceptor);
        let _ = std::fs::remove_file(&self.0.to_connector);
    }
}
