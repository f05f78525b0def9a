//! The readiness for which a descriptor is watched, by a handler of a reactor or by a connection in
//! progress. Below both, so that neither needs the other.

use rustix::event::epoll::EventFlags;
use std::ops::BitOr;

/// The readiness to wait for: reading, writing, both or neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interest(u8);

impl Interest {
    /// Nothing, not even the end of the stream: the handler pauses.
    pub const NONE: Self = Self(0);
    /// Bytes, a connection or an end to be read.
    pub const READ: Self = Self(1);
    /// Room to write.
    pub const WRITE: Self = Self(2);

    /// Whether all of `other` is waited for.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn flags(self) -> EventFlags {
        let mut flags = EventFlags::empty();
        flags.set(EventFlags::IN | EventFlags::RDHUP, self.contains(Self::READ));
        flags.set(EventFlags::OUT, self.contains(Self::WRITE));
        flags
    }
}

impl BitOr for Interest {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
