//! The slot in which a calling thread waits for its reply.

use crate::client::deadline::Deadline;
use crate::client::loss::LostConnection;
use crate::exception::SystemException;
use crate::sync::lock;
use armilla_giop::{CompletionStatus, Message, OwnedMessage};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};

/// The slot of one thread for the reply to its call. It serves one call after the other.
pub(in crate::client) struct Slot {
    thread: Thread,
    /// Set last, when the outcome is stored.
    done: AtomicBool,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    reply: OwnedMessage,
    lost: Option<(Arc<LostConnection>, CompletionStatus)>,
}

impl Slot {
    pub(super) fn of_this_thread() -> Self {
        Self { thread: thread::current(), done: AtomicBool::new(false), outcome: Mutex::default() }
    }

    /// Prepares the slot for another reply.
    #[inline]
    pub(super) fn reset(&self) {
        self.done.store(false, Ordering::Relaxed);
    }

    /// Whether the outcome is stored.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Stores the reply and wakes the thread.
    pub(super) fn store_reply(&self, reply: &Message<'_>) {
        lock(&self.outcome).reply.copy_from(reply);
        self.wake();
    }

    /// Stores the end of the connection and wakes the thread.
    #[cold]
    pub(super) fn fail(&self, lost: &Arc<LostConnection>, executed: CompletionStatus) {
        lock(&self.outcome).lost = Some((lost.clone(), executed));
        self.wake();
    }

    fn wake(&self) {
        self.done.store(true, Ordering::Release);
        self.thread.unpark();
    }

    /// Passes the stored reply to `accept`.
    pub(super) fn take<T>(
        &self,
        deadline: &Deadline,
        accept: impl FnOnce(&Message<'_>) -> Result<T, SystemException>,
    ) -> Result<T, SystemException> {
        let mut outcome = std::mem::take(&mut *lock(&self.outcome));
        if let Some((lost, executed)) = outcome.lost.take() {
            return Err(lost.exception(executed, deadline));
        }
        // A slot that is done holds a reply or the end of the connection.
        let accepted = outcome.reply.message().map(|reply| accept(&reply));
        outcome.reply.clear();
        *lock(&self.outcome) = outcome;
        accepted.unwrap_or_else(|| Err(crate::client::reply::no_reply()))
    }
}
