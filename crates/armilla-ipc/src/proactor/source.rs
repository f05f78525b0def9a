//! An attached socket, and the pending operations on it: at most one in each direction.

use super::Proactor;
use crate::reactor::Token;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Handles the completion of an operation. A closure `Fn(&Proactor, OperationResult)` implements
/// it. The thread that runs the proactor calls it; it may start the next operation.
pub trait CompletionHandler: Send + Sync {
    /// The operation is complete: it succeeded, failed, or was cancelled.
    fn completed(&self, proactor: &Proactor, done: OperationResult);
}

impl<F: Fn(&Proactor, OperationResult) + Send + Sync> CompletionHandler for F {
    fn completed(&self, proactor: &Proactor, done: OperationResult) {
        self(proactor, done);
    }
}

/// The outcome of an operation.
#[derive(Debug)]
pub struct OperationResult {
    /// The socket that it was started on.
    pub source: AttachedSocket,
    /// The buffer that the caller passed.
    pub buffer: Vec<u8>,
    /// The number of bytes moved, or the error; 0 for an accept.
    pub result: io::Result<usize>,
    /// The socket of the peer that was accepted.
    pub peer: Option<OwnedFd>,
}

/// A socket known to a [`Proactor`]. Cheap to clone.
#[derive(Clone)]
pub struct AttachedSocket {
    inner: Arc<Inner>,
}

struct Inner {
    socket: Arc<dyn AsFd + Send + Sync>,
    operations: [Mutex<Option<PendingOperation>>; 2],
    detached: AtomicBool,
    /// The registration with the reactor of the emulated backend.
    token: OnceLock<Token>,
    /// The index in the table of attached sockets.
    #[cfg(feature = "io-uring")]
    entry: OnceLock<usize>,
}

/// A direction of an attached socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Receive,
    Send,
}

impl Direction {
    pub(super) const BOTH: [Self; 2] = [Self::Receive, Self::Send];
}

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Accept,
    Receive,
    Send,
}

/// An operation in progress.
pub(super) struct PendingOperation {
    pub(super) operation: Operation,
    pub(super) buffer: Vec<u8>,
    /// How many bytes of a send the kernel has taken.
    pub(super) moved: usize,
    completion: Arc<dyn CompletionHandler>,
}

impl PendingOperation {
    pub(super) fn new(
        operation: Operation,
        buffer: Vec<u8>,
        completion: Arc<dyn CompletionHandler>,
    ) -> Self {
        Self { operation, buffer, moved: 0, completion }
    }

    /// The rest of a send.
    pub(super) fn rest(&self) -> &[u8] {
        self.buffer.get(self.moved..).unwrap_or_default()
    }

    /// Calls the completion handler.
    pub(super) fn complete(
        self,
        proactor: &Proactor,
        source: AttachedSocket,
        result: io::Result<usize>,
        peer: Option<OwnedFd>,
    ) {
        let done = OperationResult { source, buffer: self.buffer, result, peer };
        self.completion.completed(proactor, done);
    }
}

impl AttachedSocket {
    pub(super) fn new(socket: Arc<dyn AsFd + Send + Sync>) -> Self {
        let inner = Inner {
            socket,
            operations: Default::default(),
            detached: AtomicBool::new(false),
            token: OnceLock::new(),
            #[cfg(feature = "io-uring")]
            entry: OnceLock::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The socket itself.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.inner.socket.as_fd()
    }

    #[cfg(feature = "io-uring")]
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    pub(super) fn token(&self) -> &OnceLock<Token> {
        &self.inner.token
    }

    #[cfg(feature = "io-uring")]
    pub(super) fn entry(&self) -> &OnceLock<usize> {
        &self.inner.entry
    }

    /// The operation in progress in one direction.
    pub(super) fn direction(
        &self,
        direction: Direction,
    ) -> MutexGuard<'_, Option<PendingOperation>> {
        // No code that can panic runs under this lock.
        self.inner.operations[direction as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an operation, if none is in progress.
    pub(super) fn begin(&self, direction: Direction, pending: PendingOperation) -> io::Result<()> {
        let mut entry = self.direction(direction);
        if self.is_detached() {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the socket was detached"));
        }
        if entry.is_some() {
            let reason = "an operation is already in progress in this direction";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, reason));
        }
        *entry = Some(pending);
        Ok(())
    }

    pub(super) fn is_detached(&self) -> bool {
        self.inner.detached.load(Ordering::SeqCst)
    }

    /// Refuses every further operation; false if it did already.
    pub(super) fn mark_detached(&self) -> bool {
        // Under both locks, so that an operation has either begun before, or fails.
        let _halves = Direction::BOTH.map(|direction| self.direction(direction));
        !self.inner.detached.swap(true, Ordering::SeqCst)
    }
}

impl fmt::Debug for AttachedSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("socket", &self.socket()).finish_non_exhaustive()
    }
}

/// The error of an operation that was cancelled.
pub(super) fn cancelled() -> io::Error {
    Errno::CANCELED.into()
}
