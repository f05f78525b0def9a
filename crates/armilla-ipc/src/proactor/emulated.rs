//! The backend without kernel support: it makes non-blocking calls whenever the reactor reports
//! that a socket is ready.

use super::Proactor;
use super::source::{AttachedSocket, Direction, Operation, PendingOperation, cancelled};
use crate::reactor::{Handler, Interest, Next, Notifier, Reactor, Ready, Token};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags, SocketFlags};
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Emulated {
    reactor: Reactor,
    completions: Arc<CompletionQueue>,
    /// Wakes the running thread when another thread has cancelled an operation.
    wakeup: Notifier,
}

/// Completed operations in order, not yet reported.
#[derive(Default)]
struct CompletionQueue(Mutex<VecDeque<Completed>>);

struct Completed {
    source: AttachedSocket,
    pending: PendingOperation,
    result: io::Result<usize>,
    peer: Option<OwnedFd>,
}

impl Emulated {
    pub(super) fn new() -> io::Result<Self> {
        let reactor = Reactor::new()?;
        let wakeup = reactor.notifier(|_| {})?;
        Ok(Self { reactor, completions: Arc::default(), wakeup })
    }

    pub(super) fn reactor(&self) -> &Reactor {
        &self.reactor
    }

    pub(super) fn attach(&self, socket: Arc<dyn AsFd + Send + Sync>) -> io::Result<AttachedSocket> {
        let source = AttachedSocket::new(socket);
        let completions = Arc::clone(&self.completions);
        let token = self
            .reactor
            .register(Arc::new(ReadinessHandler { source: source.clone(), completions }))?;
        source.token().get_or_init(|| token);
        Ok(source)
    }

    pub(super) fn submit(&self, source: &AttachedSocket, direction: Direction) -> io::Result<()> {
        let Some(&token) = source.token().get() else { return Ok(()) }; // it was attached elsewhere
        // Held until the reactor has the interest, so that no other thread sets that of the other
        // direction in between.
        let other = source.direction(match direction {
            Direction::Receive => Direction::Send,
            Direction::Send => Direction::Receive,
        });
        let interest = match *other {
            Some(_) => Interest::READ | Interest::WRITE,
            None => interest_of(direction),
        };
        self.reactor.resume(token, interest)?;
        Ok(())
    }

    pub(super) fn detach(&self, source: &AttachedSocket) {
        if !source.mark_detached() {
            return;
        }
        if let Some(&token) = source.token().get() {
            self.reactor.deregister(token);
        }
        for direction in Direction::BOTH {
            if let Some(pending) = source.direction(direction).take() {
                self.completions.add(source, pending, Err(cancelled()), None);
            }
        }
        self.wakeup.notify();
    }

    pub(super) fn handle_events(
        &self,
        proactor: &Proactor,
        timeout: Option<Duration>,
    ) -> io::Result<usize> {
        let timeout = if self.completions.is_empty() { timeout } else { Some(Duration::ZERO) };
        self.reactor.handle_events(timeout)?;
        // Only the present ones: handlers may complete more, and timers must not starve.
        let count = self.completions.lock().len();
        for _ in 0..count {
            let Some(outcome) = self.completions.lock().pop_front() else { break };
            let Completed { source, pending, result, peer } = outcome;
            pending.complete(proactor, source, result, peer);
        }
        Ok(count)
    }
}

impl CompletionQueue {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Completed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn add(
        &self,
        source: &AttachedSocket,
        pending: PendingOperation,
        result: io::Result<usize>,
        peer: Option<OwnedFd>,
    ) {
        self.lock().push_back(Completed { source: source.clone(), pending, result, peer });
    }
}

impl fmt::Debug for CompletionQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Finished").field(&self.lock().len()).finish()
    }
}

/// Tries the operations of one socket when it is ready for them.
struct ReadinessHandler {
    source: AttachedSocket,
    completions: Arc<CompletionQueue>,
}

impl Handler for ReadinessHandler {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.source.socket()
    }

    fn interest(&self) -> Interest {
        Interest::NONE
    }

    fn ready(&self, _: &Reactor, _: Token, ready: Ready) -> Next {
        let mut next = Interest::NONE;
        for (direction, able) in
            Direction::BOTH.into_iter().zip([ready.readable(), ready.writable()])
        {
            let mut entry = self.source.direction(direction);
            let Some(mut pending) = entry.take() else { continue };
            let outcome = if able { try_operation(&mut pending, self.descriptor()) } else { None };
            match outcome {
                Some((result, peer)) => self.completions.add(&self.source, pending, result, peer),
                None => {
                    *entry = Some(pending);
                    next = next | interest_of(direction);
                }
            }
        }
        if next == Interest::NONE { Next::Pause } else { Next::Wait(next) }
    }
}

type Result = (io::Result<usize>, Option<OwnedFd>);

/// Goes on without blocking; `None` if the operation is not complete afterwards.
fn try_operation(pending: &mut PendingOperation, socket: BorrowedFd<'_>) -> Option<Result> {
    loop {
        let errno = match pending.operation {
            Operation::Accept => match accept(socket) {
                Ok(peer) => return Some((Ok(0), Some(peer))),
                Err(errno) => errno,
            },
            Operation::Receive => {
                match net::recv(socket, pending.buffer.as_mut_slice(), RecvFlags::DONTWAIT) {
                    Ok((_, count)) => return Some((Ok(count), None)),
                    Err(errno) => errno,
                }
            }
            Operation::Send => {
                let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
                match net::send(socket, pending.rest(), flags) {
                    Ok(count) => {
                        pending.moved += count;
                        if pending.rest().is_empty() {
                            return Some((Ok(pending.moved), None));
                        }
                        continue;
                    }
                    Err(errno) => errno,
                }
            }
        };
        match errno {
            Errno::AGAIN => return None,
            Errno::INTR => {}
            errno => return Some((Err(errno.into()), None)),
        }
    }
}

/// Accepts a peer that is there. The listening socket may be a blocking one, and another process
/// may take the peer between the look and the grasp: a look once more keeps that from being likely.
fn accept(socket: BorrowedFd<'_>) -> rustix::io::Result<OwnedFd> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut sockets = [PollFd::from_borrowed_fd(socket, PollFlags::IN)];
    match poll(&mut sockets, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))? {
        0 => Err(Errno::AGAIN),
        _ => net::accept_with(socket, SocketFlags::CLOEXEC),
    }
}

fn interest_of(direction: Direction) -> Interest {
    match direction {
        Direction::Receive => Interest::READ,
        Direction::Send => Interest::WRITE,
    }
}
