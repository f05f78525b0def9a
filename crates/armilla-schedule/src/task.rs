//! What the schedule has to know of a program: its operations, their times, and who calls whom.

use crate::level::{Criticality, Importance};
use crate::time::Nanos;

/// An operation that is released periodically, or called by others, or both.
///
/// This is the `RT_Info` of the run-time scheduler. A task with a period is released by itself: at
/// most once in each period. An operation without a period runs when others call it.
///
/// ```
/// use armilla_schedule::{Nanos, Task};
///
/// let task = Task::periodic("Sensor::sample", Nanos::from_millis(10), Nanos::from_micros(300));
/// assert_eq!(task.processor, "cpu0");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// The name of the operation: `Sensor::sample`. Unique in a set.
    pub name: String,
    /// The process that executes it. A two-way call within a process is a direct call, in the
    /// thread of the caller.
    pub process: String,
    /// The processor that executes it.
    pub processor: String,
    /// The shortest time between two releases; `None` if only other operations release it.
    pub period: Option<Nanos>,
    /// The time by which it must have ended; `None` means the end of the period. It counts from
    /// the nominal release of the task that begins the chain of calls; for an operation that is
    /// called two-way, from the arrival of the request.
    pub deadline: Option<Nanos>,
    /// The worst-case execution time of the operation itself, without what it calls.
    pub wcet: Nanos,
    /// How much later than nominally a periodic release may come.
    pub jitter: Nanos,
    /// What a missed deadline costs.
    pub criticality: Criticality,
    /// Which of two tasks goes first if nothing else decides.
    pub importance: Importance,
    /// How many threads execute it at each release, each for `wcet`.
    pub threads: u32,
    /// The longest stretch of `wcet` in which it cannot be preempted.
    pub non_preemptive: Nanos,
    /// Its critical sections, which are not nested.
    pub sections: Vec<Section>,
    /// The operations that it calls, once each time it runs.
    pub calls: Vec<Call>,
}

impl Task {
    /// A task that only other operations release.
    pub fn called(name: impl Into<String>, wcet: Nanos) -> Self {
        Self {
            name: name.into(),
            process: DEFAULT_PROCESS.to_owned(),
            processor: DEFAULT_PROCESSOR.to_owned(),
            period: None,
            deadline: None,
            wcet,
            jitter: Nanos::ZERO,
            criticality: Criticality::default(),
            importance: Importance::default(),
            threads: 1,
            non_preemptive: Nanos::ZERO,
            sections: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// A task that is released once in each period.
    pub fn periodic(name: impl Into<String>, period: Nanos, wcet: Nanos) -> Self {
        Self { period: Some(period), ..Self::called(name, wcet) }
    }
}

/// The process and the processor of a task that names none.
pub(crate) const DEFAULT_PROCESS: &str = "main";
pub(crate) const DEFAULT_PROCESSOR: &str = "cpu0";

/// A call from one operation to another: a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The name of the called operation.
    pub operation: String,
    /// Whether the caller waits.
    pub kind: CallKind,
    /// The longest time that a message takes, in each direction.
    pub delay: Nanos,
}

/// Whether the caller of an operation waits for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CallKind {
    /// The caller waits for the reply.
    #[default]
    TwoWay,
    /// The caller goes on; the operation is released when the caller has ended.
    OneWay,
}

/// A critical section: a stretch of execution that holds a shared resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The name of the resource, such as a mutex.
    pub resource: String,
    /// How long it is held, as part of the task's `wcet`.
    pub length: Nanos,
}

/// How the holder of a resource is kept from being delayed by others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Protocol {
    /// Priority inheritance (Sha, Rajkumar, Lehoczky 1990): the holder runs at the priority of the
    /// most urgent waiting task. It is what `PTHREAD_PRIO_INHERIT` and an RT CORBA mutex do.
    #[default]
    Inheritance,
    /// Priority ceiling (the same), or with dynamic priorities the stack resource policy (Baker
    /// 1991): a task is blocked at most once.
    Ceiling,
}

/// Tasks that run together, as they were described. [`System::new`](crate::System::new) checks
/// them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskSet {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// How critical sections are protected.
    pub protocol: Protocol,
}
