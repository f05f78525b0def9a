//! Dispatching at run time: which piece of work a thread executes next.
//!
//! A [`Dispatcher`] is a bounded set of jobs that are ready; an [`Executive`] decides which of them
//! run, and which preempt others. Both are without threads and without a clock: the program says
//! what time it is. Static priorities take the job of the highest priority, earliest deadline first
//! the most pressing one, and maximum urgency first the most critical one, among these the one with
//! the least laxity or the earliest deadline. All of a job's urgency is known when it arrives: the
//! laxities of jobs that wait shrink at the same pace, so that their order stays.
//!
//! Late work that is not critical is cancelled under maximum urgency first. Every operation takes
//! time logarithmic in the number of jobs.
//!
//! [`Admission`] says whether a further task may join those that run.

mod admission;
mod executive;
mod queue;

pub use admission::{Admission, Refusal};
pub use executive::{Decision, Executive, JobNumber};
pub use queue::{Dispatcher, DynamicPriority, Full, Job};
