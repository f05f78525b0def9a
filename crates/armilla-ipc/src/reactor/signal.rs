//! Signals as events, so that an action may do what a signal handler must not.

use super::{Handler, Next, Reactor, Ready, Token};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, recv, socketpair};
use signal_hook::{SigId, consts, low_level};
use std::ffi::c_int;
use std::io;
use std::sync::Arc;

impl Reactor {
    /// Runs `action` in a thread of the reactor after the process got `signal`. Unlike a signal
    /// handler, `action` may call anything. Signals in quick succession may count as one. Other
    /// waiters for the same signal get it too. The signal's default effect is gone for the rest of
    /// the process.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a signal that cannot or must not be handled, such as
    /// SIGKILL; or if the operating system gives no descriptors.
    pub fn on_signal(
        &self,
        signal: c_int,
        action: impl Fn(&Reactor) + Send + Sync + 'static,
    ) -> io::Result<Token> {
        if consts::FORBIDDEN.contains(&signal) {
            let reason = format!("signal {signal} cannot be handled");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        let id = low_level::pipe::register(signal, theirs)?;
        self.register(Arc::new(SignalHandler { fd: ours, id, action }))
    }
}

/// The reading end of a socket pair into which the signal handler writes.
struct SignalHandler<F> {
    fd: OwnedFd,
    id: SigId,
    action: F,
}

impl<F: Fn(&Reactor) + Send + Sync> Handler for SignalHandler<F> {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    fn ready(&self, reactor: &Reactor, _: Token, _: Ready) -> Next {
        while matches!(recv(&self.fd, &mut [0_u8; 64], RecvFlags::DONTWAIT), Ok((_, 1..))) {}
        (self.action)(reactor);
        Next::READ
    }
}

impl<F> Drop for SignalHandler<F> {
    fn drop(&mut self) {
        low_level::unregister(self.id);
    }
}
