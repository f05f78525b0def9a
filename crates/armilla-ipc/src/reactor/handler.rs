//! Event handlers: the events that they get, and what they want next. Registration is in
//! `registry`.

use super::{Reactor, Token};
use crate::interest::Interest;
use rustix::event::epoll::EventFlags;
use rustix::fd::BorrowedFd;

/// Handles the events of one descriptor, which it owns.
///
/// Several threads may run a reactor, but only one of them at a time calls a handler. A handler may
/// register and deregister any handler, itself too, and may arm timers: the reactor holds no lock
/// while it runs. A handler that panics is deregistered, and the panic goes on.
pub trait Handler: Send + Sync {
    /// The descriptor to watch. It must stay open and the same while the handler is registered. The
    /// reactor calls this and [`interest`](Self::interest) under a lock: neither may call the
    /// reactor.
    fn descriptor(&self) -> BorrowedFd<'_>;

    /// What to wait for after registration; by default bytes to read.
    fn interest(&self) -> Interest {
        Interest::READ
    }

    /// Handles the readiness of the descriptor. An error or the end of a stream counts as readiness
    /// for whatever the handler waits for; the next system call on the descriptor reports which.
    fn ready(&self, reactor: &Reactor, token: Token, ready: Ready) -> Next;

    /// Called once, as the last call, when the handler is no longer registered. The reactor then
    /// drops its reference.
    fn closed(&self, reactor: &Reactor, token: Token) {
        let _ = (reactor, token);
    }
}

/// What a descriptor is ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready(EventFlags);

impl Ready {
    pub(super) fn new(flags: EventFlags) -> Self {
        Self(flags)
    }

    /// Whether a read would not block: there are bytes, a connection, the end of the stream, or an
    /// error.
    pub fn readable(self) -> bool {
        self.0.intersects(EventFlags::IN | EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR)
    }

    /// Whether a write would not block: there is room, or an error.
    pub fn writable(self) -> bool {
        self.0.intersects(EventFlags::OUT | EventFlags::HUP | EventFlags::ERR)
    }

    /// Whether the peer has ended its direction, or both have ended. Bytes may still be there.
    pub fn ended(self) -> bool {
        self.0.intersects(EventFlags::RDHUP | EventFlags::HUP)
    }
}

/// What a handler wants after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Next {
    /// Call again when one of these is true; at once, if one is true already.
    Wait(Interest),
    /// Do not call again until [`Reactor::resume`], which another thread may call.
    Pause,
    /// Deregister the handler.
    Deregister,
}

impl Next {
    /// Call again when there is more to read.
    pub const READ: Self = Self::Wait(Interest::READ);
}
