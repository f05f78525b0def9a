//! A simulation of a system: what happens at each moment, for as long as it is asked.
//!
//! It shares the description of the system with the analysis, but nothing else: no unfolded steps,
//! no deadlines derived, no formulas. So each can be tested against the other.
//!
//! Time jumps from event to event: a release, the end of a stretch of execution, a laxity that
//! falls below another. Execution takes its worst-case time. A processor executes the most urgent
//! job that is ready, and a job is preempted at any time except where it says otherwise.

mod choice;
mod program;
mod random;
mod run;

pub use random::Random;

use crate::analysis::Report;
use crate::level::Criticality;
use crate::strategy::Strategy;
use crate::system::System;
use crate::time::Nanos;

/// What to simulate.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Scenario {
    /// How the processors choose.
    pub strategy: Strategy,
    /// When the simulation ends.
    pub until: Nanos,
    /// Whether a job that can no longer meet its deadline is cancelled, unless it is critical.
    pub cancel: bool,
    /// How often laxities are compared, at least. With maximum urgency first, the system is
    /// scheduled best if all its times are multiples of it.
    pub quantum: Nanos,
    /// When the periodic tasks are first released.
    pub offsets: Offsets,
    /// Whether to record what ran when.
    pub record: bool,
    /// The native priority of each task, by its number.
    pub(crate) priorities: Vec<i32>,
    /// The relative deadline of each task.
    pub(crate) deadlines: Vec<u64>,
    /// The criticality of each task.
    pub(crate) criticalities: Vec<Criticality>,
}

/// When periodic tasks are first released, and how late releases come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offsets {
    /// All at once: the critical instant. The first release of each comes as late as its jitter
    /// allows, all later ones in time.
    Together,
    /// At random times within the period, with random jitter, from this seed.
    Random(u64),
}

impl Scenario {
    /// The critical instant under the priorities and deadlines of a report on the same system.
    pub fn of(system: &System, report: &Report, until: Nanos) -> Self {
        let verdict = |name: &str| report.operations.iter().find(|verdict| verdict.name == name);
        let verdicts: Vec<_> = system.tasks().iter().map(|task| verdict(&task.name)).collect();
        let priority = |verdict: &crate::OperationVerdict| verdict.priority.unwrap_or(0);
        Self {
            strategy: report.strategy,
            until,
            cancel: false,
            quantum: Nanos::from_millis(1),
            offsets: Offsets::Together,
            record: false,
            priorities: verdicts.iter().map(|found| found.map_or(0, priority)).collect(),
            deadlines: (verdicts.iter())
                .map(|found| found.map_or(u64::MAX, |verdict| verdict.deadline.0))
                .collect(),
            criticalities: (verdicts.iter())
                .map(|found| found.map_or(Criticality::Medium, |verdict| verdict.criticality))
                .collect(),
        }
    }
}

/// What happened.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Simulated {
    /// What happened to each task, by its number in the system.
    pub tasks: Vec<TaskStatistics>,
    /// What ran when, in the order of time, if that was recorded; at most 100,000 stretches.
    pub slices: Vec<Slice>,
    /// Releases of tasks, if they were recorded: task, nominal time.
    pub releases: Vec<(usize, Nanos)>,
    /// Whether the simulation ended early, because too much happened.
    pub cut: bool,
}

impl Simulated {
    /// Missed deadlines of all tasks.
    pub fn misses(&self) -> u64 {
        self.tasks.iter().map(|task| task.misses).sum()
    }
}

/// What happened to one task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskStatistics {
    /// How often it was released.
    pub released: u64,
    /// How often it ended.
    pub completed: u64,
    /// How often it ended after its deadline, or had not ended when that passed.
    pub misses: u64,
    /// How often it was cancelled.
    pub cancelled: u64,
    /// Its longest response.
    pub longest: Nanos,
}

/// A stretch of time in which a processor executed one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The number of the task.
    pub task: usize,
    /// The number of the processor.
    pub processor: usize,
    /// When it began.
    pub start: Nanos,
    /// When it ended.
    pub end: Nanos,
}

/// Simulates the system.
///
/// ```
/// use armilla_schedule::simulation::{Scenario, simulate};
/// use armilla_schedule::{Nanos, AnalysisOptions, Strategy, System, Task, TaskSet, analyse};
///
/// let ms = Nanos::from_millis;
/// let mut set = TaskSet::default();
/// set.tasks.push(Task::periodic("Sensor::sample", ms(10), ms(3)));
/// set.tasks.push(Task::periodic("Hud::draw", ms(50), ms(20)));
/// let system = System::new(set).unwrap();
/// let report = analyse(&system, AnalysisOptions::of(Strategy::RateMonotonic)).unwrap();
/// let lived = simulate(&system, &Scenario::of(&system, &report, ms(50)));
/// assert_eq!(lived.tasks[1].longest, ms(29));
/// ```
pub fn simulate(system: &System, scenario: &Scenario) -> Simulated {
    run::Run::new(system, scenario).finish()
}
