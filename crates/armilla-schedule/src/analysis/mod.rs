//! Whether tasks meet their deadlines, and why not.

mod advice;
mod blocking;
mod deadlines;
mod demand;
mod dynamic;
mod fixed;
mod impossible;
mod processors;
mod report;
mod sensitivity;
mod threads;
mod urgency;
mod verdict;

pub use fixed::Response;
pub use report::{Bound, BoundResult, OperationVerdict, ProcessorVerdict, Report, Verdict};

use crate::budget::Budget;
use crate::fault::InvalidTasks;
use crate::priority::{self, PriorityRange};
use crate::steps::{Inline, Step, unfold};
use crate::strategy::Strategy;
use crate::system::System;

/// What an analysis is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnalysisOptions {
    /// How the processors choose among ready tasks.
    pub strategy: Strategy,
    /// The priorities that may be given to operations.
    pub range: PriorityRange,
    /// Whether to look for the largest factor by which execution times may grow. It takes about
    /// twenty analyses.
    pub sensitivity: bool,
    /// How many threads execute the operations of each processor. With one, operations preempt one
    /// another. With several each operation that has begun runs to its end, and each thread has a
    /// CPU of its own.
    pub threads: usize,
}

impl AnalysisOptions {
    /// The question whether the strategy meets all deadlines, with the default range of priorities
    /// with sensitivity, and with one thread.
    pub fn of(strategy: Strategy) -> Self {
        Self { strategy, range: PriorityRange::default(), sensitivity: true, threads: 1 }
    }
}

/// Analyses the system: a verdict for each operation and each processor.
///
/// It ends in bounded time, about a second (with sensitivity, twenty), whatever the system. What it
/// could not prove by then counts as not schedulable, and the verdict says so. The error is that
/// chains of calls have too many steps.
///
/// ```
/// use armilla_schedule::{Nanos, AnalysisOptions, Strategy, System, Task, TaskSet, analyse};
///
/// let ms = Nanos::from_millis;
/// let mut set = TaskSet::default();
/// set.tasks.push(Task::periodic("Sensor::sample", ms(10), ms(3)));
/// set.tasks.push(Task::periodic("Hud::draw", ms(50), ms(20)));
/// let system = System::new(set).unwrap();
/// let report = analyse(&system, AnalysisOptions::of(Strategy::RateMonotonic)).unwrap();
/// assert!(report.is_schedulable());
/// // 20 ms of its own and three samples of 3 ms.
/// assert_eq!(report.operations[1].response.bound(), Some(29_000_000));
/// ```
pub fn analyse(system: &System, question: AnalysisOptions) -> Result<Report, InvalidTasks> {
    let mut report = analyse_once(system, question)?;
    if question.sensitivity {
        report.growth = sensitivity::growth(system, question, &report);
    }
    advice::advise(system, question, &mut report);
    Ok(report)
}

/// The analysis without sensitivity.
fn analyse_once(system: &System, question: AnalysisOptions) -> Result<Report, InvalidTasks> {
    let inline = if question.strategy.is_dynamic() { Inline::Processor } else { Inline::Process };
    let steps = unfold(system, inline)?;
    let mut budget = Budget::new();
    let priorities = priority::assign(system, &steps, question.strategy, question.range);
    let outcomes = if question.threads > 1 {
        let AnalysisOptions { strategy, threads, .. } = question;
        threads::outcomes(system, &steps, strategy, &priorities, threads, &mut budget)
    } else if question.strategy.is_dynamic() {
        let muf = question.strategy == Strategy::MaximumUrgencyFirst;
        urgency::outcomes(system, &steps, muf, &mut budget)
    } else {
        let responses = fixed::responses(system, &steps, &priorities, &mut budget);
        steps.iter().zip(responses).map(|(step, found)| fixed_outcome(step, found)).collect()
    };
    let processors = processors::verdicts(system, &steps, question);
    Ok(verdict::report(system, &steps, question, priorities, outcomes, processors))
}

/// What was found of one step.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) response: Response,
    pub(crate) deadline: u64,
    pub(crate) blocking: u64,
    pub(crate) met: bool,
    /// Why not, unless the response says it.
    pub(crate) reason: Option<String>,
    /// The level that took the place of the declared criticality.
    pub(crate) criticality: Option<crate::level::Criticality>,
}

fn fixed_outcome(step: &Step, found: fixed::FixedResponse) -> Outcome {
    Outcome {
        response: found.response,
        deadline: step.deadline,
        blocking: found.blocking,
        met: found.response.bound().is_some_and(|response| response <= step.deadline),
        reason: None,
        criticality: None,
    }
}
