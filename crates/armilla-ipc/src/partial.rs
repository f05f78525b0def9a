//! Transfers of several system calls: the errors that tell how far a transfer got, and the plain
//! loops. The loops of sockets, which also watch the clock, are in `socket::retry`.

use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};

/// The most parts that one `sendmsg` takes (`IOV_MAX` of Linux).
pub(crate) const MAX_PARTS: usize = 1024;

/// A send that did not complete.
#[derive(Debug)]
pub struct SendError {
    /// How many bytes were handed to the operating system before the failure. Zero means that the
    /// peer has seen none of them; any other count may or may not have reached it.
    pub sent: usize,
    /// Why no more could be sent.
    pub source: io::Error,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sent {
            0 => write!(f, "cannot send, no byte was sent: {}", self.source),
            sent => write!(f, "cannot send more than {sent} bytes: {}", self.source),
        }
    }
}

/// A reception of an exact count that did not complete.
///
/// ```
/// use armilla_ipc::{Stream, UnixStream};
///
/// let (near, far) = UnixStream::pair()?;
/// far.send_all(b"ab")?;
/// drop(far);
/// let error = near.recv_all(&mut [0; 3]).unwrap_err();
/// assert_eq!((error.received, error.source.kind()), (2, std::io::ErrorKind::UnexpectedEof));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RecvError {
    /// How many bytes had arrived before the failure. They stand at the front of the buffer.
    pub received: usize,
    /// Why no more could be received.
    pub source: io::Error,
}

impl RecvError {
    /// The stream has ended after `received` bytes.
    pub(crate) fn end(received: usize) -> Self {
        let source = io::Error::new(io::ErrorKind::UnexpectedEof, "the stream has ended");
        Self { received, source }
    }
}

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot receive more than {} bytes: {}", self.received, self.source)
    }
}

/// Makes a struct with a `source` an error that turns into an [`io::Error`] of the same kind.
macro_rules! error_with_source {
    ($error:ty) => {
        impl std::error::Error for $error {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                Some(&self.source)
            }
        }

        impl From<$error> for io::Error {
            /// Keeps the kind; the count lives on in the message and in the wrapped error.
            fn from(error: $error) -> Self {
                Self::new(error.source.kind(), error)
            }
        }
    };
}
error_with_source!(SendError);
error_with_source!(RecvError);

/// What a complete send, or a failed one that came some way, counts as in a single attempt.
pub(crate) fn first_count(result: Result<(), SendError>, total: usize) -> io::Result<usize> {
    match result {
        Ok(()) => Ok(total),
        Err(SendError { sent: 0, source }) => Err(source),
        Err(SendError { sent, .. }) => Ok(sent),
    }
}

/// Receives with `recv` into the spare capacity of `buffer`, which it overwrites with zeros first.
pub(crate) fn recv_append(
    buffer: &mut Vec<u8>,
    recv: impl FnOnce(&mut [u8]) -> io::Result<usize>,
) -> io::Result<usize> {
    let before = buffer.len();
    buffer.resize(buffer.capacity(), 0);
    let received = recv(&mut buffer[before..]);
    buffer.truncate(before + received.as_ref().copied().unwrap_or_default());
    received
}

/// Fills `buffer` by calls of `recv`.
pub(crate) fn recv_all(
    buffer: &mut [u8],
    mut recv: impl FnMut(&mut [u8]) -> io::Result<usize>,
) -> Result<(), RecvError> {
    let mut received = 0;
    while let Some(rest) = buffer.get_mut(received..).filter(|rest| !rest.is_empty()) {
        match recv(rest) {
            Ok(0) => return Err(RecvError::end(received)),
            Ok(count) => received += count,
            Err(source) => return Err(RecvError { received, source }),
        }
    }
    Ok(())
}

/// Fills all of `parts` by calls of `recv`.
pub(crate) fn recv_all_vectored(
    mut parts: &mut [IoSliceMut<'_>],
    mut recv: impl FnMut(&mut [IoSliceMut<'_>]) -> io::Result<usize>,
) -> Result<(), RecvError> {
    let mut received = 0;
    IoSliceMut::advance_slices(&mut parts, 0); // drops empty parts at the front
    while !parts.is_empty() {
        match recv(parts) {
            Ok(0) => return Err(RecvError::end(received)),
            Ok(count) => {
                received += count;
                IoSliceMut::advance_slices(&mut parts, count);
            }
            Err(source) => return Err(RecvError { received, source }),
        }
    }
    Ok(())
}

/// Sends `bytes` by calls of `send`.
pub(crate) fn send_all(
    bytes: &[u8],
    mut send: impl FnMut(&[u8]) -> io::Result<usize>,
) -> Result<(), SendError> {
    let mut sent = 0;
    while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
        match send(rest) {
            Ok(0) => return Err(SendError { sent, source: io::ErrorKind::WriteZero.into() }),
            Ok(count) => sent += count,
            Err(source) => return Err(SendError { sent, source }),
        }
    }
    Ok(())
}

/// Sends all of `parts` by calls of `send`, each of which takes parts or a part of one alone.
pub(crate) fn send_all_vectored(
    parts: &[IoSlice<'_>],
    mut send: impl FnMut(&[IoSlice<'_>]) -> io::Result<usize>,
) -> Result<(), SendError> {
    let mut sent = 0;
    let (mut index, mut start) = (0, 0); // the part that is next, and what precedes it in bytes
    while let Some(part) = parts.get(index) {
        let end = start + part.len();
        if sent >= end {
            (index, start) = (index + 1, end);
            continue;
        }
        // The rest of a part that left in half goes alone: no copy of the list of parts is needed.
        let result = match &part[sent - start..] {
            rest if sent > start => send(&[IoSlice::new(rest)]),
            _ => send(&parts[index..]),
        };
        match result {
            Ok(0) => return Err(SendError { sent, source: io::ErrorKind::WriteZero.into() }),
            Ok(count) => sent += count,
            Err(source) => return Err(SendError { sent, source }),
        }
    }
    Ok(())
}
