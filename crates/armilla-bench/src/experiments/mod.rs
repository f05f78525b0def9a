//! The experiments: which cells each consists of. What they share is here.

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
use crate::peers::{Absent, Peers};
use crate::plan::{Experiment, Plan};
use crate::program::{C, Kind, Program, Transport, peer_names};
use crate::record::{Cell, Record};
use crate::report::Progress;
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
    /// Whether the cells are compared with each other, and so take turns, too.
    in_turn: bool,
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
            in_turn: false,
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

    /// How many turns of cells it takes, each of which is tried once before its rounds.
    fn turns(&self, plan: &Plan) -> usize {
        self.steps.len() * (1 + rounds(plan, self.together()))
    }

    /// About how long it takes to measure `steps` of it, by the programs that can take part.
    fn expected(&self, plan: &Plan, steps: &[Step]) -> Duration {
        let able = self.programs.iter().filter(|program| program.takes(self.transport)).count();
        let measured = steps.iter().map(|step| expected(plan, step, steps.len()));
        let starts = START * u32::try_from(starts(plan, steps)).unwrap_or(u32::MAX);
        (measured.sum::<Duration>() + starts) * u32::try_from(able).unwrap_or(u32::MAX)
    }

    /// The same of all its steps.
    fn expected_whole(&self, plan: &Plan) -> Duration {
        let chunks = self.steps.chunks(self.together().max(1));
        chunks.map(|steps| self.expected(plan, steps)).sum()
    }

    /// How many of its cells are measured together.
    const fn together(&self) -> usize {
        if self.in_turn { self.steps.len() } else { 1 }
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
    let series_of = |experiment: &Experiment| match experiment {
        Experiment::Ttcp => ttcp::series(plan),
        Experiment::Latency => latency::series(plan),
        Experiment::Demux => demux::series(plan),
        Experiment::Ladder => ladder::series(plan),
        Experiment::Batch => batch::series(plan),
    };
    let mut experiments: Vec<Vec<Series>> = plan.experiments.iter().map(series_of).collect();
    let idle = idle(plan, &mut experiments, Machine::processors());
    if experiments.iter().all(Vec::is_empty) {
        let why: Vec<_> = idle.iter().map(|a| format!("{}: {}", a.program, a.remedy)).collect();
        return Err(io::Error::other(why.join("; ")));
    }
    let mut absent = make_peers(&peers, &mut experiments);
    absent.extend(idle);
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

/// About how long all of it takes.
fn expected_of(plan: &Plan, experiments: &[Vec<Series>]) -> Duration {
    let counted = |series: &Vec<Series>| counting::expected(&wanted(series).collect::<Vec<_>>()).1;
    let measured = experiments.iter().flatten().map(|series| series.expected_whole(plan));
    measured.chain(experiments.iter().map(counted)).sum()
}

/// Takes out what would need a second processor where there is but one; gives that, and the experiments
/// of which nothing is left.
fn idle(plan: &Plan, experiments: &mut [Vec<Series>], processors: usize) -> Vec<Absent> {
    let mut idle = Vec::new();
    let apart = |series: &Series| series.placement == Placement::OneCoreEach;
    if processors < 2 && experiments.iter().flatten().any(apart) {
        experiments.iter_mut().for_each(|series| series.retain(|series| !apart(series)));
        let remedy = "this process may use one processor only".to_owned();
        idle.push(Absent { program: Placement::OneCoreEach.name(), remedy });
    }
    for (experiment, _) in plan.experiments.iter().zip(experiments).filter(|(_, s)| s.is_empty()) {
        let remedy = "nothing of it runs over these transports, placed like this".to_owned();
        idle.push(Absent { program: experiment.name(), remedy });
    }
    idle
}

/// The programs that cannot do all of what is run, and the peers that were asked for in vain; but for
/// those that are `absent` as a whole.
fn left_out(plan: &Plan, experiments: &[Vec<Series>], absent: &[Absent]) -> Vec<Absent> {
    let mut all: Vec<Absent> = Vec::new();
    for Series { programs, transport, .. } in experiments.iter().flatten() {
        for program in programs.iter().filter(|program| !program.takes(*transport)) {
            let remedy = format!("it does not speak {}", transport.name());
            all.push(Absent { program: program.name, remedy });
        }
    }
    let takes_part = |name: &str| {
        let mut taking = experiments.iter().flatten().flat_map(|series| &series.programs);
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
fn make_peers(peers: &Peers, experiments: &mut [Vec<Series>]) -> Vec<Absent> {
    let mut programs: Vec<Program> = Vec::new();
    for program in experiments.iter().flatten().flat_map(|series| &series.programs) {
        if !programs.contains(program) {
            programs.push(program.clone());
        }
    }
    let absent: Vec<Absent> =
        programs.iter().filter_map(|program| peers.make(program).err()).collect();
    for series in experiments.iter_mut().flatten() {
        series.programs.retain(|program| absent.iter().all(|a| a.program != program.name));
    }
    absent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(experiments: &[Experiment], transports: &[Transport]) -> Plan {
        let (experiments, transports) = (experiments.to_vec(), Some(transports.to_vec()));
        Plan { experiments, quick: false, peers: None, transports, placement: None }
    }

    #[test]
    fn an_experiment_that_has_nothing_to_do_is_told() {
        let plan = plan(&[Experiment::Batch, Experiment::Latency], &[Transport::Shm]);
        let mut experiments = vec![batch::series(&plan), latency::series(&plan)];
        let idle = idle(&plan, &mut experiments, 2);
        assert_eq!(idle.iter().map(|absent| absent.program).collect::<Vec<_>>(), ["batch"]);
        assert!(experiments[1].iter().any(|s| s.placement == Placement::OneCoreEach));
    }

    #[test]
    fn one_processor_is_not_taken_for_two() {
        let plan = plan(&[Experiment::Latency], &[Transport::Tcp]);
        let mut experiments = vec![latency::series(&plan)];
        let idle = idle(&plan, &mut experiments, 1);
        assert_eq!(idle[0].program, "one-core-each");
        let placements = experiments[0].iter().map(|series| series.placement);
        assert!(placements.clone().all(|placement| placement != Placement::OneCoreEach));
        assert!(placements.count() > 1);
    }
}
