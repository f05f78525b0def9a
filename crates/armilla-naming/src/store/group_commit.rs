//! Group commit: changes of many threads share one write to the disk.
//!
//! A thread queues its changes under the lock of the tree, so the queue has the order in which they
//! were made. Then it waits. If nobody is writing, the thread itself takes the whole queue as a
//! batch and writes it; what others queue meanwhile is the next batch.
//!
//! If a batch cannot be written, it and all that was queued behind it is undone, because later
//! changes build on earlier ones.

use super::{Persist, StoreError};
use crate::model::Change;
use std::fmt;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// What became of a batch.
type Outcome = Arc<OnceLock<Result<(), StoreError>>>;

/// The place of a thread in a batch.
pub(super) struct Ticket(Outcome);

impl Ticket {
    /// What became of the batch. Only to be asked when [`GroupCommit::wait`] has returned `None`.
    pub(super) fn outcome(self) -> Result<(), StoreError> {
        self.0.get().cloned().unwrap_or(Ok(()))
    }
}

/// Changes that are written together.
#[derive(Default)]
pub(super) struct Batch {
    changes: Vec<Change>,
    /// What undoes them, in the order of the changes.
    undo: Vec<Change>,
    next: u64,
    outcome: Outcome,
}

impl Batch {
    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }
}

#[derive(Default)]
struct Queue {
    batch: Batch,
    /// Whether a thread is writing the batch before.
    writing: bool,
}

pub(super) struct GroupCommit {
    persist: Mutex<Box<dyn Persist>>,
    queue: Mutex<Queue>,
    /// A batch has ended.
    ended: Condvar,
}

impl GroupCommit {
    pub(super) fn new(persist: Box<dyn Persist>) -> Self {
        let (queue, ended) = Default::default();
        Self { persist: Mutex::new(persist), queue, ended }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues changes. The caller holds the lock of the tree.
    pub(super) fn queue(&self, changes: &[Change], undo: Vec<Change>, next: u64) -> Ticket {
        let batch = &mut self.lock().batch;
        batch.changes.extend_from_slice(changes);
        batch.undo.extend(undo);
        batch.next = next;
        Ticket(batch.outcome.clone())
    }

    /// Waits until the batch of the ticket has ended, or nobody writes: then the caller is to write
    /// the batch that it gets, and to report how that ended.
    pub(super) fn wait(&self, ticket: &Ticket) -> Option<Batch> {
        let mut queue = self.lock();
        while ticket.0.get().is_none() {
            if !queue.writing {
                queue.writing = true;
                return Some(mem::take(&mut queue.batch));
            }
            queue = self.ended.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Writes a batch.
    pub(super) fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut persist = self.persist.lock().unwrap_or_else(PoisonError::into_inner);
        persist.commit(&batch.changes, batch.next)
    }

    pub(super) fn succeeded(&self, batch: Batch) {
        let mut queue = self.lock();
        batch.outcome.set(Ok(())).ok();
        queue.writing = false;
        self.ended.notify_all();
    }

    /// Ends a batch that was not written, and all that is queued behind it. Returns what undoes
    /// them, in the order in which it is to be done. The caller holds the lock of the tree.
    pub(super) fn failed(&self, batch: Batch, error: &StoreError) -> Vec<Change> {
        let mut queue = self.lock();
        let behind = mem::take(&mut queue.batch);
        let mut undo = batch.undo;
        undo.extend(behind.undo);
        undo.reverse();
        for outcome in [batch.outcome, behind.outcome] {
            outcome.set(Err(error.clone())).ok();
        }
        queue.writing = false;
        self.ended.notify_all();
        undo
    }
}

impl fmt::Debug for GroupCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupCommit").finish_non_exhaustive()
    }
}
