//! Group commit: changes of many threads share one write.
//!
//! A thread makes its changes in memory and queues them, both under the lock of the contents, so
//! the queue has the order in which they were made. Then it waits. If nobody is writing, the thread
//! itself takes the first batch of the queue and writes it; what others queue meanwhile is the next
//! one.
//!
//! If a batch cannot be written, it and all that was queued behind it is undone, because later
//! changes build on earlier ones.

use crate::StoreError;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// What makes changes outlive the process.
pub trait Persist<C>: Send {
    /// Makes changes durable, all or none of them.
    ///
    /// # Errors
    /// They are not durable.
    fn commit(&mut self, changes: &[C]) -> Result<(), CommitError>;

    /// How many changes one commit takes at most. The changes of one operation stay together, and
    /// may be more. Default: any number.
    fn most(&self) -> usize {
        usize::MAX
    }
}

/// Why changes are not durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitError {
    /// The store could not write them.
    Store(StoreError),
    /// Another process has changed the contents, so that the changes may not be right any more.
    /// They are to be decided anew.
    Conflict,
}

impl From<StoreError> for CommitError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What became of a batch.
type Outcome = Arc<OnceLock<Result<(), CommitError>>>;

/// The place of a thread in a batch.
#[derive(Debug)]
#[must_use = "changes are acknowledged when they are settled"]
pub struct Ticket(Outcome);

/// Changes that are written together.
struct Batch<C> {
    changes: Vec<C>,
    /// What undoes them, in the order of the changes.
    undo: Vec<C>,
    outcome: Outcome,
}

impl<C> Batch<C> {
    fn new() -> Self {
        Self { changes: Vec::new(), undo: Vec::new(), outcome: Outcome::default() }
    }
}

struct Queue<C> {
    batches: VecDeque<Batch<C>>,
    /// Whether a thread is writing the batch before.
    writing: bool,
}

/// Lets changes of many threads share one write. Any thread may use it.
///
/// ```
/// use armilla_store::{CommitError, GroupCommit, Persist};
/// use std::sync::{Arc, Mutex};
///
/// #[derive(Clone, Default)]
/// struct Paper(Arc<Mutex<Vec<u32>>>);
///
/// impl Persist<u32> for Paper {
///     fn commit(&mut self, changes: &[u32]) -> Result<(), CommitError> {
///         self.0.lock().unwrap().extend(changes);
///         Ok(())
///     }
/// }
///
/// let paper = Paper::default();
/// let commits = GroupCommit::new(Box::new(paper.clone()));
/// // A service holds the lock of its contents for these two.
/// let (first, second) = (commits.queue([1, 2], []), commits.queue([3], []));
/// commits.settle(&second, |_| (), |_| ()).unwrap();
/// commits.settle(&first, |_| (), |_| ()).unwrap();
/// assert_eq!(*paper.0.lock().unwrap(), [1, 2, 3]);
/// ```
pub struct GroupCommit<C> {
    persist: Mutex<Box<dyn Persist<C>>>,
    most: usize,
    queue: Mutex<Queue<C>>,
    /// A batch has ended.
    ended: Condvar,
}

impl<C> GroupCommit<C> {
    /// Begins to write changes with `persist`.
    pub fn new(persist: Box<dyn Persist<C>>) -> Self {
        let (most, ended) = (persist.most(), Condvar::new());
        let queue = Mutex::new(Queue { batches: VecDeque::new(), writing: false });
        Self { persist: Mutex::new(persist), most, queue, ended }
    }

    fn lock(&self) -> MutexGuard<'_, Queue<C>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues the changes of one operation, and what undoes them in the same order. The caller has
    /// made them in memory, and still holds the lock of the contents.
    pub fn queue(
        &self,
        changes: impl IntoIterator<Item = C>,
        undo: impl IntoIterator<Item = C>,
    ) -> Ticket {
        let changes: Vec<C> = changes.into_iter().collect();
        let mut queue = self.lock();
        let has_room = |last: &Batch<C>| last.changes.len() + changes.len() <= self.most;
        if !queue.batches.back().is_some_and(has_room) {
            queue.batches.push_back(Batch::new());
        }
        // There is one.
        let batch = queue.batches.back_mut();
        let outcome = batch.map(|batch| {
            batch.changes.extend(changes);
            batch.undo.extend(undo);
            batch.outcome.clone()
        });
        Ticket(outcome.unwrap_or_default())
    }

    /// Waits until the changes of a ticket are durable, or writes them in this thread if no other
    /// one is writing. `made` is told each batch that this thread has written, in order. When one
    /// could not be written, `undone` takes the lock of the contents, and undoes in it what
    /// [`Undo::take`] says.
    ///
    /// # Errors
    /// The changes are not durable, and not in the contents any more.
    pub fn settle(
        &self,
        ticket: &Ticket,
        made: impl Fn(&[C]),
        undone: impl Fn(Undo<'_, C>),
    ) -> Result<(), CommitError> {
        while let Some(batch) = self.next(ticket) {
            let written = {
                let mut persist = self.persist.lock().unwrap_or_else(PoisonError::into_inner);
                persist.commit(&batch.changes)
            };
            match written {
                Ok(()) => {
                    made(&batch.changes);
                    self.end([batch.outcome], Ok(()));
                }
                Err(error) => undone(Undo { commits: self, failed: Some((batch, error)) }),
            }
        }
        ticket.0.get().cloned().unwrap_or(Ok(()))
    }

    /// Waits until the batch of the ticket has ended, or nobody writes: then the caller is to write
    /// the batch that it gets.
    fn next(&self, ticket: &Ticket) -> Option<Batch<C>> {
        let mut queue = self.lock();
        while ticket.0.get().is_none() {
            if !queue.writing {
                let batch = queue.batches.pop_front();
                queue.writing = batch.is_some();
                return batch;
            }
            queue = self.ended.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    fn end(&self, outcomes: impl IntoIterator<Item = Outcome>, outcome: Result<(), CommitError>) {
        let mut queue = self.lock();
        for one in outcomes {
            one.set(outcome.clone()).ok();
        }
        queue.writing = false;
        self.ended.notify_all();
    }

    /// Gives up what is queued, because another process has changed the contents: its threads get
    /// [`CommitError::Conflict`]. Returns what undoes it, in the order in which it is to be done;
    /// `None` while a batch is being written. The caller holds the lock of the contents.
    pub fn give_up(&self) -> Option<Vec<C>> {
        let mut queue = self.lock();
        if queue.writing {
            return None;
        }
        let mut undo = Vec::new();
        for batch in queue.batches.drain(..) {
            undo.extend(batch.undo);
            batch.outcome.set(Err(CommitError::Conflict)).ok();
        }
        undo.reverse();
        self.ended.notify_all();
        Some(undo)
    }

    /// Waits until no batch is being written. The caller does not hold the lock of the contents.
    pub fn wait_until_idle(&self) {
        let mut queue = self.lock();
        while queue.writing {
            queue = self.ended.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A batch that was not written, and all that is queued behind it.
pub struct Undo<'g, C> {
    commits: &'g GroupCommit<C>,
    failed: Option<(Batch<C>, CommitError)>,
}

impl<C> Undo<'_, C> {
    /// What undoes the changes, in the order in which it is to be done. The caller holds the lock of
    /// the contents. Threads that wait for the changes get the error.
    pub fn take(mut self) -> Vec<C> {
        self.end()
    }

    fn end(&mut self) -> Vec<C> {
        let Some((failed, error)) = self.failed.take() else { return Vec::new() };
        let behind: Vec<Batch<C>> = self.commits.lock().batches.drain(..).collect();
        let (mut undo, mut outcomes) = (failed.undo, vec![failed.outcome]);
        for batch in behind {
            undo.extend(batch.undo);
            outcomes.push(batch.outcome);
        }
        undo.reverse();
        self.commits.end(outcomes, Err(error));
        undo
    }
}

/// Whoever waits must not wait for ever.
impl<C> Drop for Undo<'_, C> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<C> fmt::Debug for Undo<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Undo").finish_non_exhaustive()
    }
}

impl<C> fmt::Debug for GroupCommit<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupCommit").finish_non_exhaustive()
    }
}
