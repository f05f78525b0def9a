//! Random chains of calls, and how far their bounds are from what a simulation shows.

use armilla_schedule::simulation::{Offsets, Random, Scenario, simulate};
use armilla_schedule::*;

/// What is in a system with a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Company {
    /// The chain is alone.
    Alone,
    /// Other periodic tasks are on its processors.
    Others,
}

/// A chain of two to six operations on one or two processors, of several processes.
pub(crate) fn chain(seed: u64, company: Company) -> System {
    let mut random = Random::new(seed);
    let length = 2 + random.below(5);
    let processors = 1 + random.below(2);
    let period = [50, 80, 100, 200][random.below(4) as usize];
    let mut tasks: Vec<Task> = Vec::new();
    let most = period / (2 * length);
    for at in 0..length {
        let wcet = Nanos::from_micros(100 * (1 + random.below(10 * most.max(1))));
        let mut task = Task::called(format!("step{at}"), wcet);
        task.processor = format!("cpu{}", random.below(processors));
        task.process = format!("process{}", random.below(2));
        // Deadlines give priorities that rise and fall along the chain.
        task.deadline = Some(Nanos::from_millis(period * (2 + random.below(7)) / 8));
        tasks.push(task);
    }
    let one_way = random.below(4);
    for at in 1..length as usize {
        let kind = if random.below(4) < one_way { CallKind::OneWay } else { CallKind::TwoWay };
        let delay = Nanos::from_micros(if random.below(4) == 0 { 500 } else { 0 });
        let operation = tasks[at].name.clone();
        tasks[at - 1].calls.push(Call { operation, kind, delay });
    }
    tasks[0].period = Some(Nanos::from_millis(period));
    tasks.iter_mut().for_each(|task| task.deadline = task.deadline.max(Some(task.wcet)));
    if company == Company::Others {
        for number in 0..1 + random.below(3) {
            let period = [20, 25, 40, 50, 100][random.below(5) as usize];
            let wcet = Nanos::from_micros(100 * (1 + random.below(period)));
            let mut task =
                Task::periodic(format!("other{number}"), Nanos::from_millis(period), wcet);
            task.processor = format!("cpu{}", random.below(processors));
            tasks.push(task);
        }
    }
    System::new(TaskSet { tasks, ..TaskSet::default() }).expect("a chain without contradictions")
}

/// What was found of one chain: the end of its last operation, after the release of the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compared {
    /// The bound of the analysis.
    pub(crate) bound: u64,
    /// The longest that was seen.
    pub(crate) seen: u64,
    /// How many operations took longer than their bounds.
    pub(crate) too_short: usize,
}

/// Compares the bounds with the longest responses in `turns` simulations. `None` if there is no
/// bound.
pub(crate) fn compare(system: &System, strategy: Strategy, turns: u64) -> Option<Compared> {
    let question = AnalysisOptions { sensitivity: false, ..AnalysisOptions::of(strategy) };
    let report = analyse(system, question).expect("a chain is not too long");
    let mut seen = vec![0; system.tasks().len()];
    for turn in 0..turns {
        let mut scenario = Scenario::of(system, &report, Nanos::from_millis(800));
        if turn > 0 {
            scenario.offsets = Offsets::Random(turn);
        }
        let lived = simulate(system, &scenario);
        for (seen, task) in seen.iter_mut().zip(&lived.tasks) {
            *seen = (*seen).max(task.longest.0);
        }
    }
    let called: Vec<&str> = (system.tasks().iter().flat_map(|task| &task.calls))
        .filter(|call| call.kind == CallKind::TwoWay)
        .map(|call| call.operation.as_str())
        .collect();
    let mut found = Compared { bound: 0, seen: 0, too_short: 0 };
    for (one, seen) in report.operations.iter().zip(seen) {
        if one.in_thread_of.is_some() {
            continue;
        }
        let bound = one.response.bound()?;
        found.too_short += usize::from(bound < seen);
        // A response to a two-way call counts from the call.
        if one.name.starts_with("step") && !called.contains(&one.name.as_str()) {
            found.bound = found.bound.max(bound);
            found.seen = found.seen.max(seen);
        }
    }
    Some(found)
}
