//! Measuring a cell: all programs run in turn, round by round, so that other load on the machine
//! affects all alike.

use crate::machine::Placement;
use crate::network::Link;
use crate::peers::Peers;
use crate::plan::Plan;
use crate::process::{Measured, Running, Start};
use crate::program::{C, C_AGAIN, Program, Transport};
use crate::record::{Cell, Record};
use crate::samples::Samples;
use crate::schedule::{WARM_UP, is_fine, is_renewed, rounds, slice, starts, trial};
use crate::task::{CALLS, Step, Task};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The minimum number of rounds, even without time left.
const FEWEST: usize = 2;

/// The maximum time of a program relative to the first one, for the same number of calls.
const SLOWER: f64 = 4.0;

/// The number of trials for floods, because timers of TCP may delay the first.
const TRIALS: usize = 3;

/// How many times as many rounds as planned a cell has at most, where plain sockets differ from
/// themselves.
const MORE: usize = 4;

/// The environment in which programs run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup<'a> {
    pub(crate) peers: &'a Peers,
    pub(crate) transport: Transport,
    pub(crate) placement: Placement,
    /// The size of the socket queues in octets, 0 for the system's.
    pub(crate) queue: usize,
    pub(crate) congestion: &'a str,
    /// The link between server and client, if they are in two network namespaces.
    pub(crate) link: Option<&'a Link>,
}

impl Setup<'_> {
    fn start(&self, program: &Program) -> Result<Running, String> {
        let Self { transport, placement, queue, congestion, link, .. } = *self;
        let prefixes = Default::default();
        let start = Start { program, transport, placement, queue, congestion, link, prefixes };
        Running::start(self.peers, &start)
    }

    /// Whether the run has been stopped.
    fn is_stopped(&self) -> bool {
        self.peers.stop().load(Ordering::Relaxed)
    }
}

/// The programs that run in turn, all over one transport and with one placement.
pub(crate) struct ProgramSet<'a> {
    setup: Setup<'a>,
    running: Vec<(Program, Running)>,
    /// The last preparation that the brokers carried out.
    prepared: Option<String>,
    /// The indexes of programs that could not carry it out, and are skipped.
    unprepared: Vec<usize>,
    /// The failures of programs.
    failures: Vec<String>,
    /// The programs that cannot start over this transport, or hang.
    unable: Vec<Program>,
    /// The number of steps with fewer rounds than planned, for lack of time.
    pub(crate) shortened: usize,
}

impl<'a> ProgramSet<'a> {
    /// Starts `programs`, except those in `unable`, to which it adds the ones that fail to start.
    pub(crate) fn start(setup: Setup<'a>, programs: &[Program], unable: Vec<Program>) -> Self {
        let (running, failures, unprepared, prepared, shortened) = Default::default();
        let mut set = Self { setup, running, prepared, unprepared, failures, unable, shortened };
        for program in programs.iter().filter(|program| program.supports(setup.transport)) {
            if setup.is_stopped() || set.unable.contains(program) {
                continue;
            }
            match setup.start(program) {
                Ok(running) => set.running.push((program.clone(), running)),
                Err(failure) => {
                    set.unable.push(program.clone());
                    set.fail(failure);
                }
            }
        }
        set
    }

    /// Ends the programs; returns the failures, and the programs that should not be started again,
    /// because waiting for a hanging program takes long.
    pub(crate) fn end(mut self) -> (Vec<String>, Vec<Program>) {
        let hung = self.running.iter().filter(|(_, running)| running.has_hung());
        self.unable.extend(hung.map(|(program, _)| program.clone()));
        (self.failures, self.unable)
    }

    /// Restarts a program, unless it has to warm up, and moves data until its connection is in a
    /// steady state.
    ///
    /// Chance decides over many per cent of a bulk transfer: where the kernel places the memory of
    /// a program, how far it lets the queues of a connection grow, whether the connection falls
    /// into step with the timers of TCP. Without restarts, one outcome would affect all rounds.
    fn renew(&mut self, place: usize, task: Task, count: u32) {
        let (program, running) = &mut self.running[place];
        // Ignore the answer: `begin` has checked that the program can do it.
        let enough = task.most().min(WARM_UP * count);
        let command = task.command(program, enough.max(trial(self.setup.transport)));
        if !program.warms_up() && !running.has_ended() {
            match self.setup.start(program) {
                Ok(anew) => *running = anew,
                Err(failure) => self.fail(failure),
            }
        }
        self.carry_out(place, &command);
    }

    /// Restarts all programs, and lets them try all steps, as at first.
    ///
    /// Chance decides over some per cent of short times: where the memory of a process lies.
    /// Without restarts, one outcome would affect all rounds.
    fn start_anew(&mut self, samples: &[Samples<'_>]) {
        for place in 0..self.running.len() {
            let (program, running) = &mut self.running[place];
            if program.warms_up() || running.has_ended() {
                continue;
            }
            match self.setup.start(program) {
                Ok(anew) => *running = anew,
                Err(failure) => self.fail(failure),
            }
        }
        self.prepared = None;
        for Samples { step, .. } in samples {
            self.prepare(step);
            for place in 0..self.running.len() {
                let calls = trial(self.setup.transport);
                let command = step.task.command(&self.running[place].0, calls);
                self.carry_out(place, &command);
            }
        }
    }

    /// Lets every broker carry out the preparation of a step, unless it was the last one.
    fn prepare(&mut self, step: &Step) {
        if self.prepared == step.prepare {
            return;
        }
        self.prepared.clone_from(&step.prepare);
        self.unprepared.clear();
        let Some(command) = &step.prepare else { return };
        for place in 0..self.running.len() {
            if !self.running[place].0.is_raw() && self.carry_out(place, command).is_none() {
                self.unprepared.push(place);
            }
        }
    }

    /// Lets one program carry out a command, and records its failure. Skips programs that have
    /// ended.
    fn carry_out(&mut self, place: usize, command: &str) -> Option<Measured> {
        let (program, running) = &mut self.running[place];
        if running.has_ended() || self.unprepared.contains(&place) {
            return None;
        }
        let name = program.name;
        running.carry_out(command).unwrap_or_else(|failure| {
            self.fail(format!("{name}: {failure}"));
            None
        })
    }

    /// Records a failure, unless it is due to the stop of the run.
    fn fail(&mut self, failure: String) {
        if !self.setup.is_stopped() && !self.failures.contains(&failure) {
            self.failures.push(failure);
        }
    }

    /// Measures all programs at `steps`, in rounds: in each, every step has its turn, and in it
    /// every program. Before each turn, and before each step is tried, `go_on` says whether to go
    /// on. After `deadline` there are no more rounds than the fewest.
    pub(crate) fn measure(
        &mut self,
        plan: &Plan,
        steps: &[Step],
        deadline: Option<Instant>,
        mut go_on: impl FnMut(&Cell) -> bool,
    ) -> Vec<Record> {
        let mut all: Vec<Samples<'_>> = steps
            .iter()
            .take_while(|step| go_on(&step.cell))
            .filter_map(|step| self.begin(step, slice(step, is_fine(steps))))
            .collect();
        let last = all.len().saturating_sub(1);
        let rounds = rounds(plan, steps);
        let stay = rounds.div_ceil(starts(plan, steps));
        let renewed = is_renewed(steps);
        let pair = self.pair().filter(|_| renewed);
        'rounds: for round in 0..rounds * MORE {
            let enough = round >= rounds && !pair.is_some_and(|pair| differ(&all, pair));
            let late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if enough || round >= FEWEST && late() {
                self.shortened += if round < rounds { all.len() } else { 0 };
                break;
            }
            if round > 0 && round.is_multiple_of(stay) {
                self.start_anew(&all);
            }
            for first in 0..all.len() {
                let number = if round.is_multiple_of(2) { first } else { last - first };
                let samples = &mut all[number];
                if !go_on(&samples.step.cell) {
                    break 'rounds;
                }
                self.prepare(samples.step);
                // Compared forms of bulk transfer use the same connections.
                let anew = first == 0 && renewed;
                samples.rounds.push(self.round(samples.step.task, &samples.counts, round, anew));
            }
        }
        self.records(&all)
    }

    /// The records of the programs in all samples, the first of which is the simplest.
    fn records(&self, all: &[Samples<'_>]) -> Vec<Record> {
        let reference = self.running.iter().position(|(program, _)| *program == C);
        let records = all.iter().flat_map(|samples| {
            let simplest = all.first().filter(|_| all.len() > 1);
            let programs = self.running.iter().enumerate();
            programs.filter_map(move |(index, (program, _))| {
                let ratio = simplest.and_then(|simplest| samples.ratio(simplest, index));
                let workload = samples.step.task.workload;
                Some(Record {
                    ratio_to_one: ratio.filter(|_| !workload.is_bulk()),
                    ratio_to_sequence: ratio.filter(|_| workload.is_string()),
                    gain: samples.gain(index),
                    ..samples.summary((index, reference), program)?
                })
            })
        });
        records.collect()
    }

    /// Plain sockets and the same program again, if both run.
    fn pair(&self) -> Option<(usize, usize)> {
        let place = |wanted| self.running.iter().position(|(program, _)| *program == wanted);
        place(C).zip(place(C_AGAIN))
    }

    /// Lets all programs try a step, and calibrates their calls in a round; `None` if none can do
    /// it.
    fn begin<'s>(&mut self, step: &'s Step, slice: Duration) -> Option<Samples<'s>> {
        self.prepare(step);
        let counts = self.calibrate(step.task, slice)?;
        Some(Samples { step, counts, rounds: Vec::new() })
    }

    /// Runs one command for each program, in an order that changes with each round. With `anew`,
    /// programs of bulk transfers restart first.
    fn round(
        &mut self,
        task: Task,
        counts: &[u32],
        round: usize,
        anew: bool,
    ) -> Vec<Option<Measured>> {
        let programs = self.running.len();
        let mut measured = vec![None; programs];
        for step in 0..programs {
            let forth = (step + round) % programs;
            let index = if round.is_multiple_of(2) { forth } else { programs - 1 - forth };
            if anew {
                self.renew(index, task, counts[index]);
            }
            let command = task.command(&self.running[index].0, counts[index]);
            measured[index] = self.carry_out(index, &command);
        }
        measured
    }

    /// The number of calls of each program: as many as the first program makes in `slice`, limited
    /// by the time of a slower program and by the volume of the study.
    fn calibrate(&mut self, task: Task, slice: Duration) -> Option<Vec<u32>> {
        let mut first = None;
        let mut counts = Vec::new();
        let slice = slice.as_nanos() as f64;
        for place in 0..self.running.len() {
            // This also warms connections, buffers and caches.
            let calls = trial(self.setup.transport);
            let command = task.command(&self.running[place].0, calls);
            let linked = matches!(self.setup.transport, Transport::Link(_));
            let trials = if task.workload.is_flood() && !linked { TRIALS } else { 1 };
            let answers = (0..trials).filter_map(|_| self.carry_out(place, &command));
            let each = answers.map(|answer| (answer.total / f64::from(calls)).max(1.0));
            let each = each.min_by(f64::total_cmp);
            first = first.or(each);
            let fitting = slice / first.unwrap_or(slice);
            let most = each.map_or(f64::INFINITY, |each| SLOWER * slice / each);
            counts.push((fitting.min(most) as u32).min(task.most()).max(CALLS.0));
        }
        first.map(|_| counts)
    }
}

/// Whether two equal programs differ in one of these samples.
fn differ(all: &[Samples<'_>], pair: (usize, usize)) -> bool {
    all.iter().any(|samples| samples.differs(pair))
}
