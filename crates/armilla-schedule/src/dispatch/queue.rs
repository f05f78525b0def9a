//! The jobs that are ready, in the order in which they are to be executed.

use crate::level::{Criticality, Importance};
use crate::strategy::Strategy;
use crate::time::Nanos;
use std::collections::BTreeMap;
use std::fmt;

/// A piece of work to be dispatched. Times are on the clock of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job<W> {
    /// What is to be done: the program's.
    pub work: W,
    /// Its native priority, for static priorities.
    pub priority: i32,
    /// When it must have ended.
    pub deadline: Nanos,
    /// How long it takes at most.
    pub wcet: Nanos,
    /// What a missed deadline costs.
    pub criticality: Criticality,
    /// Which of two jobs goes first if nothing else decides.
    pub importance: Importance,
}

impl<W> Job<W> {
    /// Whether the job can no longer end in time if it starts at `now`.
    pub fn is_late(&self, now: Nanos) -> bool {
        now.0.checked_add(self.wcet.0).is_none_or(|end| end > self.deadline.0)
    }
}

/// The order of a job among others: less is more urgent. The last part keeps equals in the order
/// in which they came.
pub(super) type Key = (i64, i128, i64, u64);

/// What orders jobs of the same criticality under maximum urgency first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DynamicPriority {
    /// The laxity: what is left until the deadline, minus what is left to execute (Stewart, Khosla
    /// 1991).
    #[default]
    Laxity,
    /// The deadline (modified maximum urgency first; Salmani, Zargar, Naghibzadeh 2007). A job
    /// keeps its urgency while it runs, so that two never preempt each other in turn.
    Deadline,
}

/// Jobs that are ready, in the order in which they are to be executed.
///
/// ```
/// use armilla_schedule::dispatch::{Dispatcher, Job};
/// use armilla_schedule::{Criticality, Importance, Nanos, Strategy};
///
/// let job = |work, deadline, criticality| Job {
///     work,
///     priority: 0,
///     deadline: Nanos::from_millis(deadline),
///     wcet: Nanos::from_millis(2),
///     criticality,
///     importance: Importance::Medium,
/// };
/// let mut ready = Dispatcher::new(Strategy::MaximumUrgencyFirst, 16);
/// ready.push(job("log", 5, Criticality::Low), Nanos(0)).unwrap();
/// ready.push(job("steer", 9, Criticality::High), Nanos(0)).unwrap();
/// assert_eq!(ready.next(Nanos(0)).unwrap().work, "steer");
/// // At 4 ms the log can no longer be written in time.
/// assert!(ready.next(Nanos::from_millis(4)).is_none());
/// assert_eq!(ready.take_cancelled()[0].work, "log");
/// ```
#[derive(Debug)]
pub struct Dispatcher<W> {
    strategy: Strategy,
    dynamic: DynamicPriority,
    capacity: usize,
    jobs: BTreeMap<Key, Job<W>>,
    cancelled: Vec<Job<W>>,
    arrivals: u64,
}

/// A dispatcher has no room: the job that was refused, or the one that made room for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Full<W>(pub Job<W>);

impl<W> fmt::Display for Full<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no room for a job of criticality {}", self.0.criticality)
    }
}

impl<W: fmt::Debug> std::error::Error for Full<W> {}

impl<W> Dispatcher<W> {
    /// A dispatcher with room for `capacity` jobs, at least one.
    pub fn new(strategy: Strategy, capacity: usize) -> Self {
        let capacity = capacity.max(1);
        let (dynamic, jobs, cancelled) = Default::default();
        Self { strategy, dynamic, capacity, jobs, cancelled, arrivals: 0 }
    }

    /// The same, with another order among jobs of the same criticality. It is for a dispatcher
    /// that has no jobs yet.
    #[must_use]
    pub const fn ordered_by(mut self, dynamic: DynamicPriority) -> Self {
        self.dynamic = dynamic;
        self
    }

    /// How many jobs wait.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether no job waits.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Adds a job that is ready at `now`.
    ///
    /// If there is no room, jobs that are late are cancelled first. The error has the least urgent
    /// job, which may be the new one: it will not be executed.
    pub fn push(&mut self, job: Job<W>, now: Nanos) -> Result<(), Full<W>> {
        if self.jobs.len() >= self.capacity {
            self.cancel_late(now);
        }
        let key = self.key(&job);
        self.arrivals += 1;
        self.jobs.insert(key, job);
        if self.jobs.len() <= self.capacity {
            return Ok(());
        }
        self.jobs.pop_last().map_or(Ok(()), |(_, least)| Err(Full(least)))
    }

    /// Takes the job that is to be executed now, if one waits.
    ///
    /// Under maximum urgency first it cancels what comes before it and is late, unless it is
    /// critical.
    pub fn next(&mut self, now: Nanos) -> Option<Job<W>> {
        self.first(now)?;
        self.jobs.pop_first().map(|(_, job)| job)
    }

    /// The job that [`next`](Self::next) would take, with its key. What comes before it and is late
    /// is cancelled.
    pub(super) fn first(&mut self, now: Nanos) -> Option<(Key, &Job<W>)> {
        while let Some((key, job)) = self.jobs.first_key_value() {
            if !self.is_to_be_cancelled(job, now) {
                break;
            }
            let key = *key;
            if let Some(job) = self.jobs.remove(&key) {
                self.keep_cancelled(job);
            }
        }
        self.jobs.first_key_value().map(|(key, job)| (*key, job))
    }

    /// Whether a waiting job is to preempt one that runs and has `left` to execute.
    pub fn preempts(&self, running: &Job<W>, left: Nanos, now: Nanos) -> bool {
        let Some((first, job)) = self.jobs.first_key_value() else { return false };
        if self.is_to_be_cancelled(job, now) {
            return false;
        }
        let (level, urgency, importance, _) = self.key_after(running, left);
        (first.0, first.1, first.2) < (level, urgency, importance)
    }

    /// Cancels all jobs that are late at `now` and not critical. Only maximum urgency first
    /// cancels.
    pub fn cancel_late(&mut self, now: Nanos) {
        let late = self.jobs.iter().filter(|(_, job)| self.is_to_be_cancelled(job, now));
        let late: Vec<Key> = late.map(|(key, _)| *key).collect();
        for key in late {
            if let Some(job) = self.jobs.remove(&key) {
                self.keep_cancelled(job);
            }
        }
    }

    /// The jobs that were cancelled since the last time, at most as many as there is room for.
    pub fn take_cancelled(&mut self) -> Vec<Job<W>> {
        std::mem::take(&mut self.cancelled)
    }

    /// The time after which a waiting job is late and will be cancelled; `None` if it never is.
    pub fn cancelled_after(&self, job: &Job<W>) -> Option<Nanos> {
        let cancels = self.strategy == Strategy::MaximumUrgencyFirst;
        let cancels = cancels && !job.criticality.is_critical();
        cancels.then(|| Nanos(job.deadline.0.saturating_sub(job.wcet.0)))
    }

    fn is_to_be_cancelled(&self, job: &Job<W>, now: Nanos) -> bool {
        self.strategy == Strategy::MaximumUrgencyFirst
            && !job.criticality.is_critical()
            && job.is_late(now)
    }

    fn keep_cancelled(&mut self, job: Job<W>) {
        if self.cancelled.len() < self.capacity {
            self.cancelled.push(job);
        }
    }

    fn key(&self, job: &Job<W>) -> Key {
        self.key_after(job, job.wcet)
    }

    /// The key of a job that has `left` to execute.
    fn key_after(&self, job: &Job<W>, left: Nanos) -> Key {
        let deadline = i128::from(job.deadline.0);
        let importance = -(job.importance as i64);
        match self.strategy {
            Strategy::RateMonotonic | Strategy::DeadlineMonotonic => {
                (-i64::from(job.priority), 0, 0, self.arrivals)
            }
            Strategy::EarliestDeadlineFirst => (0, deadline, importance, self.arrivals),
            Strategy::MaximumUrgencyFirst => {
                let level = -(job.criticality as i64);
                let execution = match self.dynamic {
                    DynamicPriority::Laxity => i128::from(left.0),
                    DynamicPriority::Deadline => 0,
                };
                (level, deadline - execution, importance, self.arrivals)
            }
        }
    }
}
