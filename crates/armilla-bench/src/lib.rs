//! The experiments: what a call costs, measured against plain sockets and against other brokers in
//! one interleaved run.
//!
//! [`Plan`] says what to run and [`run`] does it; `armilla bench` is thin over both. A *program* is
//! one way to do the work (`program`), a *workload* what is sent (`workload`); an experiment
//! chooses *cells* of both (`experiments`), which `measure` runs round by round. What came out is a
//! list of [`Record`]s in an [`Outcome`], from which `report` makes tables, JSON and a page.
//!
//! [`ttcp`] tests the network between two machines.
//!
//! The small programs in `src/bin` count and time single things: `calls` serves or calls, and the
//! script `instructions` counts what that takes.

#![forbid(unsafe_code)]

armilla::include_idl!("bench");

mod budget;
mod counting;
mod experiments;
mod functions;
mod machine;
mod measure;
mod network;
mod outcome;
mod peers;
mod plan;
mod process;
mod program;
mod published;
mod reaper;
mod record;
mod report;
mod samples;
mod schedule;
mod support;
mod task;
pub mod ttcp;
mod worker;
mod workload;

pub use experiments::run;
pub use functions::functions;
pub use machine::{Machine, Placement, queue_cut_short};
pub use outcome::{Absent, Outcome};
pub use plan::{Experiment, Plan};
pub use program::{Transport, peer_names};
pub use record::{Cell, Gain, Metric, Record, median};
pub use support::{exit_code, print_average};
pub use worker::{LibraryServant, Sink, Worker};
