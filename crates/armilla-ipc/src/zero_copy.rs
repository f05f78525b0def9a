//! Sending without copying the bytes through the process, or within the kernel.
//!
//! - [`send_file`] sends a part of a file (`sendfile`): the bytes never enter the process.
//! - [`Relay`] moves bytes from one stream to another (`splice`).
//! - [`ZeroCopy`] sends buffers that the network card reads in place (`MSG_ZEROCOPY`). It pays from
//!   some ten kilobytes on a real card and never on the loopback, where the kernel copies after all
//!   and says so: see [`ZeroCopy::was_copied`].
//!
//! What they cost beside plain sends is measured by `examples/zero_copy.rs`. Over the loopback of a
//! machine with two cores, for messages of 1 MiB: a file 130 µs instead of 175, a relay 237 instead of
//! 276, a buffer in place 210 instead of 154. Below 64 KiB none of them is worth its trouble but the
//! relay.
//!
//! # Safety contract
//! The one `unsafe` call of this file gives the kernel a buffer that it reads after the call has
//! returned. The buffer is shared (`Arc<[u8]>`), so it neither moves nor changes; [`ZeroCopy`] keeps a
//! reference until the kernel has confirmed every call, and leaks it if it is dropped before.

#![allow(unsafe_code)]

use crate::deadline::{Deadline, timed_out};
use crate::error::timespec;
use crate::partial::SendError;
use crate::socket::{RECV_LATE, SEND_LATE};
use crate::{Stream, TcpStream, sys};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::sendfile;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// What one call moves at most, and the size of the pipe of a [`Relay`].
const CHUNK: usize = 1 << 20;

/// Sends `count` bytes of `file` from `offset` on over `stream`, whose send timeout limits each wait.
/// The position of the file does not matter and does not change.
///
/// ```
/// use armilla_ipc::{Stream, UnixStream, zero_copy::send_file};
///
/// let (near, far) = UnixStream::pair()?;
/// let file = std::fs::File::open("Cargo.toml")?;
/// send_file(&near, &file, 1, 7)?;
/// let mut text = [0; 7];
/// far.recv_all(&mut text)?;
/// assert_eq!(&text, b"package");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Stream::send_all`]; [`io::ErrorKind::UnexpectedEof`] if the file is shorter.
pub fn send_file<S: Stream + AsFd>(
    stream: &S,
    file: impl AsFd,
    mut offset: u64,
    count: u64,
) -> Result<(), SendError> {
    let mut sent = 0_u64;
    while sent < count {
        let wanted = usize::try_from(count - sent).unwrap_or(CHUNK).min(CHUNK);
        let source = match sendfile(stream, &file, Some(&mut offset), wanted) {
            Ok(0) => io::Error::new(io::ErrorKind::UnexpectedEof, "the file has ended"),
            Ok(moved) => {
                sent += moved as u64;
                continue;
            }
            Err(Errno::INTR) => continue,
            Err(Errno::AGAIN) => timed_out(SEND_LATE, None),
            Err(errno) => errno.into(),
        };
        return Err(SendError { sent: usize::try_from(sent).unwrap_or(usize::MAX), source });
    }
    Ok(())
}

/// Moves bytes from one socket to another by way of a pipe within the kernel. Of use again and again.
#[derive(Debug)]
pub struct Relay {
    input: OwnedFd,
    output: OwnedFd,
}

impl Relay {
    /// A relay with a pipe of its own.
    ///
    /// # Errors
    /// A shortage of descriptors or memory.
    pub fn new() -> io::Result<Self> {
        let (input, output) = pipe_with(PipeFlags::CLOEXEC)?;
        // Larger steps; where the system does not grant them, smaller ones do.
        let _ = fcntl_setpipe_size(&output, CHUNK);
        Ok(Self { input, output })
    }

    /// Moves what arrives on `from` to `to` until `from` ends, and returns how many bytes that were.
    /// The timeouts of the two hold for each wait.
    ///
    /// # Errors
    /// As [`Stream::recv`] of `from` and [`Stream::send`] of `to`. The relay is then of no further
    /// use, because bytes may be left in its pipe.
    pub fn run<S: Stream + AsFd, D: Stream + AsFd>(self, from: &S, to: &D) -> io::Result<u64> {
        let mut total = 0;
        loop {
            let taken = step(from, &self.output, CHUNK, RECV_LATE)?;
            if taken == 0 {
                return Ok(total);
            }
            let mut left = taken;
            while left > 0 {
                match step(&self.input, to, left, SEND_LATE)? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    moved => left -= moved,
                }
            }
            total += taken as u64;
        }
    }
}

fn step(from: impl AsFd, to: impl AsFd, most: usize, late: &str) -> io::Result<usize> {
    loop {
        return match splice(&from, None, &to, None, most, SpliceFlags::MOVE) {
            Err(Errno::INTR) => continue,
            Err(Errno::AGAIN) => Err(timed_out(late, None)),
            other => Ok(other?),
        };
    }
}

/// Sends buffers in place over a TCP stream.
///
/// The kernel reads a buffer until the peer has confirmed its bytes. It is therefore shared and not
/// borrowed, and given back only by [`wait`](Self::wait).
///
/// ```
/// # use armilla_ipc::{Address, Stream, StreamOptions, TcpAcceptor, TcpConnector};
/// use armilla_ipc::zero_copy::ZeroCopy;
/// use std::{sync::Arc, time::Duration};
///
/// # let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &StreamOptions::default())?;
/// # let stream = TcpConnector::default().connect(acceptor.local(), None)?;
/// # let server = acceptor.accept()?.unwrap();
/// let image: Arc<[u8]> = vec![7; 100_000].into();
/// let mut sender = ZeroCopy::new(&stream)?;
/// sender.send(Arc::clone(&image))?;
/// # server.recv_all(&mut vec![0; 100_000])?;
/// sender.wait(Some(Duration::from_secs(5)))?;
/// assert_eq!(Arc::strong_count(&image), 1); // the kernel is done with it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ZeroCopy<'a> {
    stream: &'a TcpStream,
    /// What the kernel may still read.
    lent: VecDeque<Arc<[u8]>>,
    /// Calls whose completion has not been told.
    open_calls: u32,
    was_copied: bool,
}

impl<'a> ZeroCopy<'a> {
    /// Prepares `stream` (`SO_ZEROCOPY`). One at a time for a stream: the kernel does not tell them
    /// apart.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] or another error where the system has no such sending.
    pub fn new(stream: &'a TcpStream) -> io::Result<Self> {
        sys::ZERO_COPY.set(stream, 1)?;
        Ok(Self { stream, lent: VecDeque::new(), open_calls: 0, was_copied: false })
    }

    /// Sends all of `bytes`, and keeps them until [`wait`](Self::wait) learns that the kernel is done.
    ///
    /// Where the kernel has no room for more unconfirmed sends, the rest is sent with a copy.
    ///
    /// # Errors
    /// As [`Stream::send_all`].
    pub fn send(&mut self, bytes: Arc<[u8]>) -> Result<(), SendError> {
        self.lent.push_back(Arc::clone(&bytes));
        let mut sent = 0;
        while sent < bytes.len() {
            // SAFETY: `bytes` are in `lent`, which gives them up only when every call is confirmed;
            // shared, they neither move nor change.
            match unsafe { sys::send_zero_copy(self.stream.as_fd(), &bytes[sent..]) } {
                Ok(count) => {
                    sent += count;
                    self.open_calls += 1;
                }
                Err(Errno::INTR) => {}
                Err(Errno::NOBUFS) => {
                    let rest = self.stream.send_all(&bytes[sent..]);
                    return rest.map_err(|e| SendError { sent: sent + e.sent, ..e });
                }
                Err(Errno::AGAIN) => {
                    return Err(SendError { sent, source: timed_out(SEND_LATE, None) });
                }
                Err(errno) => return Err(SendError { sent, source: errno.into() }),
            }
        }
        self.take_completions().map_err(|source| SendError { sent, source })
    }

    /// Waits until the kernel is done with every buffer, and gives them up.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if it is not by then; the error of the stream.
    pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        let deadline = Deadline::after(timeout);
        loop {
            self.take_completions()?;
            if self.open_calls == 0 {
                return Ok(());
            }
            let late = |_| timed_out("the sent bytes were not confirmed", timeout);
            let left = deadline.remaining().map_err(late)?.map(timespec);
            // The error queue is always reported.
            match poll(&mut [PollFd::new(self.stream, PollFlags::empty())], left.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Whether the kernel had to copy in spite of all, as it does on the loopback. It then costs more
    /// than a plain send.
    pub fn was_copied(&self) -> bool {
        self.was_copied
    }

    /// Takes what confirmations there are; gives the buffers up when none is missing.
    fn take_completions(&mut self) -> io::Result<()> {
        loop {
            match sys::zero_copy_completion(self.stream.as_fd()) {
                Ok(completion) => {
                    self.open_calls = self.open_calls.saturating_sub(completion.calls);
                    self.was_copied |= completion.copied;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(errno) => return Err(errno.into()),
            }
        }
        if self.open_calls == 0 {
            self.lent.clear();
        }
        Ok(())
    }
}

impl Drop for ZeroCopy<'_> {
    /// Leaks what the kernel may still read: memory used for something else would be sent instead.
    fn drop(&mut self) {
        let _ = self.take_completions();
        self.lent.drain(..).for_each(std::mem::forget);
    }
}
