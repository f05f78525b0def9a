//! Moving bytes from one stream to another.

use super::{CHUNK, Direct};
use rustix::fd::OwnedFd;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};
use std::io;

/// Moves bytes from one stream to another by way of a pipe within the kernel. Of use for one run.
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
    /// As [`Stream::recv`](crate::Stream::recv) of `from` and [`Stream::send`](crate::Stream::send) of
    /// `to`. What was in the relay's pipe at that moment is lost.
    pub fn run<S: Direct, D: Direct>(self, from: &S, to: &D) -> io::Result<u64> {
        let mut total = 0;
        loop {
            let taken =
                from.take(&mut |source| splice(source, None, &self.output, None, CHUNK, MOVE))?;
            if taken == 0 {
                return Ok(total);
            }
            let mut left = taken;
            while left > 0 {
                match to.give(&mut |sink| splice(&self.input, None, sink, None, left, MOVE))? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    moved => left -= moved,
                }
            }
            total += taken as u64;
        }
    }
}

const MOVE: SpliceFlags = SpliceFlags::MOVE;
