//! Where a thread that called waits for its reply.

use crate::client::deadline::Deadline;
use crate::client::loss::Lost;
use crate::exception::SystemException;
use crate::sync::lock;
use armilla_giop::{CompletionStatus, Message, OwnedMessage};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};

/// A thread's place for the reply to the call that it makes. It serves one call after the other.
pub(in crate::client) struct Slot {
    thread: Thread,
    /// Set last, when the outcome is there.
    done: AtomicBool,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    reply: OwnedMessage,
    lost: Option<(Arc<Lost>, CompletionStatus)>,
}

impl Slot {
    pub(super) fn of_this_thread() -> Self {
        Self { thread: thread::current(), done: AtomicBool::new(false), outcome: Mutex::default() }
    }

    /// Begins to wait for another reply.
    #[inline]
    pub(super) fn reset(&self) {
        self.done.store(false, Ordering::Relaxed);
    }

    /// Whether the outcome is there.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// The reply has come.
    pub(super) fn deliver(&self, reply: &Message<'_>) {
        lock(&self.outcome).reply.copy_from(reply);
        self.wake();
    }

    /// No reply will come.
    #[cold]
    pub(super) fn fail(&self, lost: &Arc<Lost>, executed: CompletionStatus) {
        lock(&self.outcome).lost = Some((lost.clone(), executed));
        self.wake();
    }

    fn wake(&self) {
        self.done.store(true, Ordering::Release);
        self.thread.unpark();
    }

    /// Hands the reply that is there to `accept`.
    pub(super) fn take<T>(
        &self,
        deadline: &Deadline,
        accept: impl FnOnce(&Message<'_>) -> Result<T, SystemException>,
    ) -> Result<T, SystemException> {
        let mut outcome = std::mem::take(&mut *lock(&self.outcome));
        if let Some((lost, executed)) = outcome.lost.take() {
            return Err(lost.exception(executed, deadline));
        }
        // It was with_target_key as done with one or the other.
        let accepted = outcome.reply.message().map(|reply| accept(&reply));
        outcome.reply.clear();
        *lock(&self.outcome) = outcome;
        accepted.unwrap_or_else(|| Err(crate::client::reply::no_reply()))
    }
}
