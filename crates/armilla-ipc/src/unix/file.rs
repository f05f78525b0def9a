//! The file of a bound Unix-domain socket: made by `bind`, replaced if stale, removed at the end.

use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The file that a bound socket (or a named pipe) made, known by its identity and not by its name
/// alone.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    /// Binds `socket` to `target`, the form of `path` for the operating system. A file that a dead
    /// process left there is replaced.
    pub(crate) fn bind(
        socket: BorrowedFd<'_>,
        target: &SocketAddrUnix,
        path: &Path,
    ) -> io::Result<Self> {
        match net::bind(socket, target) {
            Err(Errno::ADDRINUSE) => {
                remove_stale(path, target, sockopt::socket_type(socket)?)?;
                net::bind(socket, target)?;
            }
            other => other?,
        }
        // From here on the file is ours, and is removed if anything fails.
        Self::at(path)
    }

    /// Takes over the file at `path`.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        // Absolute, because the process may have another working directory when it is removed.
        let path = std::path::absolute(path)?;
        let identity = identity(&path)?;
        Ok(Self { path, identity })
    }

    /// Removes the file if it is still the one that was made.
    pub(crate) fn remove(&self) {
        if identity(&self.path).is_ok_and(|found| found == self.identity) {
            // A file that cannot be removed is stale for the next process, which deals with it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Device and inode of the file at `path` itself, not of what a link points to.
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|data| (data.dev(), data.ino()))
}

/// Removes the socket file at `path` if no process listens there; otherwise the error names the
/// obstacle.
///
/// Two processes that do this at the same moment may both succeed, and the later one then owns the
/// path; the identity is compared again before removing to keep that moment short.
fn remove_stale(path: &Path, target: &SocketAddrUnix, kind: SocketType) -> io::Result<()> {
    let in_use = |reason: &str| io::Error::new(io::ErrorKind::AddrInUse, reason);
    let found = identity(path)?;
    if !fs::symlink_metadata(path)?.file_type().is_socket() {
        return Err(in_use("a file that is not a socket is in the way"));
    }
    // Without blocking: a listener whose queue is full is a listener.
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = net::socket_with(AddressFamily::UNIX, kind, flags, None)?;
    match net::connect(&socket, target) {
        Err(Errno::CONNREFUSED) if identity(path)? == found => fs::remove_file(path),
        Ok(()) if is_own(&socket) => Err(in_use("this process listens there already")),
        _ => Err(in_use("another process listens there")),
    }
}

/// Whether the peer of a connected socket is this process. A socket for datagrams does not know.
fn is_own(socket: impl AsFd) -> bool {
    let peer = sockopt::socket_peercred(socket);
    peer.is_ok_and(|peer| peer.pid.as_raw_nonzero().get().cast_unsigned() == std::process::id())
}
