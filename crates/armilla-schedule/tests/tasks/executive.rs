//! What an executive runs, with a scripted clock: a processor of one, two or many levels that
//! executes what it says, millisecond by millisecond.

use crate::support;
use armilla_schedule::dispatch::{Decision, DynamicPriority, Executive, Job, JobNumber};
use armilla_schedule::*;
use support::*;

/// What happened to a task.
#[derive(Clone, Debug, Default, PartialEq)]
struct Lived {
    completed: u64,
    missed: u64,
    cancelled: u64,
    refused: u64,
}

/// One execution of a task.
#[derive(Clone, Debug, PartialEq)]
struct Execution {
    task: usize,
    deadline: u64,
    left: u64,
}

struct Running {
    execution: Execution,
    number: JobNumber,
    level: usize,
}

/// Tasks of a processor, and what an executive makes of them.
struct Processor {
    executive: Executive<Execution>,
    running: Vec<Running>,
    lived: Vec<Lived>,
    now: u64,
}

impl Processor {
    fn new(executive: Executive<Execution>, tasks: usize) -> Self {
        let lived = vec![Lived::default(); tasks];
        Self { executive, running: Vec::new(), lived, now: 0 }
    }

    fn obey(&mut self) {
        while let Some(decision) = self.executive.next_decision() {
            match decision {
                Decision::Start { work, number, level } => {
                    self.running.push(Running { execution: work, number, level });
                }
                Decision::Cancel(work) => self.lived[work.task].cancelled += 1,
                Decision::Refuse(work) => self.lived[work.task].refused += 1,
            }
        }
    }

    fn release(&mut self, task: usize, of: &Task, priority: i32) {
        let period = of.period.unwrap().0 / MS;
        let deadline = self.now + of.deadline.map_or(period, |deadline| deadline.0 / MS);
        let left = of.wcet.0 / MS;
        let job = Job {
            work: Execution { task, deadline, left },
            priority,
            deadline: ms(deadline),
            wcet: of.wcet,
            criticality: of.criticality,
            importance: of.importance,
        };
        self.executive.arrive(job, ms(self.now));
        self.obey();
    }

    /// The kernel executes the highest level for a millisecond.
    fn execute(&mut self) {
        self.now += 1;
        let Some(top) = (0..self.running.len()).max_by_key(|at| self.running[*at].level) else {
            return;
        };
        self.running[top].execution.left -= 1;
        if self.running[top].execution.left == 0 {
            let Running { execution, number, .. } = self.running.remove(top);
            self.lived[execution.task].completed += 1;
            self.lived[execution.task].missed += u64::from(self.now > execution.deadline);
            self.executive.end(number, ms(self.now));
            self.obey();
        }
    }
}

/// Releases each task in each period, all together at the beginning.
fn live(executive: Executive<Execution>, system: &System, until: u64) -> Vec<Lived> {
    let report = report(system, Strategy::RateMonotonic);
    let mut processor = Processor::new(executive, system.tasks().len());
    while processor.now < until {
        for (at, task) in system.tasks().iter().enumerate() {
            if processor.now.is_multiple_of(task.period.unwrap().0 / MS) {
                let priority = report.operations[at].priority.unwrap_or(0);
                processor.release(at, task, priority);
            }
        }
        processor.execute();
    }
    processor.lived
}

/// 40 % and 20 % of the processor are critical; 60 % are not, and have shorter periods.
fn overload() -> System {
    let flight = critical(task("flight", 50, 20), Criticality::High);
    let engine = critical(task("engine", 100, 20), Criticality::VeryHigh);
    system([task("display", 10, 3), task("radio", 20, 6), flight, engine])
}

#[test]
fn at_120_per_cent_only_maximum_urgency_first_misses_no_critical_deadline() {
    let system = overload();
    let muf = Strategy::MaximumUrgencyFirst;
    for executive in [
        Executive::new(muf, 1, 64),
        Executive::preemptive(muf, 4, 64),
        Executive::new(muf, 1, 64).ordered_by(DynamicPriority::Laxity),
        Executive::preemptive(muf, 4, 64).ordered_by(DynamicPriority::Laxity),
    ] {
        let lived = live(executive, &system, 10_000);
        for (at, times) in [(2, 200), (3, 100)] {
            let expected = Lived { completed: times, ..Lived::default() };
            assert_eq!(lived[at], expected, "{}", system.tasks()[at].name);
        }
        // What is late is not executed.
        assert!(lived[0].cancelled > 0 && lived[0].completed > 0, "{lived:?}");
        assert!(lived.iter().all(|task| task.refused == 0), "{lived:?}");
    }
    for strategy in [Strategy::RateMonotonic, Strategy::EarliestDeadlineFirst] {
        for executive in
            [Executive::new(strategy, 1, 10_000), Executive::preemptive(strategy, 4, 10_000)]
        {
            let lived = live(executive, &system, 10_000);
            let unfinished = 300 - lived[2].completed - lived[3].completed;
            assert!(lived[2].missed + lived[3].missed + unfinished > 0, "{strategy}: {lived:?}");
        }
    }
}

/// What the analysis accepts, an executive with enough levels executes in time.
#[test]
fn what_was_accepted_is_executed_in_time() {
    let mut accepted = 0;
    for seed in 0..400 {
        let mut random = simulation::Random::new(seed);
        let total = 0.5 + random.unit() * 0.5;
        let mut tasks = random_tasks(&mut random, total);
        for task in &mut tasks {
            if random.below(2) == 0 {
                task.criticality = Criticality::High;
            }
        }
        let system = system(tasks);
        for strategy in [
            Strategy::RateMonotonic,
            Strategy::EarliestDeadlineFirst,
            Strategy::MaximumUrgencyFirst,
        ] {
            if !report(&system, strategy).is_schedulable() {
                continue;
            }
            accepted += 1;
            let lived = live(Executive::preemptive(strategy, 8, 64), &system, 400);
            let late = |task: &Lived| task.missed + task.cancelled + task.refused > 0;
            assert!(!lived.iter().any(late), "{strategy}, seed {seed}: {lived:?}");
        }
    }
    assert!(accepted > 300, "{accepted}");
}

/// Without preemption each job may have to wait for one of another, whole.
#[test]
fn without_preemption_the_analysis_counts_whole_jobs_as_blocking() {
    let mut accepted = 0;
    for seed in 0..400 {
        let mut random = simulation::Random::new(seed);
        let total = 0.2 + random.unit() * 0.4;
        let mut tasks = random_tasks(&mut random, total);
        tasks.iter_mut().for_each(|task| task.non_preemptive = task.wcet);
        let system = system(tasks);
        for strategy in [Strategy::RateMonotonic, Strategy::EarliestDeadlineFirst] {
            if !report(&system, strategy).is_schedulable() {
                continue;
            }
            accepted += 1;
            for executive in
                [Executive::new(strategy, 1, 64), Executive::preemptive(strategy, 2, 64)]
            {
                let lived = live(executive, &system, 400);
                let late = |task: &Lived| task.missed + task.cancelled + task.refused > 0;
                assert!(!lived.iter().any(late), "{strategy}, seed {seed}: {lived:?}");
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}

fn job(work: &'static str, deadline: u64) -> Job<&'static str> {
    Job {
        work,
        priority: 0,
        deadline: ms(deadline),
        wcet: ms(1),
        criticality: Criticality::Medium,
        importance: Importance::Medium,
    }
}

fn decisions(executive: &mut Executive<&'static str>) -> Vec<Decision<&'static str>> {
    std::iter::from_fn(|| executive.next_decision()).collect()
}

fn started(decisions: &[Decision<&'static str>]) -> Vec<(&'static str, usize)> {
    let start = |decision: &Decision<&'static str>| match decision {
        Decision::Start { work, level, .. } => Some((*work, *level)),
        _ => None,
    };
    decisions.iter().filter_map(start).collect()
}

#[test]
fn more_urgent_jobs_start_above_those_that_run_as_long_as_there_are_levels() {
    let mut executive = Executive::preemptive(Strategy::EarliestDeadlineFirst, 2, 8);
    for (work, deadline) in [("a", 30), ("later", 40), ("b", 20), ("c", 10)] {
        executive.arrive(job(work, deadline), ms(0));
    }
    let first = decisions(&mut executive);
    assert_eq!(started(&first), [("a", 0), ("b", 1)]);
    assert_eq!((executive.started(), executive.waiting()), (2, 2));
    let Decision::Start { number, .. } = first[1] else { panic!() };
    executive.end(number, ms(1));
    // `c` is more urgent than `a`, which goes on before `later` starts.
    assert_eq!(started(&decisions(&mut executive)), [("c", 1)]);
}

#[test]
fn as_many_jobs_run_as_there_are_threads() {
    let mut executive = Executive::new(Strategy::EarliestDeadlineFirst, 2, 8);
    for (work, deadline) in [("a", 30), ("b", 40), ("c", 20), ("d", 10)] {
        executive.arrive(job(work, deadline), ms(0));
    }
    let first = decisions(&mut executive);
    assert_eq!(started(&first), [("a", 0), ("b", 0)]);
    let Decision::Start { number, .. } = first[0] else { panic!() };
    executive.end(number, ms(1));
    assert_eq!(started(&decisions(&mut executive)), [("d", 0)]);
}

#[test]
fn what_finds_no_room_among_more_urgent_jobs_is_refused() {
    let mut executive = Executive::new(Strategy::EarliestDeadlineFirst, 1, 2);
    for (work, deadline) in [("runs", 90), ("a", 30), ("b", 40), ("c", 20)] {
        executive.arrive(job(work, deadline), ms(0));
    }
    let found = decisions(&mut executive);
    assert!(found.contains(&Decision::Refuse("b")), "{found:?}");
    assert_eq!(executive.waiting(), 2);
}

#[test]
fn what_has_become_late_while_it_waited_is_cancelled() {
    let mut executive = Executive::new(Strategy::MaximumUrgencyFirst, 1, 8);
    let late = job("late", 5);
    let after = executive.cancelled_after(&late);
    assert_eq!(after, Some(ms(4)));
    executive.arrive(job("runs", 90), ms(0));
    executive.arrive(late, ms(0));
    executive.cancel_late(ms(4));
    assert_eq!(executive.waiting(), 1, "it can end in time");
    executive.cancel_late(Nanos(ms(4).0 + 1));
    let found = decisions(&mut executive);
    assert!(found.contains(&Decision::Cancel("late")), "{found:?}");
    let critical = Job { criticality: Criticality::High, ..job("critical", 5) };
    assert_eq!(executive.cancelled_after(&critical), None);
}
