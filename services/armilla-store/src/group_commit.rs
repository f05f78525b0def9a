//! Group commit: changes of many threads share one write.
//!
//! A thread makes its changes in memory and queues them, both under the lock of the contents, so
//! the queue has the order in which they were made. Then it waits. If nobody is writing, the thread
//! itself takes the first batch of the queue and writes it; what others queue meanwhile is the next
//! one. Before it writes it waits a moment for the threads whose changes were written just now: most
//! clients make their next change at once.
//!
//! If a batch cannot be written, it and all that was queued behind it is undone, because later
//! changes build on earlier ones.

use super::sync::{Condvar, Mutex, MutexGuard};
use crate::StoreError;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The longest time that an operation waits for others.
const MAX_GATHERING: Duration = Duration::from_millis(5);

/// How long the answer of a check holds.
const CHECKED: Duration = Duration::from_secs(1);

/// What makes changes outlive the process.
pub trait Persist<C>: Send {
    /// Makes changes durable, all or none of them.
    ///
    /// # Errors
    /// They are not durable.
    fn commit(&mut self, changes: &[C]) -> Result<(), CommitError>;

    /// Whether changes could be made durable now. Default: they could.
    ///
    /// # Errors
    /// They could not; the text says why.
    fn check(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

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

/// What became of a batch, and its threads that wait for that.
#[derive(Debug, Default)]
struct BatchStatus {
    outcome: OnceLock<Result<(), CommitError>>,
    /// How many threads wait; changed under the lock of the queue.
    waiting: AtomicUsize,
    /// Its outcome is known, or one of its threads is to write it.
    changed: Condvar,
}

/// The place of a thread in a batch.
#[derive(Debug)]
#[must_use = "changes are acknowledged when they are settled"]
pub struct Ticket(Arc<BatchStatus>);

/// Changes that are written together.
struct Batch<C> {
    changes: Vec<C>,
    /// What undoes them, in the order of the changes.
    undo: Vec<C>,
    /// How many operations they are of.
    operations: usize,
    status: Arc<BatchStatus>,
}

impl<C> Batch<C> {
    fn new() -> Self {
        Self { changes: Vec::new(), undo: Vec::new(), operations: 0, status: Arc::default() }
    }
}

struct Queue<C> {
    batches: VecDeque<Batch<C>>,
    /// Whether a thread is writing the batch before.
    writing: bool,
    /// Whether a thread waits for more operations before it writes.
    gathering: bool,
    /// How many operations were under way when the last batch ended: in it, and behind it.
    in_flight: usize,
    /// How long the last batch took.
    took: Duration,
}

impl<C> Queue<C> {
    fn operations(&self) -> usize {
        self.batches.iter().map(|batch| batch.operations).sum()
    }
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
    /// What the last check has found, and when.
    checked: Mutex<Option<(Instant, Result<(), StoreError>)>>,
    most: usize,
    queue: Mutex<Queue<C>>,
    /// The thread that gathers has enough.
    gathered: Condvar,
    /// No batch is being written.
    idle: Condvar,
}

impl<C> GroupCommit<C> {
    /// Begins to write changes with `persist`.
    pub fn new(persist: Box<dyn Persist<C>>) -> Self {
        let (most, gathered, idle) = (persist.most(), Condvar::new(), Condvar::new());
        let (batches, writing, gathering, in_flight, took) = Default::default();
        let queue = Mutex::new(Queue { batches, writing, gathering, in_flight, took });
        let (persist, checked) = (Mutex::new(persist), Mutex::new(None));
        Self { persist, checked, most, queue, gathered, idle }
    }

    /// Whether changes could be made durable now. It waits until those are that are being written.
    /// The answer holds for a second: whoever asks often keeps the disk no busier.
    ///
    /// # Errors
    /// They could not; the text says why.
    pub fn check(&self) -> Result<(), StoreError> {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, answer)) = &*checked
            && at.elapsed() < CHECKED
        {
            return answer.clone();
        }
        let answer = self.persist.lock().unwrap_or_else(PoisonError::into_inner).check();
        *checked = Some((Instant::now(), answer.clone()));
        answer
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
        let (changes, undo): (Vec<C>, Vec<C>) =
            (changes.into_iter().collect(), undo.into_iter().collect());
        let mut queue = self.lock();
        let has_room = |last: &Batch<C>| last.changes.len() + changes.len() <= self.most;
        if !queue.batches.back().is_some_and(has_room) {
            queue.batches.push_back(Batch::new());
        }
        // There is one.
        let batch = queue.batches.back_mut();
        let status = batch.map(|batch| {
            batch.changes.extend(changes);
            batch.undo.extend(undo);
            batch.operations += 1;
            batch.status.clone()
        });
        if queue.gathering && queue.operations() >= queue.in_flight {
            self.gathered.notify_one();
        }
        Ticket(status.unwrap_or_default())
    }

    /// Waits until the changes of a ticket are durable, or writes them in this thread if no other
    /// one is writing. `made` is told each batch that this thread has written, in order. When one
    /// could not be written, `undone` takes the lock of the contents, and undoes in it what
    /// [`Undo::take`] says.
    ///
    /// A panic of the store counts as an error of it, and goes on in this thread when the changes
    /// are undone; one of `made` goes on when the batch has ended.
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
            let begun = Instant::now();
            // Others wait for this thread, whatever happens to it.
            let written = {
                let mut persist = self.persist.lock().unwrap_or_else(PoisonError::into_inner);
                catch_unwind(AssertUnwindSafe(|| persist.commit(&batch.changes)))
            };
            let failed = match &written {
                Ok(Ok(())) => {
                    let told = catch_unwind(AssertUnwindSafe(|| made(&batch.changes)));
                    self.end([batch.status], Ok(()), batch.operations, begun.elapsed());
                    told.unwrap_or_else(|panic| resume_unwind(panic));
                    continue;
                }
                Ok(Err(error)) => error.clone(),
                Err(_) => panicked(),
            };
            undone(Undo { commits: self, failed: Some((batch, failed)) });
            written.map(drop).unwrap_or_else(|panic| resume_unwind(panic));
        }
        ticket.0.outcome.get().cloned().unwrap_or(Ok(()))
    }

    /// Waits until the batch of the ticket has ended, or nobody writes: then the caller is to write
    /// the batch that it gets.
    fn next(&self, ticket: &Ticket) -> Option<Batch<C>> {
        let mut queue = self.lock();
        while ticket.0.outcome.get().is_none() {
            if !queue.writing && !queue.gathering {
                queue = self.gather(queue);
                let batch = queue.batches.pop_front();
                queue.writing = batch.is_some();
                return batch;
            }
            ticket.0.waiting.fetch_add(1, Ordering::Relaxed);
            queue = ticket.0.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            ticket.0.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        None
    }

    /// Waits for the next operations of the clients whose changes the last batch held, which then share
    /// this write: for at most half the time that a write takes, and not at all for a client alone.
    fn gather<'q>(&self, mut queue: MutexGuard<'q, Queue<C>>) -> MutexGuard<'q, Queue<C>> {
        let window = (queue.took / 2).min(MAX_GATHERING);
        if queue.operations() >= queue.in_flight {
            return queue;
        }
        queue.gathering = true;
        let few = |queue: &mut Queue<C>| queue.operations() < queue.in_flight;
        let gathered = self.gathered.wait_timeout_while(queue, window, few);
        queue = gathered.unwrap_or_else(PoisonError::into_inner).0;
        queue.gathering = false;
        queue
    }

    fn end(
        &self,
        statuses: impl IntoIterator<Item = Arc<BatchStatus>>,
        outcome: Result<(), CommitError>,
        operations: usize,
        took: Duration,
    ) {
        let mut queue = self.lock();
        queue.writing = false;
        (queue.in_flight, queue.took) = (operations + queue.operations(), took);
        // One of the threads that wait behind writes next; one that comes now does so by itself.
        let waits = |batch: &&Batch<C>| batch.status.waiting.load(Ordering::Relaxed) > 0;
        if let Some(next) = queue.batches.iter().find(waits) {
            next.status.changed.notify_one();
        }
        self.idle.notify_all();
        for status in statuses {
            status.outcome.set(outcome.clone()).ok();
            status.changed.notify_all();
        }
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
            batch.status.outcome.set(Err(CommitError::Conflict)).ok();
            batch.status.changed.notify_all();
        }
        undo.reverse();
        Some(undo)
    }

    /// Waits until no batch is being written. The caller does not hold the lock of the contents.
    pub fn wait_until_idle(&self) {
        let mut queue = self.lock();
        while queue.writing {
            queue = self.idle.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The error of those whose changes were given to a store that panicked.
fn panicked() -> CommitError {
    let what = "failed in a way that its program did not expect: see its log, and restart it";
    CommitError::Store(StoreError::new("the store", what).undecided())
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
        let (mut undo, mut statuses) = (failed.undo, vec![failed.status]);
        for batch in behind {
            undo.extend(batch.undo);
            statuses.push(batch.status);
        }
        undo.reverse();
        self.commits.end(statuses, Err(error), 0, Duration::ZERO);
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
