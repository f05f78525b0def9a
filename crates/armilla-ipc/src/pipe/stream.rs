//! The stream of the pipe transport. The transfers are those of `channel`.

use crate::Credentials;
use crate::channel::Channel;
use crate::pipe::addr;
#[cfg(feature = "zero-copy")]
use crate::splice::delegate_splice;
use crate::stream::delegate_stream;
use rustix::fd::BorrowedFd;
use std::io;

/// A stream of two pipes, one for each direction.
#[derive(Debug)]
pub struct PipeStream {
    channel: Channel,
}

impl PipeStream {
    pub(super) fn new(channel: Channel) -> Self {
        Self { channel }
    }

    /// Two streams connected to each other, within the process.
    ///
    /// # Errors
    /// Exhausted descriptors or memory.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (near_input, far_output) = addr::new_pipe()?;
        let (far_input, near_output) = addr::new_pipe()?;
        let stream =
            |ends| Channel::of_two(ends, (addr::unnamed(), addr::unnamed())).map(Self::new);
        Ok((stream((near_input, near_output))?, stream((far_input, far_output))?))
    }

    /// The credentials of the peer's process at the time of the connection; `None` for a pair
    /// within this process.
    pub fn peer_credentials(&self) -> Option<Credentials> {
        self.channel.peer_credentials()
    }

    /// The pipe that is read and the one that is written, for what this type does not offer. They
    /// are non-blocking, which is relied on here.
    pub fn descriptors(&self) -> (BorrowedFd<'_>, BorrowedFd<'_>) {
        (self.channel.input(), self.channel.output())
    }
}

delegate_stream!(PipeStream, channel, Self::peer_credentials);
#[cfg(feature = "zero-copy")]
delegate_splice!(PipeStream, channel);
