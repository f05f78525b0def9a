//! Where pipes are handed over, and pipes themselves.

use crate::error::{context, wrong_transport};
use crate::{Address, StreamOptions};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use std::io;
use std::path::Path;

/// What pipes are called when they are handed over.
pub(super) const KIND: u8 = b'p';

/// The path of a pipe address.
pub(super) fn path(address: &Address) -> io::Result<&Path> {
    match address {
        Address::Pipe(path) => Ok(path),
        other => Err(wrong_transport("pipe", other)),
    }
}

/// The address of an end that has no name.
pub(super) fn unnamed() -> Address {
    Address::pipe("")
}

/// A new pipe: what is written to the second is read from the first.
pub(super) fn new_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// Sets the size of the pipe that a stream of these options writes to.
pub(crate) fn apply(options: &StreamOptions, output: BorrowedFd<'_>) -> io::Result<()> {
    if let Some(size) = options.send_buffer {
        fcntl_setpipe_size(output, size)
            .map_err(|e| context(format_args!("cannot set the size of the pipe to {size}"), e))?;
    }
    Ok(())
}
