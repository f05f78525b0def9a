//! The experiments: which cells each consists of. What they share is here.

mod batch;
mod demux;
mod ladder;
mod latency;
mod ttcp;

use crate::machine::{Machine, Placement, congestion};
use crate::measure::{Scene, Stage, Task};
use crate::network::Link;
use crate::peers::{Absent, Peers};
use crate::plan::{Experiment, Plan};
use crate::program::{C, Kind, Program, Transport, peer_names};
use crate::record::{Cell, Record};
use crate::report::Progress;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

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
    steps: Vec<Step>,
}

/// What is done on a stage.
struct Step {
    /// What the brokers do before, without being measured.
    prepare: Option<String>,
    cell: Cell,
    task: Task,
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
    fn add_objects(&mut self, experiment: Experiment, task: Task, objects: u32) {
        let cell = self.cell(experiment, task, objects);
        self.steps.push(Step { prepare: Some(format!("objects {objects}")), cell, task });
    }

    /// A cell of calls at any of `objects` objects that have `operations` operations each.
    fn add_operations(&mut self, task: Task, objects: u32, operations: u32) {
        let cell = self.cell(Experiment::Demux, task, objects);
        let prepare = Some(format!("fill {objects} {operations}"));
        self.steps.push(Step { prepare, cell: Cell { operations, ..cell }, task });
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
/// When the directory for compiled peers cannot be made.
pub fn run(plan: &Plan, stop: &AtomicBool) -> io::Result<Outcome> {
    let peers = Peers::open()?;
    let congestion = congestion();
    let mut series = Vec::new();
    for experiment in &plan.experiments {
        series.extend(match experiment {
            Experiment::Ttcp => ttcp::series(plan),
            Experiment::Latency => latency::series(plan),
            Experiment::Demux => demux::series(plan),
            Experiment::Ladder => ladder::series(plan),
            Experiment::Batch => batch::series(plan),
        });
    }
    let mut absent = make_peers(&peers, &mut series);
    absent.extend(left_out(plan, &series, &absent));
    let mut outcome = Outcome {
        machine: Machine::this(&congestion),
        records: Vec::new(),
        absent,
        failures: Vec::new(),
        interrupted: false,
    };
    let mut progress = Progress::new(series.iter().map(|series| series.steps.len()).sum());
    let stopped = || stop.load(Ordering::Relaxed);
    for series in &series {
        let link = match series.transport {
            Transport::Link => match Link::make() {
                Ok(link) => Some(link),
                Err(failure) => {
                    outcome.failures.push(format!("no link of its own: {failure}"));
                    continue;
                }
            },
            _ => None,
        };
        let Series { transport, placement, queue, .. } = *series;
        let (congestion, link) = (congestion.as_str(), link.as_ref());
        let scene = Scene { peers: &peers, transport, placement, queue, congestion, link };
        let mut stage = Stage::set(scene, &series.programs);
        let mut prepared = None;
        for step in &series.steps {
            if stopped() {
                break;
            }
            progress.step(&step.cell);
            // What the cell before has prepared already stands.
            if let Some(command) = step.prepare.as_ref().filter(|c| Some(*c) != prepared) {
                stage.prepare(command);
            }
            prepared = step.prepare.as_ref().or(prepared);
            outcome.records.extend(stage.measure(plan, &step.cell, step.task, stopped));
        }
        outcome.failures.append(&mut stage.failures);
    }
    outcome.interrupted = stopped();
    Ok(outcome)
}

/// The programs that cannot do all of what is run, and the peers that were asked for in vain; but for
/// those that are `absent` as a whole.
fn left_out(plan: &Plan, series: &[Series], absent: &[Absent]) -> Vec<Absent> {
    let mut all: Vec<Absent> = Vec::new();
    for Series { programs, transport, .. } in series {
        for program in programs.iter().filter(|program| !program.takes(*transport)) {
            let remedy = format!("it does not speak {}", transport.name());
            all.push(Absent { program: program.name, remedy });
        }
    }
    let takes_part = |name: &str| {
        let mut taking = series.iter().flat_map(|series| &series.programs);
        taking.any(|program| program.name == name) || absent.iter().any(|a| a.program == name)
    };
    let named = peer_names().filter(|name| plan.peers.iter().flatten().any(|peer| peer == name));
    for program in named.filter(|name| !takes_part(name)) {
        let remedy = "it has no part in what was run".to_owned();
        all.push(Absent { program, remedy });
    }
    all.sort_by(|a, b| (a.program, &a.remedy).cmp(&(b.program, &b.remedy)));
    all.dedup();
    all
}

/// Compiles the peers that take part, and takes out those that cannot be had.
fn make_peers(peers: &Peers, series: &mut [Series]) -> Vec<Absent> {
    let mut programs: Vec<Program> = Vec::new();
    for program in series.iter().flat_map(|series| &series.programs) {
        if !programs.contains(program) {
            programs.push(program.clone());
        }
    }
    let absent: Vec<Absent> =
        programs.iter().filter_map(|program| peers.make(program).err()).collect();
    for series in series {
        series.programs.retain(|program| absent.iter().all(|a| a.program != program.name));
    }
    absent
}
