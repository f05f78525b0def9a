//! A handler that counts its calls, for the tests of the reactor.

use armilla_ipc::reactor::{Handler, Next, Reactor, Ready, Token};
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream as Plain;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// More than any step may take on a loaded machine.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// A handler over one end of a socket pair that runs a closure.
pub(crate) struct Probe<F> {
    socket: Plain,
    pub(crate) calls: AtomicUsize,
    pub(crate) closed: AtomicUsize,
    action: F,
}

pub(crate) type Action = dyn Fn(&Reactor, Token, &Plain) -> Next + Send + Sync;

pub(crate) fn probe(
    action: impl Fn(&Reactor, Token, &Plain) -> Next + Send + Sync + 'static,
) -> (Arc<Probe<Box<Action>>>, Plain) {
    let (ours, theirs) = Plain::pair().unwrap();
    let (calls, closed) = Default::default();
    let action: Box<Action> = Box::new(action);
    (Arc::new(Probe { socket: ours, calls, closed, action }), theirs)
}

impl Handler for Probe<Box<Action>> {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn ready(&self, reactor: &Reactor, token: Token, _: Ready) -> Next {
        assert_eq!(self.closed.load(Ordering::SeqCst), 0, "called after it was closed");
        self.calls.fetch_add(1, Ordering::SeqCst);
        (self.action)(reactor, token, &self.socket)
    }

    fn closed(&self, _: &Reactor, _: Token) {
        self.closed.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) fn read_byte(socket: &Plain) -> Next {
    let mut socket = socket;
    match socket.read(&mut [0; 1]) {
        Ok(1) => Next::READ,
        _ => Next::Deregister,
    }
}

/// Handles all present events, and those that they cause.
pub(crate) fn settle(reactor: &Reactor) {
    while reactor.handle_events(Some(Duration::ZERO)).unwrap() > 0 {}
}
