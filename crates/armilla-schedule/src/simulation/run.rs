//! The simulation itself: events in the order of time.

use super::program::{Action, programs};
use super::random::Random;
use super::{Offsets, Scenario, Simulated, Slice, TaskStatistics};
use crate::strategy::Strategy;
use crate::system::System;
use crate::time::Nanos;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The most events, jobs at a time, and recorded stretches.
const MOST_EVENTS: u64 = 5_000_000;
const MOST_JOBS: usize = 20_000;
const MOST_SLICES: usize = 100_000;

/// One execution of a task.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) task: usize,
    pub(crate) processor: usize,
    /// From where its response and its deadline count.
    origin: u64,
    pub(crate) deadline: u64,
    /// The place of the next action in its program, and what is left of an execution.
    pub(crate) next: usize,
    left: u64,
    /// The execution that is left altogether.
    pub(crate) remaining: u64,
    pub(crate) stage: Stage,
    pub(crate) started: bool,
    pub(crate) holds: Option<usize>,
    pub(crate) non_preemptive: bool,
    /// The job that waits for it, and how long the reply takes.
    caller: Option<(usize, u64)>,
    /// The nominal release of the chain.
    chain: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It can execute, if it gets the processor and the resource that it wants.
    Ready,
    /// It waits for a reply.
    Waiting,
    Ended,
}

/// What happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The nominal release of a periodic task, with its number.
    Period { task: usize, count: u64 },
    /// A job of a periodic task becomes ready.
    Release { task: usize, chain: u64 },
    /// A message arrives: the task, the beginning of the chain, and the caller that waits.
    Message { task: usize, chain: u64, caller: Option<(usize, u64)> },
    /// A reply arrives.
    Reply { job: usize },
}

pub(crate) struct Run<'a> {
    pub(crate) system: &'a System,
    pub(crate) scenario: &'a Scenario,
    pub(crate) programs: Vec<Vec<Action>>,
    pub(crate) now: u64,
    pub(crate) jobs: Vec<Job>,
    /// The jobs that have not ended.
    pub(crate) active: BTreeSet<usize>,
    /// Who holds each resource.
    pub(crate) holders: Vec<Option<usize>>,
    /// How urgent the most urgent user of each resource is.
    pub(crate) ceilings: Vec<i128>,
    /// What each processor executes.
    pub(crate) running: Vec<Option<usize>>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    random: Option<Random>,
    /// The last release of each periodic task.
    released: Vec<u64>,
    found: Simulated,
}

impl<'a> Run<'a> {
    pub(crate) fn new(system: &'a System, scenario: &'a Scenario) -> Self {
        let tasks = system.tasks().len();
        let mut run = Self {
            system,
            scenario,
            programs: programs(system, scenario.strategy.is_dynamic()),
            now: 0,
            jobs: Vec::new(),
            active: BTreeSet::new(),
            holders: vec![None; system.resources.len()],
            ceilings: vec![i128::MAX; system.resources.len()],
            running: vec![None; system.processors.len()],
            events: BinaryHeap::new(),
            random: None,
            released: vec![0; tasks],
            found: Simulated {
                tasks: vec![TaskStatistics::default(); tasks],
                ..Simulated::default()
            },
        };
        run.find_ceilings();
        run.begin();
        run
    }

    /// The urgency of the most urgent job that locks each resource: an operation that only runs in
    /// the threads of its callers has their urgency, and none of its own.
    fn find_ceilings(&mut self) {
        for task in self.with_jobs() {
            let program = &self.programs[task];
            let urgency = match self.scenario.strategy {
                Strategy::EarliestDeadlineFirst => i128::from(self.level(task)),
                Strategy::MaximumUrgencyFirst => -(self.scenario.criticalities[task] as i128),
                _ => -i128::from(self.scenario.priorities[task]),
            };
            for action in program {
                if let Action::Lock(resource) = action {
                    self.ceilings[*resource] = self.ceilings[*resource].min(urgency);
                }
            }
        }
    }

    /// The tasks that are released: periodically, or by what those do.
    fn with_jobs(&self) -> BTreeSet<usize> {
        let tasks = self.system.tasks().iter().enumerate();
        let periodic = tasks.filter(|(_, task)| task.period.is_some()).map(|(at, _)| at);
        let mut found: BTreeSet<_> = periodic.collect();
        let mut waiting: Vec<_> = found.iter().copied().collect();
        while let Some(task) = waiting.pop() {
            for action in &self.programs[task] {
                if let Action::Call { task, .. } | Action::Post { task, .. } = action
                    && found.insert(*task)
                {
                    waiting.push(*task);
                }
            }
        }
        found
    }

    /// Plans the first release of each periodic task.
    fn begin(&mut self) {
        let mut random = match self.scenario.offsets {
            Offsets::Together => None,
            Offsets::Random(seed) => Some(Random::new(seed)),
        };
        let most = self.system.tasks().iter().map(|task| task.jitter.0).max().unwrap_or(0);
        for (at, task) in self.system.tasks().iter().enumerate() {
            let Some(period) = task.period else { continue };
            // The first releases with the longest jitter come together.
            let offset = match &mut random {
                None => most - task.jitter.0,
                Some(random) => random.below(period.0),
            };
            let first = Event::Period { task: at, count: 0 };
            self.events.push(Reverse((offset, first)));
        }
        self.random = random;
    }

    /// Runs to the end.
    pub(crate) fn finish(mut self) -> Simulated {
        let until = self.scenario.until.0;
        for _ in 0..MOST_EVENTS {
            self.handle_events();
            if self.scenario.cancel {
                self.cancel_late();
            }
            self.settle();
            let next = self.next_time();
            if self.active.len() > MOST_JOBS {
                break;
            }
            let Some(next) = next.filter(|next| *next < until) else {
                self.advance(until);
                self.settle();
                return self.close();
            };
            self.advance(next);
        }
        self.found.cut = true;
        self.close()
    }

    /// Counts the jobs that are late at the end.
    fn close(mut self) -> Simulated {
        for at in &self.active {
            let job = &self.jobs[*at];
            if job.deadline < self.now || (job.deadline == self.now && job.remaining > 0) {
                self.found.tasks[job.task].misses += 1;
            }
        }
        self.found
    }

    fn handle_events(&mut self) {
        while let Some(Reverse((time, event))) = self.events.peek().copied() {
            if time > self.now {
                return;
            }
            self.events.pop();
            match event {
                Event::Period { task, count } => self.nominal(task, count),
                Event::Release { task, chain } => self.release(task, chain, chain, None),
                Event::Message { task, chain, caller } => {
                    let origin = if caller.is_some() { self.now } else { chain };
                    self.release(task, origin, chain, caller);
                }
                Event::Reply { job } => {
                    self.jobs[job].stage = Stage::Ready;
                    self.leave(job);
                }
            }
        }
    }

    /// Plans the release of a periodic job, and the nominal release of the next.
    fn nominal(&mut self, task: usize, count: u64) {
        let declared = &self.system.tasks()[task];
        let chain = self.now;
        let late = match (&mut self.random, count) {
            (Some(random), _) => random.below(declared.jitter.0.saturating_add(1)),
            (None, 0) => declared.jitter.0,
            (None, _) => 0,
        };
        // A release does not overtake the one before.
        let time = chain.saturating_add(late).max(self.released[task]);
        self.released[task] = time;
        self.events.push(Reverse((time, Event::Release { task, chain })));
        let period = declared.period.map_or(u64::MAX, |period| period.0);
        if let Some(next) = chain.checked_add(period) {
            self.events.push(Reverse((next, Event::Period { task, count: count + 1 })));
        }
    }

    fn release(&mut self, task: usize, origin: u64, chain: u64, caller: Option<(usize, u64)>) {
        self.found.tasks[task].released += 1;
        if self.scenario.record && self.found.releases.len() < MOST_SLICES {
            self.found.releases.push((task, Nanos(origin)));
        }
        let execution = |action: &Action| match action {
            Action::Execute(length) => *length,
            _ => 0,
        };
        self.active.insert(self.jobs.len());
        self.jobs.push(Job {
            task,
            processor: self.system.links[task].processor,
            origin,
            deadline: origin.saturating_add(self.scenario.deadlines[task]),
            next: 0,
            left: 0,
            remaining: self.programs[task].iter().map(execution).sum(),
            stage: Stage::Ready,
            started: false,
            holds: None,
            non_preemptive: false,
            caller,
            chain,
        });
    }

    /// Cancels late jobs that are not critical, hold nothing, and nobody waits for.
    fn cancel_late(&mut self) {
        let late = |at: &usize| {
            let job = &self.jobs[*at];
            let critical = self.scenario.criticalities[job.task].is_critical();
            let free = job.holds.is_none() && job.stage == Stage::Ready && job.caller.is_none();
            !critical && free && self.laxity(job) < 0
        };
        let late: Vec<usize> = self.active.iter().copied().filter(late).collect();
        for at in late {
            self.active.remove(&at);
            self.jobs[at].stage = Stage::Ended;
            self.found.tasks[self.jobs[at].task].cancelled += 1;
            self.running.iter_mut().filter(|one| **one == Some(at)).for_each(|one| *one = None);
        }
    }

    /// Lets all jobs that are chosen do what takes no time, until each chosen one executes.
    fn settle(&mut self) {
        let mut acted = true;
        while acted {
            acted = false;
            for processor in 0..self.running.len() {
                self.running[processor] = self.choose(processor);
                let chosen = self.running[processor];
                if let Some(at) = chosen.filter(|at| self.jobs[*at].left == 0) {
                    self.act(at);
                    acted = true;
                }
            }
        }
    }

    /// Carries out the next action of a job.
    fn act(&mut self, at: usize) {
        let job = &mut self.jobs[at];
        job.started = true;
        let Some(action) = self.programs[job.task].get(job.next).copied() else {
            return self.end(at);
        };
        job.next += 1;
        match action {
            Action::Execute(length) => job.left = length,
            Action::Lock(resource) => {
                job.holds = Some(resource);
                self.holders[resource] = Some(at);
            }
            Action::Unlock(resource) => {
                job.holds = None;
                self.holders[resource] = None;
            }
            Action::NonPreemptive => job.non_preemptive = true,
            Action::Preemptible => job.non_preemptive = false,
            Action::Call { task, delay } => {
                job.stage = Stage::Waiting;
                let message = Event::Message { task, chain: job.chain, caller: Some((at, delay)) };
                self.events.push(Reverse((self.now.saturating_add(delay), message)));
                self.handle_events();
            }
            Action::Post { task, delay } => {
                let message = Event::Message { task, chain: job.chain, caller: None };
                self.events.push(Reverse((self.now.saturating_add(delay), message)));
                self.handle_events();
            }
        }
    }

    fn end(&mut self, at: usize) {
        self.active.remove(&at);
        let job = &mut self.jobs[at];
        job.stage = Stage::Ended;
        let lived = &mut self.found.tasks[job.task];
        lived.completed += 1;
        lived.misses += u64::from(self.now > job.deadline);
        lived.longest = lived.longest.max(Nanos(self.now - job.origin));
        if let Some((caller, delay)) = job.caller {
            let reply = Event::Reply { job: caller };
            self.events.push(Reverse((self.now.saturating_add(delay), reply)));
            self.handle_events();
        }
    }

    /// When something happens next.
    fn next_time(&self) -> Option<u64> {
        let event = self.events.peek().map(|Reverse((time, _))| *time);
        let running = self.running.iter().flatten();
        let ends = running.clone().map(|at| self.now.saturating_add(self.jobs[*at].left));
        let crossings = running.filter_map(|at| self.crossing(*at));
        event.into_iter().chain(ends).chain(crossings).min()
    }

    /// When a waiting job has become more urgent than the one that runs.
    fn crossing(&self, at: usize) -> Option<u64> {
        let job = &self.jobs[at];
        if self.scenario.strategy != Strategy::MaximumUrgencyFirst || job.non_preemptive {
            return None;
        }
        let level = self.scenario.criticalities[job.task];
        let rivals = self.active.iter().filter(|other| {
            let rival = &self.jobs[**other];
            **other != at
                && rival.processor == job.processor
                && rival.stage == Stage::Ready
                && self.scenario.criticalities[rival.task] == level
        });
        let least = rivals.map(|other| self.laxity(&self.jobs[*other])).min()?;
        let quantum = self.scenario.quantum.0.max(1);
        let distance = (least - self.laxity(job)).max(0).saturating_add(1);
        let distance = u64::try_from(distance).ok()?.div_ceil(quantum).checked_mul(quantum)?;
        self.now.checked_add(distance)
    }

    /// Lets time pass, in which the chosen jobs execute.
    fn advance(&mut self, to: u64) {
        for processor in 0..self.running.len() {
            let Some(at) = self.running[processor] else { continue };
            let job = &mut self.jobs[at];
            let executed = (to - self.now).min(job.left);
            job.left -= executed;
            job.remaining -= executed;
            if self.scenario.record && executed > 0 {
                let (task, end) = (job.task, self.now + executed);
                self.note(Slice { task, processor, start: Nanos(self.now), end: Nanos(end) });
            }
        }
        self.now = to;
        for processor in 0..self.running.len() {
            if let Some(at) = self.running[processor].filter(|at| self.jobs[*at].left == 0) {
                self.leave(at);
            }
        }
    }

    /// Lets a job whose execution has just ended do what follows at the same moment, before
    /// others can preempt it.
    fn leave(&mut self, at: usize) {
        while self.jobs[at].stage == Stage::Ready {
            let job = &self.jobs[at];
            let next = self.programs[job.task].get(job.next);
            let begins = |action: &Action| {
                matches!(action, Action::Execute(_) | Action::Lock(_) | Action::NonPreemptive)
            };
            if next.is_some_and(begins) {
                return;
            }
            self.act(at);
        }
    }

    fn note(&mut self, slice: Slice) {
        let full = self.found.slices.len() >= MOST_SLICES;
        let same = |last: &&mut Slice| {
            last.task == slice.task && last.processor == slice.processor && last.end == slice.start
        };
        let recent = self.found.slices.iter_mut().rev().take(self.running.len());
        if let Some(last) = recent.into_iter().find(same) {
            last.end = slice.end;
        } else if full {
            self.found.cut = true;
        } else {
            self.found.slices.push(slice);
        }
    }
}
