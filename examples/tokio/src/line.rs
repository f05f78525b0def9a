//! A stream of `armilla-ipc` in a task. Tokio watches its descriptor; the stream's methods that do
//! not wait move the bytes.

use armilla_ipc::Stream;
use std::io;
use std::os::fd::BorrowedFd;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Sends all of `bytes`.
///
/// # Errors
/// Whatever the stream reports; [`io::ErrorKind::Unsupported`] if it has no descriptor.
pub async fn send_all(stream: &dyn Stream, mut bytes: &[u8]) -> io::Result<()> {
    let watched = watch(stream)?;
    while !bytes.is_empty() {
        let sent = watched.async_io(Interest::WRITABLE, |_| stream.try_send(bytes)).await?;
        bytes = &bytes[sent..];
    }
    Ok(())
}

/// Receives what has arrived, at least one byte; 0 at the end of the stream.
///
/// # Errors
/// As [`send_all`].
pub async fn recv(stream: &dyn Stream, buffer: &mut [u8]) -> io::Result<usize> {
    let watched = watch(stream)?;
    watched.async_io(Interest::READABLE, |_| stream.try_recv(buffer)).await
}

/// Registers the descriptor with the runtime of this task. A program that moves many messages over
/// one stream keeps the result.
// Tokio deprecates this function for descriptors that may be closed meanwhile; a borrowed one is
// open as long as it is borrowed.
#[allow(deprecated)]
fn watch(stream: &dyn Stream) -> io::Result<AsyncFd<BorrowedFd<'_>>> {
    let descriptor = stream.descriptor().ok_or(io::ErrorKind::Unsupported)?;
    AsyncFd::new(descriptor)
}
