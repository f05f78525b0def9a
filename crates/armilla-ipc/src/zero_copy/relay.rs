//! Moving bytes from one stream to another (`splice`).

use super::{CHUNK, Spliceable};
use crate::partial::SendError;
use crate::stream::TransferDeadline;
use rustix::fd::OwnedFd;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};
use std::io;
use std::time::Duration;

/// Moves bytes from one stream to another by way of a pipe within the kernel. Of use for one run.
///
/// ```
/// use armilla_ipc::{Stream, UnixStream, zero_copy::Relay};
/// use std::{net::Shutdown, time::Duration};
///
/// let ((source, input), (output, sink)) = (UnixStream::pair()?, UnixStream::pair()?);
/// source.send_all(b"hello")?;
/// source.shutdown(Shutdown::Write)?;
/// let moved = Relay::new()?.with_timeout(Duration::from_secs(5)).run(&input, &output)?;
/// assert_eq!((moved, sink.recv(&mut [0; 8])?), (5, 5));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Relay {
    input: OwnedFd,
    output: OwnedFd,
    limit: Option<Duration>,
}

impl Relay {
    /// A relay with a pipe of its own.
    ///
    /// # Errors
    /// Exhausted descriptors or memory.
    pub fn new() -> io::Result<Self> {
        let (input, output) = pipe_with(PipeFlags::CLOEXEC)?;
        // Larger steps; where the system does not grant them, smaller ones do.
        let _ = fcntl_setpipe_size(&output, CHUNK);
        Ok(Self { input, output, limit: None })
    }

    /// The same relay, whose run ends within `limit` in total, however slowly the bytes come or go.
    /// The timeouts of the two streams are then set by it, and keep the last value.
    #[must_use]
    pub fn with_timeout(self, limit: Duration) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Moves what arrives on `from` to `to` until `from` ends, and returns how many bytes that
    /// were. The timeouts of the two hold for each wait, unless the whole has a
    /// [limit](Self::with_timeout).
    ///
    /// # Errors
    /// As [`Stream::recv`](crate::Stream::recv) of `from` and [`Stream::send`](crate::Stream::send)
    /// of `to`; `sent` counts what `to` had taken. What was in the relay's pipe at that moment is
    /// lost.
    pub fn run<S: Spliceable, D: Spliceable>(self, from: &S, to: &D) -> Result<u64, SendError> {
        let mut total = 0;
        match self.move_all(from, to, &mut total) {
            Ok(()) => Ok(total),
            Err(source) => {
                Err(SendError { sent: usize::try_from(total).unwrap_or(usize::MAX), source })
            }
        }
    }

    fn move_all<S: Spliceable, D: Spliceable>(
        &self,
        from: &S,
        to: &D,
        total: &mut u64,
    ) -> io::Result<()> {
        let whole = self.limit.map(TransferDeadline::new);
        let left = || whole.as_ref().map(TransferDeadline::left).transpose();
        loop {
            if let Some(left) = left()? {
                from.set_recv_timeout(left)?;
            }
            let mut taken = from
                .splice_read(&mut |source| splice(source, None, &self.output, None, CHUNK, MOVE))?;
            if taken == 0 {
                return Ok(());
            }
            while taken > 0 {
                if let Some(left) = left()? {
                    to.set_send_timeout(left)?;
                }
                match to
                    .splice_write(&mut |sink| splice(&self.input, None, sink, None, taken, MOVE))?
                {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    moved => {
                        taken -= moved;
                        *total += moved as u64;
                    }
                }
            }
        }
    }
}

const MOVE: SpliceFlags = SpliceFlags::MOVE;
