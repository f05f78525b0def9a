//! What a scheduler is made from.

use crate::error::{RtError, RtErrorKind};
use crate::priority::Priority;
use armilla_schedule::dispatch::DynamicPriority;
use armilla_schedule::{Strategy, TaskSet};

/// A [`Scheduler`](super::Scheduler) to be created.
///
/// ```
/// use armilla_rt::{Priority, SchedulerOptions};
/// use armilla_schedule::{Nanos, Strategy, Task, TaskSet};
///
/// let mut tasks = TaskSet::default();
/// tasks.tasks.push(Task::periodic("Sensor::sample", Nanos::from_millis(10), Nanos(300_000)));
/// let levels = [20, 21, 22].map(|number| Priority::new(number).unwrap());
/// let options = SchedulerOptions::new("tasks", Strategy::MaximumUrgencyFirst, tasks)
///     .priorities(levels)
///     .capacity(32);
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct SchedulerOptions {
    pub(super) name: String,
    pub(super) strategy: Strategy,
    pub(super) tasks: TaskSet,
    pub(super) priorities: Vec<Priority>,
    pub(super) threads: usize,
    pub(super) capacity: usize,
    pub(super) dynamic: DynamicPriority,
}

impl SchedulerOptions {
    /// Runs these tasks in the order of this strategy: those of the generated code
    /// ([`tasks_of`](crate::tasks_of)), of a table, or both. It needs at least one
    /// [priority](Self::priorities).
    pub fn new(name: impl Into<String>, strategy: Strategy, tasks: TaskSet) -> Self {
        Self {
            name: name.into(),
            strategy,
            tasks,
            priorities: Vec::new(),
            threads: 1,
            capacity: 64,
            dynamic: DynamicPriority::Deadline,
        }
    }

    /// The CORBA priorities at which operations run. With one, each operation runs to its end; with
    /// several, a more urgent operation runs above those that it preempts, at the next one. As many
    /// as there are operations are always enough.
    #[must_use]
    pub fn priorities(mut self, priorities: impl IntoIterator<Item = Priority>) -> Self {
        self.priorities = priorities.into_iter().collect();
        self.priorities.sort();
        self
    }

    /// How many operations run at once, each to its end. Default: 1. More than one exclude
    /// preemption, and are analysed as threads with a CPU each
    /// ([`AnalysisOptions::threads`](armilla_schedule::AnalysisOptions::threads)): where the
    /// process may use fewer CPUs, nothing is proven or admitted.
    #[must_use]
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// How many requests wait, 1 to 1,000. Beyond, the least urgent one is refused with
    /// `TRANSIENT`. Default: 64.
    #[must_use]
    pub const fn capacity(mut self, requests: usize) -> Self {
        self.capacity = requests;
        self
    }

    /// What orders operations of the same criticality under maximum urgency first. Default:
    /// deadlines, which need the fewest preemptions.
    #[must_use]
    pub const fn ordered_by(mut self, dynamic: DynamicPriority) -> Self {
        self.dynamic = dynamic;
        self
    }

    /// Checks what depends neither on the platform nor on the tasks.
    pub(super) fn check(&self) -> Result<(), RtError> {
        let wrong = |kind, policy: &'static str, value: String, reason: &str, remedy: &str| {
            let object = format!("scheduler {:?}", self.name);
            Err(RtError::new(kind, object, policy, value, reason, remedy))
        };
        let Self { priorities, threads, capacity, .. } = self;
        if priorities.is_empty() {
            let reason = "operations run at one priority or at several";
            return wrong(RtErrorKind::Value, "priorities", "none".into(), reason, "add one");
        }
        if !(1..=MOST_THREADS).contains(threads) {
            let reason = "a scheduler has 1 to 1000 threads";
            return wrong(RtErrorKind::Value, "threads", threads.to_string(), reason, "ask for 1");
        }
        if !(1..=MOST_WAITING).contains(capacity) {
            let reason = "1 to 1000 requests may wait, each with a thread";
            let remedy = "choose a number in this range";
            return wrong(RtErrorKind::Value, "capacity", capacity.to_string(), reason, remedy);
        }
        if *threads > 1 && priorities.len() > 1 {
            let value = format!("{threads}, with {} priorities", priorities.len());
            let reason = "operations preempt one another on one processor only";
            let remedy = "give one priority, or make a scheduler for each processor";
            return wrong(RtErrorKind::Policy, "threads", value, reason, remedy);
        }
        Ok(())
    }
}

/// The most operations that run at once, and the most requests that wait.
const MOST_THREADS: usize = 1_000;
const MOST_WAITING: usize = 1_000;
