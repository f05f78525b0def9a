//! Whether real-time tasks meet their deadlines, proven before the program runs; and the order in
//! which they run then.
//!
//! The input is a [`TaskSet`]: operations with periods, worst-case execution times, deadlines,
//! criticalities, shared resources and calls between them, on several processors. [`System::new`]
//! checks it. [`analyse`] says for each operation of the system, for each [`Strategy`], how long
//! its response may take and whether that is in time; [`simulation`] runs the same system step by
//! step. No part does I/O or reads a clock, and all arithmetic is on whole nanoseconds.

#![forbid(unsafe_code)]

mod analysis;
mod bounds;
mod budget;
pub mod dispatch;
mod fault;
mod level;
mod measured;
mod priority;
mod similar;
pub mod simulation;
mod steps;
mod strategy;
mod system;
#[cfg(feature = "table")]
mod table;
mod task;
mod time;
pub mod timeline;

pub use analysis::{
    AnalysisOptions, Bound, BoundResult, OperationVerdict, ProcessorVerdict, Report, Response,
    Verdict, analyse,
};
pub use bounds::{Utilisation, liu_layland_bound};
pub use fault::{Fault, InvalidTasks};
pub use level::{Criticality, Importance, LevelError};
pub use measured::MeasuredTimes;
pub use priority::PriorityRange;
pub use strategy::Strategy;
pub use system::{MOST_TASKS, System};
#[cfg(feature = "table")]
pub use table::{CallDescription, Description, MOST_TEXT, TaskDescription};
pub use task::{Call, CallKind, Protocol, Section, Task, TaskSet};
pub use time::{Nanos, TimeError};
