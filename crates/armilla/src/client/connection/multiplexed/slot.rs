//! The slot in which a calling thread waits for its reply.

use crate::client::connection::loss::LostConnection;
use crate::client::request::Deadline;
use crate::exception::SystemException;
use crate::sync::lock;
use armilla_giop::{CompletionStatus, Framer, Message, OwnedMessage};
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
    failure: Option<Failure>,
}

/// Why there is no reply.
enum Failure {
    /// The connection has ended.
    Lost(Arc<LostConnection>, CompletionStatus),
    /// The reply got no memory.
    Refused(SystemException),
}

impl Slot {
    pub(super) fn of_this_thread() -> Self {
        Self { thread: thread::current(), done: AtomicBool::new(false), outcome: Mutex::default() }
    }

    /// Prepares the slot for another reply.
    pub(super) fn reset(&self) {
        self.done.store(false, Ordering::Relaxed);
    }

    /// Whether the outcome is stored.
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Stores the reply and wakes the thread.
    pub(super) fn store_reply(&self, reply: &Message<'_>) {
        lock(&self.outcome).reply.copy_from(reply);
        self.wake();
    }

    /// Stores the end of the connection and wakes the thread.
    pub(super) fn fail(&self, lost: &Arc<LostConnection>, executed: CompletionStatus) {
        lock(&self.outcome).failure = Some(Failure::Lost(lost.clone(), executed));
        self.wake();
    }

    /// Stores that the reply was refused and wakes the thread.
    pub(super) fn refuse(&self, exception: SystemException) {
        lock(&self.outcome).failure = Some(Failure::Refused(exception));
        self.wake();
    }

    fn wake(&self) {
        self.done.store(true, Ordering::Release);
        self.thread.unpark();
    }

    /// Stores the current message of `framer` as the reply to the calling thread's own request.
    pub(super) fn store_own(&self, framer: &mut Framer) {
        framer.take_current(&mut lock(&self.outcome).reply);
        self.done.store(true, Ordering::Release);
    }

    /// Moves the stored reply into `reply`, in exchange for its memory.
    ///
    /// # Errors
    /// The exception for a call without a reply.
    pub(super) fn take(
        &self,
        reply: &mut OwnedMessage,
        deadline: &Deadline,
    ) -> Result<(), SystemException> {
        let mut outcome = lock(&self.outcome);
        match outcome.failure.take() {
            Some(Failure::Lost(lost, executed)) => Err(lost.exception(executed, deadline)),
            Some(Failure::Refused(exception)) => Err(exception),
            None => {
                std::mem::swap(&mut outcome.reply, reply);
                Ok(())
            }
        }
    }
}
