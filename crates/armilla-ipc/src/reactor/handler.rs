//! Event handlers: what they are told and what they answer. Registration is in `registry`.

use super::{Reactor, Token};
use crate::interest::Interest;
use rustix::event::epoll::EventFlags;
use rustix::fd::BorrowedFd;

/// Owns a descriptor and is called when something happens to it.
///
/// A handler that several threads may drive is still called by one at a time. It may register and
/// deregister any handler, itself too, and arm timers; no lock is held while it runs. Should it
/// panic, it is deregistered, and the panic goes on.
pub trait Handler: Send + Sync {
    /// The descriptor to watch: one and the same, open, as long as the handler is registered. It is
    /// asked for under a lock, so that this must not call the reactor, nor
    /// [`interest`](Self::interest).
    fn descriptor(&self) -> BorrowedFd<'_>;

    /// What to wait for at first; by default bytes to read.
    fn interest(&self) -> Interest {
        Interest::READ
    }

    /// Called when the descriptor is `ready`. An error or the end of a stream shows as readiness
    /// for what the handler waits for; the call that it then makes tells more.
    fn ready(&self, reactor: &Reactor, token: Token, ready: Ready) -> Next;

    /// Called once when the handler is no longer registered, and nothing is called after it; the
    /// reactor's share in the handler is dropped next.
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

    /// Whether reading would not wait: there are bytes, a connection, the end or an error.
    pub fn readable(self) -> bool {
        self.0.intersects(EventFlags::IN | EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR)
    }

    /// Whether writing would not wait: there is room, or an error.
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
pub enum Next {
    /// To be called again when one of these comes true; at once, if it is true already.
    Wait(Interest),
    /// To be left alone until [`Reactor::resume`], perhaps by another thread that has taken over.
    Pause,
    /// To be deregistered.
    Deregister,
}

impl Next {
    /// To be called when there is more to read.
    pub const READ: Self = Self::Wait(Interest::READ);
}
