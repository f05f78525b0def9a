//! The work of a cell: what each program is told to do, and the unit of its measurements.

use crate::program::Program;
use crate::record::{Cell, Metric};
use crate::workload::Workload;

/// The maximum volume of a program in one round: that of the study, in octets.
const VOLUME: u64 = 64 << 20;

/// The minimum and maximum number of calls of a program in one round.
pub(crate) const CALLS: (u32, u32) = (4, 200_000);

/// One step of a program set: a cell, and what precedes it.
pub(crate) struct Step {
    /// The preparation by the brokers, which is not measured.
    pub(crate) prepare: Option<String>,
    pub(crate) cell: Cell,
    pub(crate) task: Task,
}

/// The work of the programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) workload: Workload,
    pub(crate) units: u32,
    pub(crate) order: &'static str,
    /// Whether the slow calls count: the time that one of a thousand takes longer than.
    pub(crate) tail: bool,
}

impl Task {
    /// Calls of a workload at one object.
    pub(crate) const fn of(workload: Workload, units: u32) -> Self {
        Self { workload, units, order: "train", tail: false }
    }

    /// The command that lets `program` make `count` calls.
    pub(crate) fn command(&self, program: &Program, count: u32) -> String {
        match program.is_raw() {
            true => self.workload.raw_command(self.units, count),
            false => {
                let (name, units, order) = (self.workload.name(), self.units, self.order);
                format!("call {name} {units} {count} {order}")
            }
        }
    }

    /// Whether to time all calls together instead of single exchanges. With a call for each of many
    /// strings, one exchange of plain sockets is only a part of the work; calls for one string and
    /// for all are timed alike.
    pub(crate) fn is_timed_whole(&self) -> bool {
        self.workload.is_timed_whole()
            || matches!(self.workload, Workload::SingleStrings | Workload::ManyStrings)
    }

    /// The maximum number of calls of a program.
    pub(crate) fn most(&self) -> u32 {
        let octets = self.workload.user_octets(self.units).max(1);
        u32::try_from(VOLUME / octets).unwrap_or(u32::MAX).min(CALLS.1)
    }

    pub(crate) const fn metric(&self) -> Metric {
        match self.workload {
            workload if workload.is_bulk() => Metric::Throughput,
            Workload::FloodVoid => Metric::Rate,
            _ => Metric::Latency,
        }
    }

    /// Converts a time to the unit of the metric: that of all calls for floods, else that of a
    /// single call.
    pub(crate) fn value(&self, count: u32, nanos: f64) -> f64 {
        let octets = self.workload.user_octets(self.units) as f64 * f64::from(count);
        match self.metric() {
            Metric::Throughput => octets * 8.0 / nanos * 1000.0,
            Metric::Rate => f64::from(count) / nanos * 1e9,
            _ if self.is_timed_whole() => nanos / f64::from(count) / 1000.0,
            _ => nanos / 1000.0,
        }
    }
}
