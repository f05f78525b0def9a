//! Several threads that execute operations to their end: what the analysis accepts, the run-time
//! executive keeps, over random sets of tasks and random releases.

use crate::support;
use armilla_schedule::dispatch::{Decision, Executive, Job, JobNumber};
use armilla_schedule::simulation::Random;
use armilla_schedule::*;
use support::*;

fn with_threads(system: &System, strategy: Strategy, threads: usize) -> Report {
    let question = AnalysisOptions { sensitivity: false, threads, ..AnalysisOptions::of(strategy) };
    analyse(system, question).unwrap()
}

/// A job that a thread executes.
struct Running {
    task: usize,
    number: JobNumber,
    ends: u64,
    response: u64,
    deadline: u64,
}

/// The executive of a program, with threads that each have a CPU.
struct Threads<'s> {
    system: &'s System,
    report: &'s Report,
    executive: Executive<(usize, u64)>,
    running: Vec<Running>,
    /// The longest response of each task, and whether any deadline was missed.
    longest: Vec<u64>,
    missed: Vec<usize>,
}

impl<'s> Threads<'s> {
    fn new(system: &'s System, report: &'s Report, threads: usize) -> Self {
        let executive = Executive::new(report.strategy, threads, 1_000);
        let longest = vec![0; system.tasks().len()];
        Self { system, report, executive, running: Vec::new(), longest, missed: Vec::new() }
    }

    fn release(&mut self, task: usize, now: u64) {
        let of = &self.system.tasks()[task];
        let deadline = Nanos(now + of.deadline.or(of.period).unwrap().0);
        let job = Job {
            work: (task, now),
            priority: self.report.operations[task].priority.unwrap_or(0),
            deadline,
            wcet: of.wcet,
            criticality: of.criticality,
            importance: of.importance,
        };
        self.executive.arrive(job, Nanos(now));
    }

    /// Starts what the executive lets run. `share` of its execution time each job takes.
    fn obey(&mut self, now: u64, mut share: impl FnMut() -> f64) {
        while let Some(decision) = self.executive.next_decision() {
            let (Decision::Start { work: (task, released), .. }
            | Decision::Cancel((task, released))
            | Decision::Refuse((task, released))) = decision;
            let of = &self.system.tasks()[task];
            let deadline = released + of.deadline.or(of.period).unwrap().0;
            let Decision::Start { number, .. } = decision else {
                self.missed.push(task);
                continue;
            };
            let ends = now + ((of.wcet.0 as f64 * share()) as u64).clamp(1, of.wcet.0);
            let response = ends - released;
            self.running.push(Running { task, number, ends, response, deadline });
        }
    }

    fn end(&mut self, now: u64) {
        while let Some(at) = self.running.iter().position(|job| job.ends <= now) {
            let job = self.running.remove(at);
            self.longest[job.task] = self.longest[job.task].max(job.response);
            if job.ends > job.deadline {
                self.missed.push(job.task);
            }
            self.executive.end(job.number, Nanos(now));
        }
    }
}

/// Lives through releases that are at least a period apart, some later, until `until`.
fn live<'s>(
    threads: &mut Threads<'s>,
    random: &mut Random,
    until: u64,
    (late, shorter): (bool, bool),
) {
    let tasks = threads.system.tasks();
    let mut next: Vec<u64> = tasks
        .iter()
        .map(|task| if late { random.below(task.period.unwrap().0) } else { 0 })
        .collect();
    loop {
        let ends = threads.running.iter().map(|job| job.ends);
        let now = ends.chain(next.iter().copied()).min().unwrap();
        if now > until {
            return;
        }
        threads.end(now);
        for (task, release) in next.iter_mut().enumerate().filter(|(_, at)| **at == now) {
            threads.release(task, now);
            let period = tasks[task].period.unwrap().0;
            let more = if late && random.below(3) == 0 { random.below(period / 2) } else { 0 };
            *release = now + period + more;
        }
        threads.obey(now, || if shorter { random.unit() } else { 1.0 });
    }
}

/// A random set for this many threads: two to eight tasks of 1 to 100 ms.
fn random_set(random: &mut Random, threads: usize) -> System {
    let count = 2 + random.below(7) as usize;
    let total = threads as f64 * (0.1 + 0.8 * random.unit());
    let shares = utilisations(random, count, total.min(count as f64 * 0.8));
    let tasks = shares.into_iter().enumerate().map(|(at, share)| {
        let period = (1 + random.below(100)) * MS;
        let wcet = ((period as f64 * share.min(0.95)) as u64).max(1_000);
        let mut task = Task::periodic(format!("task {at}"), Nanos(period), Nanos(wcet));
        if random.below(2) == 0 {
            task.deadline = Some(Nanos(wcet + random.below(period - wcet + 1)));
        }
        let levels = [Criticality::Low, Criticality::Medium, Criticality::High];
        task.criticality = levels[random.below(3) as usize];
        task
    });
    system(tasks.collect::<Vec<_>>())
}

#[test]
fn what_is_accepted_for_several_threads_is_never_late() {
    let mut random = Random::new(22);
    let (mut accepted, mut in_part) = (0, 0);
    for set in 0..12_000 {
        let threads = 2 + set % 3;
        let system = random_set(&mut random, threads);
        let strategy = Strategy::ALL[set % Strategy::ALL.len()];
        let report = with_threads(&system, strategy, threads);
        let proven: Vec<_> = (report.operations.iter())
            .map(|one| (one.verdict == Verdict::Schedulable).then(|| one.response.bound().unwrap()))
            .collect();
        if proven.iter().all(Option::is_none) {
            continue;
        }
        accepted += usize::from(report.is_schedulable());
        in_part += usize::from(!report.is_schedulable());
        for how in [(false, false), (true, false), (true, true)] {
            let mut lived = Threads::new(&system, &report, threads);
            live(&mut lived, &mut random, 400 * MS, how);
            for (task, bound) in proven.iter().enumerate() {
                let Some(bound) = *bound else { continue };
                assert!(!lived.missed.contains(&task), "set {set}: task {task} of {report:?}");
                assert!(lived.longest[task] <= bound, "set {set}: task {task} of {report:?}");
            }
        }
    }
    // The test would prove nothing if hardly anything was accepted.
    assert!(accepted > 2_000 && in_part > 100, "{accepted} accepted, {in_part} in part");
}

/// On one CPU for both threads the urgent task meets its deadline. On two it may find both busy.
#[test]
fn the_analysis_of_one_thread_does_not_stand_for_several() {
    let tasks = [due(task("urgent", 20, 2), 6), task("first", 40, 10), task("second", 40, 10)];
    let system = system(tasks);
    let one = report(&system, Strategy::EarliestDeadlineFirst);
    assert!(one.is_schedulable());
    let two = with_threads(&system, Strategy::EarliestDeadlineFirst, 2);
    assert!(!two.is_schedulable());
    let reason = two.operations[0].reason.as_deref().unwrap();
    assert!(reason.contains("all 2 threads may be busy"), "{reason}");
    let mut lived = Threads::new(&system, &two, 2);
    for (at, task) in [(0, 1), (0, 2), (1, 0)] {
        lived.release(task, at * MS);
        lived.obey(at * MS, || 1.0);
    }
    (0..30).for_each(|now| {
        lived.end(now * MS);
        lived.obey(now * MS, || 1.0);
    });
    assert_eq!(lived.missed, [0]);
}

#[test]
fn what_has_no_analysis_of_several_threads_is_not_accepted_and_says_so() {
    let calls = [calling(task("a", 10, 1), "b", CallKind::OneWay, 0), {
        let mut called = task("b", 10, 1);
        called.period = None;
        called
    }];
    let late = due(task("late", 10, 1), 15);
    let mut wide = task("wide", 10, 1);
    wide.threads = 2;
    for (tasks, what) in [
        (calls.to_vec(), "call one another"),
        (vec![holding(task("a", 10, 2), "map", 1)], "hold resources"),
        (vec![late], "after the end of the period"),
        (vec![wide], "several threads at each release"),
    ] {
        let report = with_threads(&system(tasks), Strategy::RateMonotonic, 2);
        assert!(!report.is_schedulable());
        assert_eq!(report.operations[0].verdict, Verdict::Unproven);
        let reason = report.operations[0].reason.as_deref().unwrap();
        assert!(reason.contains(what), "{reason}");
    }
}

#[test]
fn with_as_many_threads_as_tasks_nothing_waits() {
    let system = system([task("a", 10, 9), task("b", 10, 9)]);
    let report = with_threads(&system, Strategy::EarliestDeadlineFirst, 2);
    assert!(report.is_schedulable());
    assert_eq!(report.operations[0].response.bound(), Some(9 * MS));
    assert!(report.notes[0].contains("2 threads"), "{:?}", report.notes);
}
