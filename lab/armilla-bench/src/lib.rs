//! The experiments: the cost of a call, measured against plain sockets and other brokers in one
//! interleaved run.
//!
//! [`Plan`] selects the experiments and [`run`] runs them; `armilla bench` calls both. A *program*
//! does the work (`program`), a *workload* is the data sent (`workload`). An experiment consists of
//! *cells* of both (`experiments`), which `measure` runs round by round. The result is a list of
//! [`Record`]s in an [`Outcome`], from which `report` makes tables, JSON and an HTML page.
//!
//! [`ttcp`] tests the network between two machines.
//!
//! The programs in `src/bin` measure single aspects: `calls` is a server or a client, whose
//! instructions the script `instructions` counts.

#![forbid(unsafe_code)]

armilla::include_idl!("bench");

mod budget;
mod counting;
mod experiments;
mod functions;
mod images;
mod imaging;
mod latencies;
mod line;
mod machine;
mod measure;
mod network;
mod outcome;
mod peers;
mod plan;
mod process;
mod program;
mod published;
mod realtime;
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
pub use imaging::{Imaging, ImagingCell, ImagingPlan, Place, imaging};
pub use latencies::Latencies;
pub use line::{Line, LinkCheck};
pub use machine::{Machine, Placement, queue_cut_short};
pub use outcome::{Absent, Outcome};
pub use plan::{Experiment, Plan};
pub use program::{Transport, peer_names};
pub use realtime::{
    MutexKind, MutexWait, OverloadOperation, OverloadRun, RealTime, RealTimePart, RealTimePlan,
    Variant, realtime,
};
pub use record::{Cell, Gain, Metric, Record, median};
pub use support::{exit_code, over_tcp, print_average};
pub use worker::{LibraryServant, Sink, Worker};
