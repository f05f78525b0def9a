//! Sending a part of a file (`sendfile`).

use super::{CHUNK, Spliceable};
use crate::WithTimeout;
use crate::partial::SendError;
use rustix::fd::AsFd;
use rustix::fs::sendfile;
use std::io;

/// Sends `count` bytes of `file` from `offset` on over `stream`, whose send timeout limits each
/// wait; [`WithTimeout::send_file`] limits the whole. The position of the file does not matter and
/// does not change.
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
/// A stream whose bytes the kernel cannot move does not compile:
///
/// ```compile_fail,E0277
/// use armilla_ipc::{ShmStream, zero_copy::send_file};
///
/// fn send(stream: &ShmStream, file: &std::fs::File) {
///     send_file(stream, file, 0, 1); // shared memory
/// }
/// ```
///
/// # Errors
/// As [`Stream::send_all`](crate::Stream::send_all); [`io::ErrorKind::UnexpectedEof`] if the file
/// is shorter.
pub fn send_file<S: Spliceable>(
    stream: &S,
    file: impl AsFd,
    offset: u64,
    count: u64,
) -> Result<(), SendError> {
    send_steps(stream, file, offset, count, || Ok(()))
}

/// Sends as [`send_file`] does, in steps of one system call, each of which `before` must allow.
fn send_steps<S: Spliceable>(
    stream: &S,
    file: impl AsFd,
    mut offset: u64,
    count: u64,
    mut before: impl FnMut() -> io::Result<()>,
) -> Result<(), SendError> {
    let mut sent = 0_u64;
    while sent < count {
        let wanted = usize::try_from(count - sent).unwrap_or(CHUNK).min(CHUNK);
        let moved = before().and_then(|()| {
            stream.splice_write(&mut |output| sendfile(output, &file, Some(&mut offset), wanted))
        });
        let source = match moved {
            Ok(0) => io::Error::new(io::ErrorKind::UnexpectedEof, "the file has ended"),
            Ok(moved) => {
                sent += moved as u64;
                continue;
            }
            Err(error) => error,
        };
        return Err(SendError { sent: usize::try_from(sent).unwrap_or(usize::MAX), source });
    }
    Ok(())
}

impl<S: Spliceable> WithTimeout<'_, S> {
    /// As [`send_file`]: the limit is that of the whole, however slowly the peer takes it.
    ///
    /// # Errors
    /// As [`send_file`].
    pub fn send_file(&self, file: impl AsFd, offset: u64, count: u64) -> Result<(), SendError> {
        let (stream, limit) = (self.stream(), self.transfer_deadline());
        send_steps(stream, file, offset, count, || stream.set_send_timeout(limit.left()?))
    }
}
