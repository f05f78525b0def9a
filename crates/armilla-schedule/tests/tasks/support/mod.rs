//! What the tests share: tasks in milliseconds, and random sets of them.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test uses a part of it")]

use armilla_schedule::simulation::{Random, Scenario, Simulated, simulate};
use armilla_schedule::*;

pub const MS: u64 = 1_000_000;

pub fn ms(time: u64) -> Nanos {
    Nanos::from_millis(time)
}

/// A task with its period and its execution time.
pub fn task(name: &str, period: u64, wcet: u64) -> Task {
    Task::periodic(name, ms(period), ms(wcet))
}

pub fn due(mut task: Task, deadline: u64) -> Task {
    task.deadline = Some(ms(deadline));
    task
}

pub fn critical(mut task: Task, criticality: Criticality) -> Task {
    task.criticality = criticality;
    task
}

pub fn holding(mut task: Task, resource: &str, length: u64) -> Task {
    task.sections.push(Section { resource: resource.to_owned(), length: ms(length) });
    task
}

pub fn calling(mut task: Task, operation: &str, kind: CallKind, delay: u64) -> Task {
    task.calls.push(Call { operation: operation.to_owned(), kind, delay: ms(delay) });
    task
}

pub fn system(tasks: impl Into<Vec<Task>>) -> System {
    System::new(TaskSet { tasks: tasks.into(), ..TaskSet::default() }).unwrap()
}

pub fn report(system: &System, strategy: Strategy) -> Report {
    let question = AnalysisOptions { sensitivity: false, ..AnalysisOptions::of(strategy) };
    analyse(system, question).unwrap()
}

/// The responses in milliseconds.
pub fn responses(system: &System, strategy: Strategy) -> Vec<Option<u64>> {
    let report = report(system, strategy);
    report.operations.iter().map(|one| one.response.bound().map(|time| time / MS)).collect()
}

/// What happens from the critical instant on.
pub fn together(system: &System, report: &Report, until: u64) -> Simulated {
    simulate(system, &Scenario::of(system, report, ms(until)))
}

/// Utilisations that add up to `total`, evenly distributed (UUniFast; Bini, Buttazzo 2005).
pub fn utilisations(random: &mut Random, count: usize, total: f64) -> Vec<f64> {
    let mut left = total;
    let mut all = Vec::new();
    for index in 1..count {
        let next = left * random.unit().powf(1.0 / (count - index) as f64);
        all.push(left - next);
        left = next;
    }
    all.push(left);
    all
}

/// Periods with a common multiple of 200 ms.
pub const PERIODS: [u64; 8] = [5, 10, 20, 25, 40, 50, 100, 200];

/// Tasks with random periods and execution times in whole milliseconds.
pub fn random_tasks(random: &mut Random, total: f64) -> Vec<Task> {
    let count = 2 + random.below(5) as usize;
    let shares = utilisations(random, count, total);
    let tasks = shares.iter().enumerate().map(|(index, share)| {
        let period = PERIODS[random.below(PERIODS.len() as u64) as usize];
        let wcet = ((share * period as f64).round() as u64).clamp(1, period);
        task(&format!("task{index}"), period, wcet)
    });
    tasks.collect()
}

/// The tasks, each in a line.
pub fn describe(system: &System) -> String {
    let mut text = format!("{:?}\n", system.protocol());
    for task in system.tasks() {
        let shown = |time: Option<Nanos>| time.map_or("-".to_owned(), |time| time.to_string());
        text += &format!(
            "{} on {} in {}: T {}, D {}, C {}, J {}, {}, unpreempted {}",
            task.name,
            task.processor,
            task.process,
            shown(task.period),
            shown(task.deadline),
            task.wcet,
            task.jitter,
            task.criticality,
            task.non_preemptive,
        );
        for section in &task.sections {
            text += &format!(", {} {}", section.resource, section.length);
        }
        for call in &task.calls {
            text += &format!(", {:?} {} {}", call.kind, call.operation, call.delay);
        }
        text += "\n";
    }
    text
}
