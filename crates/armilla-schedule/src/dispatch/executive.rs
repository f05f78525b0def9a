//! Which jobs run: as many as there are threads for, and one above the other if they preempt.

use super::queue::{Dispatcher, DynamicPriority, Full, Job, Key};
use crate::strategy::Strategy;
use crate::time::Nanos;
use std::collections::VecDeque;

/// Decides which jobs run.
///
/// Without preemption as many jobs run at once as there are threads, each to its end. With
/// preemption one job runs, and a more urgent one that arrives runs above it, at the next level;
/// the one below goes on when it has ended. There are as many levels as the program has native
/// priorities for them; what finds none free waits. The kernel does the preempting: the program
/// runs each job at the native priority of its level.
///
/// ```
/// use armilla_schedule::dispatch::{Decision, Executive, Job};
/// use armilla_schedule::{Criticality, Importance, Nanos, Strategy};
///
/// let job = |work, deadline| Job {
///     work,
///     priority: 0,
///     deadline: Nanos::from_millis(deadline),
///     wcet: Nanos::from_millis(2),
///     criticality: Criticality::Medium,
///     importance: Importance::Medium,
/// };
/// let mut executive = Executive::preemptive(Strategy::EarliestDeadlineFirst, 4, 16);
/// executive.arrive(job("draw", 50), Nanos(0));
/// executive.arrive(job("sample", 10), Nanos(0));
/// let levels = std::iter::from_fn(|| match executive.next_decision()? {
///     Decision::Start { work, level, .. } => Some((work, level)),
///     _ => None,
/// });
/// assert_eq!(levels.collect::<Vec<_>>(), [("draw", 0), ("sample", 1)]);
/// ```
#[derive(Debug)]
pub struct Executive<W> {
    ready: Dispatcher<W>,
    /// Those that run or were preempted, in the order in which they started: with preemption, the
    /// most urgent last.
    started: Vec<Started>,
    threads: usize,
    levels: usize,
    numbers: u64,
    decisions: VecDeque<Decision<W>>,
}

/// A job that has been started, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JobNumber(u64);

/// What becomes of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision<W> {
    /// It runs from now on, until the program says that it has [ended](Executive::end).
    Start {
        /// What is to be done.
        work: W,
        /// Its number.
        number: JobNumber,
        /// How many levels lie below: 0 is the least urgent one.
        level: usize,
    },
    /// It can no longer end in time, and is not critical: it will not run.
    Cancel(W),
    /// There was no room for it among more urgent ones: it will not run.
    Refuse(W),
}

#[derive(Debug)]
struct Started {
    number: JobNumber,
    key: Key,
    level: usize,
}

impl<W> Executive<W> {
    /// Runs at most `threads` jobs at once, each to its end. At most `capacity` jobs wait. Both are
    /// at least one.
    pub fn new(strategy: Strategy, threads: usize, capacity: usize) -> Self {
        Self::with(strategy, threads.max(1), 1, capacity)
    }

    /// Runs one job, above those that it has preempted; together at most `levels`. At most
    /// `capacity` jobs wait. Both are at least one.
    pub fn preemptive(strategy: Strategy, levels: usize, capacity: usize) -> Self {
        Self::with(strategy, 1, levels.max(1), capacity)
    }

    fn with(strategy: Strategy, threads: usize, levels: usize, capacity: usize) -> Self {
        // A deadline orders jobs of the same criticality best, whether or not they preempt.
        let ready = Dispatcher::new(strategy, capacity).ordered_by(DynamicPriority::Deadline);
        let (started, decisions) = Default::default();
        Self { ready, started, threads, levels, numbers: 0, decisions }
    }

    /// The same, with another order among jobs of the same criticality under maximum urgency first
    /// than that of deadlines. It is for an executive that has no jobs yet.
    #[must_use]
    pub fn ordered_by(mut self, dynamic: DynamicPriority) -> Self {
        self.ready = self.ready.ordered_by(dynamic);
        self
    }

    /// A job is ready at `now`. What follows are [decisions](Self::next_decision), on this job and
    /// on others.
    pub fn arrive(&mut self, job: Job<W>, now: Nanos) {
        if let Err(Full(job)) = self.ready.push(job, now) {
            self.decisions.push_back(Decision::Refuse(job.work));
        }
        self.decide(now);
    }

    /// A job has ended.
    pub fn end(&mut self, number: JobNumber, now: Nanos) {
        self.started.retain(|started| started.number != number);
        self.decide(now);
    }

    /// Cancels the waiting jobs that are late and not critical.
    pub fn cancel_late(&mut self, now: Nanos) {
        self.ready.cancel_late(now);
        self.decide(now);
    }

    /// The next decision that was made and not yet taken.
    pub fn next_decision(&mut self) -> Option<Decision<W>> {
        self.decisions.pop_front()
    }

    /// How many jobs wait.
    pub fn waiting(&self) -> usize {
        self.ready.len()
    }

    /// How many jobs run or were preempted.
    pub const fn started(&self) -> usize {
        self.started.len()
    }

    /// As [`Dispatcher::cancelled_after`].
    pub fn cancelled_after(&self, job: &Job<W>) -> Option<Nanos> {
        self.ready.cancelled_after(job)
    }

    /// Starts what may start.
    fn decide(&mut self, now: Nanos) {
        while let Some((key, _)) = self.ready.first(now) {
            let Some(level) = self.level_for(key) else { break };
            let Some(job) = self.ready.next(now) else { break };
            let number = JobNumber(self.numbers);
            self.numbers += 1;
            self.started.push(Started { number, key, level });
            self.decisions.push_back(Decision::Start { work: job.work, number, level });
        }
        let cancelled = self.ready.take_cancelled().into_iter();
        self.decisions.extend(cancelled.map(|job| Decision::Cancel(job.work)));
    }

    /// The level at which a job with this key may start.
    fn level_for(&self, key: Key) -> Option<usize> {
        if self.levels == 1 {
            return (self.started.len() < self.threads).then_some(0);
        }
        let Some(top) = self.started.last() else { return Some(0) };
        // One that ended below, on another processor, leaves a gap.
        let level = top.level + 1;
        (key < top.key && level < self.levels).then_some(level)
    }
}
