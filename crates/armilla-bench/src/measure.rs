//! Measuring a cell: every program in turn, round by round, so that whatever else the machine does
//! meets all alike.

use crate::machine::Placement;
use crate::network::Link;
use crate::peers::Peers;
use crate::plan::Plan;
use crate::process::{Measured, Running, Start};
use crate::program::{C, Program, Transport};
use crate::record::{Cell, Metric, Record, median};
use crate::workload::Workload;
use std::time::Duration;

/// How long one program works in one round of a cell.
const SLICE: Duration = Duration::from_millis(4);

/// How many times as long it moves data in bulk: it takes a while until both sides run as they do in
/// the long run.
const BULK: u32 = 4;

/// What a program moves in one round at most: the volume of the study, in octets.
const VOLUME: u64 = 64 << 20;

/// After how many rounds of bulk transfer the connections are made anew. With small queues it is a
/// matter of luck whether a connection falls into step with the timers of TCP (delayed
/// acknowledgements, loss probes) and stays there; the study had a connection for each run, too.
const ROUNDS_A_CONNECTION: usize = 5;

/// How many calls a program makes at most, and at least, in one round.
const CALLS: (u32, u32) = (4, 200_000);

/// How many times as long as the first program another may take for as many calls.
const SLOWER: f64 = 4.0;

/// How many calls find out how long one takes.
const TRIAL: u32 = 20;

/// Where programs run, and over what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) peers: &'a Peers,
    pub(crate) transport: Transport,
    pub(crate) placement: Placement,
    /// The size of the socket queues in octets, 0 for the system's.
    pub(crate) queue: usize,
    pub(crate) congestion: &'a str,
    /// The link between server and client, if they are not on one machine.
    pub(crate) link: Option<&'a Link>,
}

impl Scene<'_> {
    fn start(&self, program: &Program) -> Result<Running, String> {
        let Self { transport, placement, queue, congestion, link, .. } = *self;
        let prefixes = Default::default();
        let start = Start { program, transport, placement, queue, congestion, link, prefixes };
        Running::start(self.peers, &start)
    }
}

/// The programs that run side by side, all over one transport and placed alike.
pub(crate) struct Stage<'a> {
    scene: Scene<'a>,
    running: Vec<(Program, Running)>,
    /// Programs that failed, and how.
    pub(crate) failures: Vec<String>,
}

/// What the programs are to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task {
    pub(crate) workload: Workload,
    pub(crate) units: u32,
    pub(crate) order: &'static str,
}

impl Task {
    /// Calls of a workload at one object.
    pub(crate) const fn of(workload: Workload, units: u32) -> Self {
        Self { workload, units, order: "train" }
    }

    fn command(&self, program: &Program, count: u32) -> String {
        match program.is_raw() {
            true => self.workload.raw_command(self.units, count),
            false => {
                let (name, units, order) = (self.workload.name(), self.units, self.order);
                format!("call {name} {units} {count} {order}")
            }
        }
    }

    const fn metric(&self) -> Metric {
        match self.workload {
            workload if workload.is_bulk() => Metric::Throughput,
            Workload::FloodVoid => Metric::Rate,
            _ => Metric::Latency,
        }
    }

    /// A measurement in the unit of the metric: of the whole for floods, else of a single call.
    fn value(&self, count: u32, nanos: f64) -> f64 {
        let octets = self.workload.user_octets(self.units) as f64 * f64::from(count);
        match self.metric() {
            Metric::Throughput => octets * 8.0 / nanos * 1000.0,
            Metric::Rate => f64::from(count) / nanos * 1e9,
            Metric::Latency if self.workload.is_timed_whole() => nanos / f64::from(count) / 1000.0,
            Metric::Latency => nanos / 1000.0,
        }
    }
}

impl<'a> Stage<'a> {
    /// Starts `programs`. Those that cannot be started are left out and remembered.
    pub(crate) fn set(scene: Scene<'a>, programs: &[Program]) -> Self {
        let mut stage = Self { scene, running: Vec::new(), failures: Vec::new() };
        for program in programs.iter().filter(|program| program.takes(scene.transport)) {
            match scene.start(program) {
                Ok(running) => stage.running.push((program.clone(), running)),
                Err(failure) => stage.failures.push(failure),
            }
        }
        stage
    }

    /// Starts the programs again, but for those that have to warm up, and lets them move a little.
    fn renew(&mut self, task: Task) {
        let Self { scene, running, failures } = self;
        for (program, running) in running.iter_mut().filter(|(program, _)| !program.warms_up()) {
            match scene.start(program) {
                Ok(anew) => *running = anew,
                Err(failure) => failures.push(failure),
            }
            // What it answers is not measured, and whether it can do it was found out before.
            running.carry_out(&task.command(program, TRIAL)).ok();
        }
    }

    /// Has every program carry out a command of its own that is not measured.
    pub(crate) fn prepare(&mut self, command: &str) {
        let failures = &mut self.failures;
        self.running.retain_mut(|(program, running)| {
            if program.is_raw() {
                return true;
            }
            match running.carry_out(command) {
                // Who cannot do it has no result in the cell.
                Ok(_) => true,
                Err(failure) => {
                    failures.push(format!("{}: {failure}", program.name));
                    false
                }
            }
        });
    }

    /// Measures all programs at `task`, in rounds; stops between two rounds when `stop` says so.
    pub(crate) fn measure(
        &mut self,
        plan: &Plan,
        cell: &Cell,
        task: Task,
        stop: impl Fn() -> bool,
    ) -> Vec<Record> {
        let bulk = task.workload.is_bulk();
        let slice = SLICE * if bulk || task.workload.is_flood() { BULK } else { 1 };
        let Some(counts) = self.calibrate(task, slice) else { return Vec::new() };
        let mut rounds: Vec<Vec<Option<Measured>>> = Vec::new();
        for round in 0..plan.repetitions() {
            if stop() {
                break;
            }
            if bulk && round.is_multiple_of(ROUNDS_A_CONNECTION) {
                self.renew(task);
            }
            rounds.push(self.round(task, &counts, round));
        }
        let reference = self.running.iter().position(|(program, _)| *program == C);
        let programs = self.running.iter().enumerate();
        let result = programs.filter_map(|(index, (program, _))| {
            summary(cell, task, &counts, &rounds, (index, reference), program)
        });
        result.collect()
    }

    /// One command for each program, in an order that changes from round to round.
    fn round(&mut self, task: Task, counts: &[u32], round: usize) -> Vec<Option<Measured>> {
        let programs = self.running.len();
        let mut measured = vec![None; programs];
        for step in 0..programs {
            let forth = (step + round) % programs;
            let index = if round.is_multiple_of(2) { forth } else { programs - 1 - forth };
            let (program, running) = &mut self.running[index];
            match running.carry_out(&task.command(program, counts[index])) {
                Ok(answer) => measured[index] = answer,
                Err(failure) => {
                    let failure = format!("{}: {failure}", program.name);
                    if !self.failures.contains(&failure) {
                        self.failures.push(failure);
                    }
                }
            }
        }
        measured
    }

    /// How many calls each program makes: as many as the first makes in `slice`, unless it would take
    /// many times as long for them, and no more than move what the study moved.
    fn calibrate(&mut self, task: Task, slice: Duration) -> Option<Vec<u32>> {
        let mut first = None;
        let mut counts = Vec::new();
        let slice = slice.as_nanos() as f64;
        for (program, running) in &mut self.running {
            // All are warm afterwards: connections, buffers, caches.
            let answer = running.carry_out(&task.command(program, TRIAL)).ok().flatten();
            let each = answer.map(|answer| (answer.total / f64::from(TRIAL)).max(1.0));
            first = first.or(each);
            let fitting = slice / first.unwrap_or(slice);
            let most = each.map_or(f64::INFINITY, |each| SLOWER * slice / each);
            let octets = task.workload.user_octets(task.units).max(1);
            let enough = u32::try_from(VOLUME / octets).unwrap_or(u32::MAX).min(CALLS.1);
            counts.push((fitting.min(most) as u32).min(enough).max(CALLS.0));
        }
        first.map(|_| counts)
    }
}

/// The record of one program; `None` when it measured nothing.
fn summary(
    cell: &Cell,
    task: Task,
    counts: &[u32],
    rounds: &[Vec<Option<Measured>>],
    (index, reference): (usize, Option<usize>),
    program: &Program,
) -> Option<Record> {
    let of = |pick: fn(&Measured) -> f64, place: usize| {
        let picked = rounds.iter().filter_map(move |round| round[place].as_ref().map(pick));
        picked.map(|nanos| task.value(counts[place], nanos)).collect::<Vec<_>>()
    };
    let whole = task.workload.is_timed_whole();
    let middle: fn(&Measured) -> f64 = if whole { |m| m.total } else { |m| m.median };
    let values = of(middle, index);
    if values.is_empty() {
        return None;
    }
    let metric = task.metric();
    let ratios = reference.map(|reference| {
        let both = rounds.iter().filter_map(|round| Some((round[index]?, round[reference]?)));
        let value = |m: Measured, place: usize| task.value(counts[place], middle(&m));
        median(both.map(|(ours, theirs)| value(ours, index) / value(theirs, reference)))
    });
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (p1, p99, min, max) = match whole {
        true => (least(&values), most(&values), least(&values), most(&values)),
        false => (
            median(of(|m| m.p1, index)),
            median(of(|m| m.p99, index)),
            least(&of(|m| m.min, index)),
            most(&of(|m| m.max, index)),
        ),
    };
    Some(Record {
        cell: cell.clone(),
        program: program.name.to_owned(),
        style: program.style(),
        metric,
        unit: metric.unit(),
        median: median(values.iter().copied()),
        p1,
        p99,
        min,
        max,
        repetitions: values.len(),
        ratio_to_c: ratios.filter(|ratio| ratio.is_finite()),
    })
}
