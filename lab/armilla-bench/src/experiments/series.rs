//! A series: the cells that the same programs run over one transport, at one placement.

use crate::machine::Placement;
use crate::plan::{Experiment, Plan};
use crate::program::{Kind, Program, Transport};
use crate::record::Cell;
use crate::schedule::{START, expected, rounds, starts};
use crate::task::{Step, Task};
use std::time::Duration;

/// A group of cells for the same programs.
pub(super) struct Series {
    pub(super) programs: Vec<Program>,
    pub(super) transport: Transport,
    pub(super) placement: Placement,
    pub(super) queue: usize,
    /// The heading of its results, if its programs are specific to it.
    pub(super) group: &'static str,
    /// The number of cells that are compared with each other, and therefore interleaved.
    pub(super) together: usize,
    /// Whether to count instructions, too.
    pub(super) counted: bool,
    pub(super) steps: Vec<Step>,
}

impl Series {
    pub(super) fn on(
        plan: &Plan,
        transport: Transport,
        default: Placement,
        programs: &[Program],
    ) -> Self {
        let wanted = |p: &&Program| p.kind != Kind::Peer || p.is_plain() || plan.wants_peer(p.name);
        Self {
            programs: programs.iter().filter(wanted).cloned().collect(),
            transport,
            placement: plan.placement.unwrap_or(default),
            queue: 0,
            group: "",
            together: 1,
            counted: false,
            steps: Vec::new(),
        }
    }

    pub(super) fn with_queue(self, queue: usize) -> Self {
        Self { queue, ..self }
    }

    /// Adds a cell of calls to one object.
    pub(super) fn add(&mut self, experiment: Experiment, task: Task) {
        let cell = self.cell(experiment, task, 1);
        self.steps.push(Step { prepare: None, cell, task });
    }

    /// Adds a cell of calls to `objects` objects in turn, with their preparation, unless an equal
    /// cell exists.
    pub(super) fn add_objects(&mut self, experiment: Experiment, task: Task, objects: u32) {
        let cell = self.cell(experiment, task, objects);
        if self.steps.iter().all(|step| step.cell != cell) {
            self.steps.push(Step { prepare: Some(format!("objects {objects}")), cell, task });
        }
    }

    /// Adds a cell of calls to any of `objects` objects with `operations` operations each.
    pub(super) fn add_operations(&mut self, task: Task, objects: u32, operations: u32) {
        let cell = self.cell(Experiment::Demux, task, objects);
        let prepare = Some(format!("fill {objects} {operations}"));
        self.steps.push(Step { prepare, cell: Cell { operations, ..cell }, task });
    }

    /// The programs that support the transport.
    pub(super) fn able(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().filter(|program| program.supports(self.transport))
    }

    /// The number of measurements of cells, including one trial for each cell.
    pub(super) fn turns(&self, plan: &Plan) -> usize {
        self.chunks().map(|steps| steps.len() * (1 + rounds(plan, steps))).sum()
    }

    /// The approximate time to measure `steps` with the programs that support the transport.
    pub(super) fn expected(&self, plan: &Plan, steps: &[Step]) -> Duration {
        let able = self.able().count();
        // The first start serves the whole series.
        let starts = START * u32::try_from(starts(plan, steps) - 1).unwrap_or(u32::MAX);
        (expected(plan, steps) + starts) * u32::try_from(able).unwrap_or(u32::MAX)
    }

    /// The same for all steps.
    pub(super) fn expected_whole(&self, plan: &Plan) -> Duration {
        let measured: Duration = self.chunks().map(|steps| self.expected(plan, steps)).sum();
        measured + START * u32::try_from(self.able().count()).unwrap_or(u32::MAX)
    }

    /// The steps, in groups that are measured together.
    pub(super) fn chunks(&self) -> impl Iterator<Item = &[Step]> {
        self.steps.chunks(self.together.max(1))
    }

    fn cell(&self, experiment: Experiment, task: Task, objects: u32) -> Cell {
        Cell {
            experiment: experiment.name(),
            transport: self.transport.name(),
            placement: self.placement.name(),
            invocation: task.workload.invocation(),
            payload: task.workload.name(),
            units: task.units,
            bytes: task.workload.user_octets(task.units),
            objects,
            operations: 1,
            order: task.order,
            threads: 1,
            queue: self.queue,
            group: self.group,
        }
    }
}
