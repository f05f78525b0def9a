//! The passive side of the named-pipe transport: reads requests from the named pipe at its path and
//! opens the two pipes that each request names.

use super::addr::{self, PipePaths};
use super::{FifoStream, addr::REQUEST};
use crate::accept::{AcceptDeadline, AcceptTimeout, EXHAUSTION_PAUSE, delegate_acceptor};
use crate::channel::{Channel, Direction, Half, set_pipe_size};
use crate::error::{context, is_resource_exhausted};
use crate::unix::SocketFile;
use crate::{Address, StreamOptions};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Makes streams of named pipes passively.
#[derive(Debug)]
pub struct FifoAcceptor {
    requests: Half,
    path: PathBuf,
    local: Address,
    file: SocketFile,
    options: StreamOptions,
    timeout: AcceptTimeout,
}

impl FifoAcceptor {
    /// Makes a named pipe at the path of `address` and listens there.
    ///
    /// Only processes of the same user may connect. A named pipe without a reader, such as a dead
    /// process leaves behind, is replaced; any other file is left alone. The pipe is removed when
    /// the acceptor is closed or dropped.
    ///
    /// # Errors
    /// The message names the path; [`io::ErrorKind::AddrInUse`] if it is taken.
    pub fn bind(address: &Address, options: &StreamOptions) -> io::Result<Self> {
        let path = addr::path(address)?;
        Self::bind_to(path, options)
            .map_err(|error| context(format_args!("cannot listen at {address}"), error))
    }

    fn bind_to(path: &Path, options: &StreamOptions) -> io::Result<Self> {
        match addr::make(path) {
            Err(Errno::EXIST) => {
                remove_stale(path)?;
                addr::make(path)?;
            }
            other => other?,
        }
        let file = SocketFile::at(path)?;
        // For writing too, so that the pipe does not end when the last connector has gone.
        let requests = Half::new(addr::open_at(path, OFlags::RDWR)?)?;
        // Absolute, because the process may change its working directory.
        let absolute = std::path::absolute(path)?;
        let (local, options) = (Address::fifo(path), options.clone());
        Ok(Self {
            requests,
            path: absolute,
            local,
            file,
            options,
            timeout: AcceptTimeout::default(),
        })
    }

    /// Waits for the next peer, as [`Acceptor::accept`](crate::Acceptor::accept) but typed.
    ///
    /// # Errors
    /// As [`Acceptor::accept`](crate::Acceptor::accept).
    pub fn accept(&self) -> io::Result<Option<FifoStream>> {
        let deadline = self.timeout.start();
        let mut request = [0; REQUEST];
        while self.next(&mut request, deadline)? {
            let Some(names) = PipePaths::from_request(&self.path, &request) else { continue };
            loop {
                match open_both(&names).and_then(|ends| self.make(ends)) {
                    Ok(stream) => return Ok(Some(stream)),
                    Err(error) if !is_resource_exhausted(&error) => break, // the connector gave up
                    Err(error) if !deadline.may_wait() => {
                        // Back into the queue, for the next attempt.
                        let _ = self.requests.try_send_vectored(&[IoSlice::new(&request)]);
                        return Err(error);
                    }
                    Err(_) => drop(deadline.remaining()?),
                }
                std::thread::sleep(EXHAUSTION_PAUSE);
            }
        }
        Ok(None)
    }

    /// The next request; false once closed.
    fn next(&self, request: &mut [u8; REQUEST], deadline: AcceptDeadline) -> io::Result<bool> {
        loop {
            match self.requests.try_recv(request) {
                Ok(0) => return Ok(false),
                Ok(REQUEST) => return Ok(true),
                Ok(_) => {} // nothing that a connector of this crate writes
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Err(error) if !deadline.may_wait() => return Err(error),
                Err(_) => self.requests.wait(Direction::Read, deadline.remaining()?)?,
            }
        }
    }

    fn make(&self, (input, output): (OwnedFd, OwnedFd)) -> io::Result<FifoStream> {
        set_pipe_size(output.as_fd(), &self.options)?;
        let names = (self.local.clone(), addr::unnamed());
        let channel = Channel::of_two((input, output), names)?;
        // If the connector goes at this moment, the stream tells.
        let _ = channel.send(&[addr::ACCEPTED]);
        Ok(FifoStream::new(channel))
    }

    /// The path at which the acceptor listens.
    pub fn local(&self) -> &Address {
        &self.local
    }

    /// Stops listening and removes the pipe, as [`Acceptor::close`](crate::Acceptor::close).
    pub fn close(&self) {
        self.file.remove();
        // A thread in `accept` wakes even if there is no descriptor left to end the pipe with.
        let _ = self.requests.end();
    }
}

delegate_acceptor!(FifoAcceptor, timeout);

impl AsFd for FifoAcceptor {
    /// The named pipe at which requests arrive. What is read from it is lost to the acceptor.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.requests.as_fd()
    }
}

/// Opens the pipes of a connection.
fn open_both(names: &PipePaths) -> io::Result<(OwnedFd, OwnedFd)> {
    let input = addr::open_at(&names.to_acceptor, OFlags::RDONLY)?;
    Ok((input, addr::open_at(&names.to_connector, OFlags::WRONLY)?))
}

/// Removes the named pipe at `path` if it has no reader; otherwise the error names the obstacle.
fn remove_stale(path: &Path) -> io::Result<()> {
    let in_use = |reason: &str| io::Error::new(io::ErrorKind::AddrInUse, reason);
    match addr::open_at(path, OFlags::WRONLY) {
        Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
            let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::lstat(path)?.st_mode);
            // A socket has no reader in this sense either.
            if kind.is_fifo() { fs::remove_file(path) } else { Err(in_use("a file is in the way")) }
        }
        Ok(_) => Err(in_use("another process reads the named pipe there")),
        Err(_) => Err(in_use("a file that is not a named pipe is in the way")),
    }
}
