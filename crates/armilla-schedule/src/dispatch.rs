//! Dispatching at run time: which piece of work a thread executes next.
//!
//! A [`Dispatcher`] is a bounded set of jobs that are ready, without threads and without a clock:
//! the program says what time it is. Static priorities take the job of the highest priority,
//! earliest deadline first the most pressing one, and maximum urgency first the most critical one,
//! among these the one with the least laxity. All of a job's urgency is known when it arrives: the
//! laxities of jobs that wait shrink at the same pace, so that their order stays.
//!
//! Late work that is not critical is cancelled under maximum urgency first. Every operation takes
//! time logarithmic in the number of jobs.

use crate::analysis::{AnalysisOptions, Verdict, analyse};
use crate::level::{Criticality, Importance};
use crate::strategy::Strategy;
use crate::system::System;
use crate::task::Task;
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
type Key = (i64, i128, i64, u64);

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
        let jobs = BTreeMap::new();
        Self { strategy, capacity, jobs, cancelled: Vec::new(), arrivals: 0 }
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
        while let Some((_, job)) = self.jobs.pop_first() {
            if !self.is_to_be_cancelled(&job, now) {
                return Some(job);
            }
            self.keep_cancelled(job);
        }
        None
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
                (level, deadline - i128::from(left.0), importance, self.arrivals)
            }
        }
    }
}

/// The tasks that run, and whether another one may join them.
#[derive(Debug, Clone)]
pub struct Admission {
    system: System,
    question: AnalysisOptions,
}

/// Why a task is not admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The task.
    pub task: String,
    /// The operations that could miss their deadlines, each with the reason; or what is wrong with
    /// the task.
    pub reasons: Vec<(String, String)>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not admitted", self.task)?;
        for (at, (operation, reason)) in self.reasons.iter().enumerate() {
            write!(f, "{} {operation}: {reason}", if at == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

impl Admission {
    /// Admission to a system that runs under a strategy. The system itself need not be
    /// schedulable; then nothing is admitted that would have to be.
    pub fn new(system: System, strategy: Strategy) -> Self {
        Self {
            system,
            question: AnalysisOptions { sensitivity: false, ..AnalysisOptions::of(strategy) },
        }
    }

    /// The tasks that run.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Admits a task if all deadlines are still met then. The refusal says which would not.
    ///
    /// It analyses the whole system, which takes milliseconds for dozens of tasks and at most about
    /// a second: call it from a thread that has no deadline.
    pub fn admit(&mut self, task: Task) -> Result<(), Refusal> {
        let name = task.name.clone();
        let refuse = |reasons| Err(Refusal { task: name.clone(), reasons });
        let mut set = self.system.task_set().clone();
        set.tasks.push(task);
        let found = System::new(set)
            .and_then(|system| analyse(&system, self.question).map(|report| (system, report)));
        let (system, report) = match found {
            Ok(found) => found,
            Err(invalid) => {
                let faults = invalid.faults.into_iter();
                let reasons = faults
                    .map(|fault| (fault.subject, format!("{}; {}", fault.problem, fault.remedy)));
                return refuse(reasons.collect());
            }
        };
        let late = report.operations.iter().filter(|one| one.verdict != Verdict::Schedulable);
        let reasons: Vec<(String, String)> =
            late.map(|one| (one.name.clone(), one.reason.clone().unwrap_or_default())).collect();
        if !reasons.is_empty() {
            return refuse(reasons);
        }
        self.system = system;
        Ok(())
    }

    /// Removes a task that no longer runs. Whether there was one of that name; one that others call
    /// stays, and so does the last one.
    pub fn leave(&mut self, name: &str) -> bool {
        let mut set = self.system.task_set().clone();
        let before = set.tasks.len();
        set.tasks.retain(|task| task.name != name);
        match System::new(set) {
            Ok(system) if system.tasks().len() < before => {
                self.system = system;
                true
            }
            _ => false,
        }
    }
}
