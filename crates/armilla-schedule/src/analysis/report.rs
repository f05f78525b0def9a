//! What an analysis found.

use super::Response;
use crate::bounds::Utilisation;
use crate::level::Criticality;
use crate::strategy::Strategy;
use crate::time::Nanos;

/// The result of an analysis.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The strategy that was analysed.
    pub strategy: Strategy,
    /// A verdict for each task, in the order of the system.
    pub operations: Vec<OperationVerdict>,
    /// A verdict for each processor, in the order of the system.
    pub processors: Vec<ProcessorVerdict>,
    /// The largest factor by which all execution times may be multiplied, in thousandths, rounded
    /// down: below 1000 if they have to shrink. `None` if it was not asked for.
    pub growth: Option<u64>,
    /// What the reader should know besides, such as priorities that several operations share.
    pub notes: Vec<String>,
}

impl Report {
    /// Whether every operation meets its deadline.
    pub fn is_schedulable(&self) -> bool {
        self.operations.iter().all(|operation| operation.verdict == Verdict::Schedulable)
    }
}

/// Whether an operation meets its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It always does.
    Schedulable,
    /// It may miss it, as far as this analysis can tell.
    Late,
    /// The analysis ended before it was certain.
    Unproven,
}

/// What was found of one operation: of its most critical execution, if several chains of calls
/// lead to it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OperationVerdict {
    /// The name of the operation.
    pub name: String,
    /// The process that executes it.
    pub process: String,
    /// The processor that executes it.
    pub processor: String,
    /// The operation in whose thread it runs, if a call within the thread executes it.
    pub in_thread_of: Option<String>,
    /// Its native priority, if the strategy has fixed ones.
    pub priority: Option<i32>,
    /// Its criticality; with maximum urgency first at least that of the operations that depend on
    /// it.
    pub criticality: Criticality,
    /// The shortest time between two executions.
    pub period: Nanos,
    /// Its longest response.
    pub response: Response,
    /// The deadline that it has to meet, earlier than declared if others have to follow.
    pub deadline: Nanos,
    /// For how long less urgent operations may delay it.
    pub blocking: Nanos,
    /// Whether it meets the deadline.
    pub verdict: Verdict,
    /// Why not.
    pub reason: Option<String>,
    /// What to change.
    pub advice: Option<String>,
}

impl OperationVerdict {
    /// The time between the longest response and the deadline, in nanoseconds; negative if the
    /// deadline comes first. `None` if the response has no bound.
    pub fn slack(&self) -> Option<i128> {
        self.response.bound().map(|bound| i128::from(self.deadline.0) - i128::from(bound))
    }
}

/// What was found of one processor.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProcessorVerdict {
    /// Its name.
    pub name: String,
    /// How much of its time the operations need.
    pub utilisation: Utilisation,
    /// The bounds on the utilisation that were tried.
    pub bounds: Vec<BoundResult>,
}

/// A bound on the utilisation of a processor below which all deadlines are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// n (2^(1/n) − 1), for rate-monotonic priorities (Liu, Layland 1973).
    LiuLayland,
    /// The product of (1 + utilisation) is at most 2 (Bini, Buttazzo, Buttazzo 2003).
    Hyperbolic,
    /// All of the processor, for deadlines and laxity (Liu, Layland 1973; Dertouzos, Mok 1989).
    Full,
}

/// Whether a bound holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundResult {
    /// The bound.
    pub bound: Bound,
    /// The utilisation that it allows, in parts of a million; none for the hyperbolic bound.
    pub limit: Option<u64>,
    /// Whether it holds; or why it says nothing about these tasks.
    pub holds: Result<bool, &'static str>,
}
