//! The experiments: which cells each consists of. What they share is here.

mod absence;
mod batch;
mod demux;
mod ladder;
mod latency;
mod run;
mod ttcp;

use crate::budget::{Budget, Hurry};
use crate::counting;
use crate::machine::{Machine, Placement};
use crate::measure::{START, Step, Task, expected, rounds, starts};
use crate::network::Link;
use crate::peers::{Absent, Peers};
use crate::plan::{Experiment, Plan};
use crate::program::{C, Kind, Program, Transport};
use crate::record::{Cell, Record};
use crate::report::Progress;
use absence::{idle, left_out, make_peers, small_queues, unlinked};
use run::{Run, wanted};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What a run brought.
#[derive(Debug)]
pub struct Outcome {
    /// What was measured on.
    pub machine: Machine,
    /// What was measured.
    pub records: Vec<Record>,
    /// The programs that could not take part, or not in everything, and why.
    pub absent: Vec<Absent>,
    /// Programs that failed on the way, and how.
    pub failures: Vec<String>,
    /// What there was no time for.
    pub(crate) hurry: Hurry,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
}

/// A group of cells over one stage.
struct Series {
    programs: Vec<Program>,
    transport: Transport,
    placement: Placement,
    queue: usize,
    /// What its results stand under, if its programs are its own.
    group: &'static str,
    /// How many cells at a time are compared with each other, and so take turns, too.
    together: usize,
    /// Whether instructions are counted, too.
    counted: bool,
    steps: Vec<Step>,
}

impl Series {
    fn on(plan: &Plan, transport: Transport, default: Placement, programs: &[Program]) -> Self {
        let wanted = |p: &&Program| p.kind != Kind::Peer || **p == C || plan.wants_peer(p.name);
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

    fn with_queue(self, queue: usize) -> Self {
        Self { queue, ..self }
    }

    /// A cell of calls at one object.
    fn add(&mut self, experiment: Experiment, task: Task) {
        let cell = self.cell(experiment, task, 1);
        self.steps.push(Step { prepare: None, cell, task });
    }

    /// A cell of calls at `objects` objects in turn, which are prepared for it.
    /// Where that is what another cell is already, it is none.
    fn add_objects(&mut self, experiment: Experiment, task: Task, objects: u32) {
        let cell = self.cell(experiment, task, objects);
        if self.steps.iter().all(|step| step.cell != cell) {
            self.steps.push(Step { prepare: Some(format!("objects {objects}")), cell, task });
        }
    }

    /// A cell of calls at any of `objects` objects that have `operations` operations each.
    fn add_operations(&mut self, task: Task, objects: u32, operations: u32) {
        let cell = self.cell(Experiment::Demux, task, objects);
        let prepare = Some(format!("fill {objects} {operations}"));
        self.steps.push(Step { prepare, cell: Cell { operations, ..cell }, task });
    }

    /// The programs that can take part.
    fn able(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().filter(|program| program.takes(self.transport))
    }

    /// How many turns of cells it takes, each of which is tried once before its rounds.
    fn turns(&self, plan: &Plan) -> usize {
        self.chunks().map(|steps| steps.len() * (1 + rounds(plan, steps))).sum()
    }

    /// About how long it takes to measure `steps` of it, by the programs that can take part.
    fn expected(&self, plan: &Plan, steps: &[Step]) -> Duration {
        let able = self.able().count();
        // The first time they are started for all of a series.
        let starts = START * u32::try_from(starts(plan, steps) - 1).unwrap_or(u32::MAX);
        (expected(plan, steps) + starts) * u32::try_from(able).unwrap_or(u32::MAX)
    }

    /// The same of all its steps.
    fn expected_whole(&self, plan: &Plan) -> Duration {
        let measured: Duration = self.chunks().map(|steps| self.expected(plan, steps)).sum();
        measured + START * u32::try_from(self.able().count()).unwrap_or(u32::MAX)
    }

    /// Its cells, those together that are measured together.
    fn chunks(&self) -> impl Iterator<Item = &[Step]> {
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

/// Runs `plan`, telling on standard error how far it is, until it ends or `stop` becomes true.
///
/// # Errors
/// When the directory for compiled peers cannot be made, or nothing of the plan can be run here.
pub fn run(plan: &Plan, stop: &Arc<AtomicBool>) -> io::Result<Outcome> {
    let begun = Instant::now();
    let peers = Peers::open(stop)?;
    let series = plan.experiments.iter().map(|experiment| series_of(plan, *experiment));
    let mut experiments: Vec<Vec<Series>> = series.collect();
    let link = || Link::make(peers.keeper()).map(drop);
    let mut absent: Vec<Absent> = unlinked(&mut experiments, link).into_iter().collect();
    absent.extend(idle(plan, &mut experiments, Machine::processors()));
    if experiments.iter().all(Vec::is_empty) {
        let why: Vec<_> = absent.iter().map(|a| format!("{}: {}", a.program, a.remedy)).collect();
        return Err(io::Error::other(why.join("; ")));
    }
    absent.extend(make_peers(&peers, &mut experiments));
    absent.extend(small_queues(&experiments));
    absent.extend(left_out(plan, &experiments, &absent));
    let limit = plan.limit().map(|limit| limit.saturating_sub(begun.elapsed()));
    let expected = expected_of(plan, &experiments);
    let budget = Budget::new(limit, expected);
    let mut run = Run::new(plan, &peers, Progress::new(expected), budget, absent);
    for series in &experiments {
        series.iter().for_each(|series| run.perform(series));
        run.count(series);
    }
    Ok(run.end())
}

/// What an experiment consists of.
fn series_of(plan: &Plan, experiment: Experiment) -> Vec<Series> {
    match experiment {
        Experiment::Ttcp => ttcp::series(plan),
        Experiment::Latency => latency::series(plan),
        Experiment::Demux => demux::series(plan),
        Experiment::Ladder => ladder::series(plan),
        Experiment::Batch => batch::series(plan),
    }
}

/// About how long all of it takes.
fn expected_of(plan: &Plan, experiments: &[Vec<Series>]) -> Duration {
    let counted = |series: &Vec<Series>| counting::expected(&wanted(series).collect::<Vec<_>>()).1;
    let measured = experiments.iter().flatten().map(|series| series.expected_whole(plan));
    measured.chain(experiments.iter().map(counted)).sum()
}
