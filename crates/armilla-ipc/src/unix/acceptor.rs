//! Listens at a path, and looks after the socket file there.

use super::{UnixStream, addr};
use crate::error::context;
use crate::socket::{Listener, Socket};
use crate::{Acceptor, Address, Stream, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::net::{self, SocketAddrUnix, SocketFlags};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Makes Unix-domain streams passively.
#[derive(Debug)]
pub struct UnixAcceptor {
    listener: Listener,
    local: Address,
    file: SocketFile,
    options: StreamOptions,
}

impl UnixAcceptor {
    /// Listens at the path of `address`, where it makes a socket file.
    ///
    /// A socket file left behind by a dead process is replaced; one at which somebody listens, and
    /// any other kind of file, is left alone. The file is removed when the acceptor is closed or
    /// dropped, unless another has taken its place by then.
    ///
    /// # Errors
    /// The message names the path; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(address: &Address, options: &StreamOptions) -> io::Result<Self> {
        let path = addr::path(address)?;
        Self::bind_to(path, options)
            .map_err(|error| context(format_args!("cannot listen at {address}"), error))
    }

    fn bind_to(path: &Path, options: &StreamOptions) -> io::Result<Self> {
        let target = addr::to_os(path)?;
        let fd = addr::socket(SocketFlags::empty())?;
        options.apply(fd.as_fd())?;
        match net::bind(&fd, &target) {
            Err(Errno::ADDRINUSE) => {
                remove_stale(path, &target)?;
                net::bind(&fd, &target)?;
            }
            other => other?,
        }
        // From here on the file is ours, and is removed if anything fails.
        let file = SocketFile::at(path)?;
        let listener = Listener::new(fd)?;
        Ok(Self { listener, local: Address::unix(path), file, options: options.clone() })
    }

    /// Waits for the next peer, as [`Acceptor::accept`] but typed.
    ///
    /// # Errors
    /// As [`Acceptor::accept`].
    pub fn accept(&self) -> io::Result<Option<UnixStream>> {
        let Some((fd, _peer)) = self.listener.accept()? else { return Ok(None) };
        // Unlike a TCP socket, a Unix-domain one does not hand its options on.
        self.options.apply(fd.as_fd())?;
        let socket = Socket::new(fd, self.local.clone(), addr::unnamed());
        Ok(Some(UnixStream::from_socket(socket)))
    }

    /// The path at which the acceptor listens.
    pub fn local(&self) -> &Address {
        &self.local
    }

    /// Stops listening and removes the socket file, as [`Acceptor::close`].
    pub fn close(&self) {
        if self.listener.close() {
            self.file.remove();
        }
    }
}

impl Acceptor for UnixAcceptor {
    fn accept(&self) -> io::Result<Option<Box<dyn Stream>>> {
        Ok(self.accept()?.map(|stream| Box::new(stream) as Box<dyn Stream>))
    }

    fn local(&self) -> &Address {
        self.local()
    }

    fn close(&self) {
        self.close();
    }
}

impl AsFd for UnixAcceptor {
    /// The listening socket, for what this type does not offer. Changing its state behind the
    /// acceptor's back is the caller's responsibility.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

/// The file that a bound socket made, known by its identity and not by its name alone.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    fn at(path: &Path) -> io::Result<Self> {
        // Absolute, because the process may have another working directory when it is removed.
        let path = std::path::absolute(path)?;
        let identity = identity(&path)?;
        Ok(Self { path, identity })
    }

    /// Removes the file if it is still the one that was made.
    fn remove(&self) {
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

/// Removes the socket file at `path` if nobody listens at it, otherwise tells who is in the way.
///
/// Two processes that do this at the same moment may both succeed, and the later one then owns the
/// path; the identity is compared again before removing to keep that moment short.
fn remove_stale(path: &Path, target: &SocketAddrUnix) -> io::Result<()> {
    let in_use = |reason: &str| io::Error::new(io::ErrorKind::AddrInUse, reason);
    let found = identity(path)?;
    if !fs::symlink_metadata(path)?.file_type().is_socket() {
        return Err(in_use("a file that is not a socket is in the way"));
    }
    // Without blocking: a listener whose queue is full is a listener.
    match net::connect(&addr::socket(SocketFlags::NONBLOCK)?, target) {
        Err(Errno::CONNREFUSED) if identity(path)? == found => fs::remove_file(path),
        _ => Err(in_use("another process listens there")),
    }
}
