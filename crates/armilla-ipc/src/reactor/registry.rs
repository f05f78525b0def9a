//! Registering, resuming and deregistering handlers, at any moment and from any thread.

use super::Reactor;
use super::handler::{Handler, Next};
use super::table::{Phase, Token};
use crate::error::context;
use crate::interest::Interest;
use std::io;
use std::sync::Arc;

impl Reactor {
    /// Registers `handler`, which waits for its [`interest`](Handler::interest) from now on.
    ///
    /// # Errors
    /// Whatever the kernel says: a descriptor can be registered once with a reactor
    /// ([`io::ErrorKind::AlreadyExists`]), and one of a plain file cannot be waited for.
    pub fn register(&self, handler: Arc<dyn Handler>) -> io::Result<Token> {
        self.table
            .insert(handler, |handler, token, slot| {
                slot.interest = handler.interest();
                self.epoll.add(handler.descriptor(), token, slot.interest)
            })
            .map_err(|error| context("cannot watch the descriptor", error))
    }

    /// Changes what a handler waits for, above all that of one which pauses; false if it is no
    /// longer registered. While the handler runs, this adds to what it is about to ask for.
    ///
    /// # Errors
    /// Whatever the kernel reports; none is known for a registered handler.
    pub fn resume(&self, token: Token, interest: Interest) -> io::Result<bool> {
        let Some(mut slot) = self.table.get(token) else { return Ok(false) };
        match (slot.phase, &slot.handler) {
            (Phase::Idle, Some(handler)) => {
                self.epoll.modify(handler.descriptor(), token, interest)?;
                slot.interest = interest;
            }
            (Phase::Running, _) => slot.resumed = Some(interest),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Ends a registration; false if that has happened already.
    ///
    /// The handler is not entered any more. If another thread is in it at this moment (or the
    /// calling one, which then is in the handler itself), that thread tells it that it is
    /// [`closed`](Handler::closed) when it comes out, otherwise this call does. Events on their way
    /// are dropped.
    pub fn deregister(&self, token: Token) -> bool {
        let Some(mut slot) = self.table.get(token) else { return false };
        let (phase, Some(handler)) = (slot.phase, &slot.handler) else { return false };
        if phase == Phase::Leaving {
            return false;
        }
        self.epoll.remove(handler.descriptor());
        if phase == Phase::Running {
            slot.phase = Phase::Leaving;
            return true;
        }
        if let Some(handler) = self.table.vacate(slot, token) {
            handler.closed(self, token);
        }
        true
    }

    /// Lets the calling thread into the handler, unless the token is stale, the
    /// handler pauses, or another thread is in it.
    pub(super) fn enter(&self, token: Token) -> Option<HandlerGuard<'_>> {
        let mut slot = self.table.get(token)?;
        if slot.phase != Phase::Idle || slot.interest == Interest::NONE {
            return None;
        }
        let handler = slot.handler.clone()?;
        slot.phase = Phase::Running;
        Some(HandlerGuard { reactor: self, token, handler, next: Next::Deregister })
    }

    /// Puts into force what the handler wants next.
    fn leave(&self, token: Token, handler: &dyn Handler, next: Next) {
        let Some(mut slot) = self.table.get(token) else { return };
        let resumed = slot.resumed.take();
        let leaving = slot.phase == Phase::Leaving;
        let next = match (next, resumed) {
            (Next::Deregister, _) => Next::Deregister,
            (Next::Pause, resumed) => Next::Wait(resumed.unwrap_or(Interest::NONE)),
            (Next::Wait(interest), resumed) => {
                Next::Wait(interest | resumed.unwrap_or(Interest::NONE))
            }
        };
        if let (Next::Wait(interest), false) = (next, leaving) {
            slot.phase = Phase::Idle;
            // Disarmed by the event, and to stay so: nothing to tell the kernel.
            let disarmed = self.epoll.is_shared() && interest == Interest::NONE;
            let armed = !self.epoll.is_shared() && interest == slot.interest;
            slot.interest = interest;
            if disarmed || armed || self.epoll.modify(handler.descriptor(), token, interest).is_ok()
            {
                return;
            }
            // The handler has closed its descriptor: it cannot be called again.
        }
        if !leaving {
            self.epoll.remove(handler.descriptor());
        }
        drop(self.table.vacate(slot, token));
        handler.closed(self, token);
    }
}

/// A thread in a handler. When it comes out, be it by a panic, the registration learns what is
/// next.
pub(super) struct HandlerGuard<'a> {
    reactor: &'a Reactor,
    pub(super) token: Token,
    pub(super) handler: Arc<dyn Handler>,
    pub(super) next: Next,
}

impl Drop for HandlerGuard<'_> {
    fn drop(&mut self) {
        self.reactor.leave(self.token, &*self.handler, self.next);
    }
}
