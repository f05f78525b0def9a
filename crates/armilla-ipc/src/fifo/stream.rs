//! The stream of the named-pipe transport. The transfers are those of `channel`.

use crate::channel::Channel;
#[cfg(feature = "zero-copy")]
use crate::splice::delegate_splice;
use crate::stream::delegate_stream;
use rustix::fd::BorrowedFd;

/// A stream of two named pipes, one for each direction.
#[derive(Debug)]
pub struct FifoStream {
    channel: Channel,
}

impl FifoStream {
    pub(super) fn new(channel: Channel) -> Self {
        Self { channel }
    }

    /// The pipe that is read and the one that is written, for what this type does not offer. They
    /// are non-blocking, which is relied on here.
    pub fn descriptors(&self) -> (BorrowedFd<'_>, BorrowedFd<'_>) {
        (self.channel.input(), self.channel.output())
    }
}

delegate_stream!(FifoStream, channel);
#[cfg(feature = "zero-copy")]
delegate_splice!(FifoStream, channel);
