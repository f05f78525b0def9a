//! The analysis against the simulation, over random sets of tasks.

use crate::support;
use armilla_schedule::simulation::{Offsets, Random, Scenario, simulate};
use armilla_schedule::*;
use support::*;

/// No response in a simulation may be longer than its bound, and no accepted set may be late.
fn check_bounds(system: &System, report: &Report, scenario: &Scenario, case: &str) {
    let lived = simulate(system, scenario);
    assert!(!lived.cut, "{case}: too long a simulation");
    for (verdict, task) in report.operations.iter().zip(&lived.tasks) {
        if verdict.in_thread_of.is_some() {
            continue;
        }
        if let Some(bound) = verdict.response.bound() {
            assert!(
                task.longest.0 <= bound || !report.is_schedulable(),
                "{case}: {} took {}, not {}\n{}",
                verdict.name,
                task.longest,
                Nanos(bound),
                describe(system)
            );
        }
    }
    if report.is_schedulable() {
        let shown = describe(system);
        assert_eq!(lived.misses(), 0, "{case}: accepted, but late\n{shown}{lived:#?}");
    }
}

/// Sets without blocking and jitter, for which the tests are exact.
fn exact(strategy: Strategy, sets: u64) {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..sets {
        let mut random = Random::new(seed);
        let total = 0.5 + random.unit() * 0.6;
        let mut tasks = random_tasks(&mut random, total);
        for task in &mut tasks {
            let period = task.period.unwrap().0 / MS;
            let least = task.wcet.0 / MS;
            if random.below(2) == 0 {
                task.deadline = Some(ms(least + random.below(period - least + 1)));
            }
            if strategy == Strategy::MaximumUrgencyFirst && random.below(2) == 0 {
                task.criticality = Criticality::High;
            }
        }
        let system = system(tasks);
        let verdict = report(&system, strategy);
        let lived = together(&system, &verdict, 400);
        assert_eq!(
            verdict.is_schedulable(),
            lived.misses() == 0,
            "{strategy}, seed {seed}: {lived:?}\n{verdict:#?}\n{}",
            describe(&system)
        );
        if verdict.is_schedulable() && strategy != Strategy::MaximumUrgencyFirst {
            check_bounds(&system, &verdict, &Scenario::of(&system, &verdict, ms(400)), "exact");
        }
        // Fixed priorities: the response at the critical instant is the longest.
        if !strategy.is_dynamic() && verdict.is_schedulable() {
            for (one, task) in verdict.operations.iter().zip(&lived.tasks) {
                assert_eq!(one.response, Response::AtMost(task.longest.0), "seed {seed}");
            }
        }
        *(if verdict.is_schedulable() { &mut accepted } else { &mut rejected }) += 1;
    }
    assert!(accepted > sets / 10 && rejected > sets / 10, "{accepted} and {rejected}");
}

#[test]
fn rate_monotonic_accepts_what_is_in_time_at_the_critical_instant() {
    exact(Strategy::RateMonotonic, 2_500);
}

#[test]
fn deadline_monotonic_accepts_what_is_in_time_at_the_critical_instant() {
    exact(Strategy::DeadlineMonotonic, 2_500);
}

#[test]
fn earliest_deadline_first_accepts_what_is_in_time_when_all_are_released_together() {
    exact(Strategy::EarliestDeadlineFirst, 2_500);
}

#[test]
fn maximum_urgency_first_accepts_what_is_in_time_when_all_are_released_together() {
    exact(Strategy::MaximumUrgencyFirst, 2_500);
}

/// Sets with everything that one processor may have.
fn mixed(seed: u64, strategy: Strategy) -> System {
    let mut random = Random::new(seed);
    let total = 0.3 + random.unit() * 0.6;
    let mut tasks = random_tasks(&mut random, total);
    for task in &mut tasks {
        let (period, wcet) = (task.period.unwrap().0 / MS, task.wcet.0 / MS);
        match random.below(4) {
            0 => task.deadline = Some(ms(wcet.max(period * 2 / 3).max(1))),
            1 => task.deadline = Some(ms(period * (1 + random.below(3)))),
            _ => {}
        }
        let deadline = task.deadline.map_or(period, |deadline| deadline.0 / MS);
        if random.below(3) == 0 {
            task.jitter = ms(random.below(deadline.div_ceil(2)));
        }
        let mut free = wcet;
        while free > 0 && random.below(3) > 0 {
            let length = 1 + random.below(free.min(4));
            free -= length;
            let resource = ["x", "y", "z"][random.below(3) as usize].to_owned();
            task.sections.push(Section { resource, length: ms(length) });
        }
        if free > 0 && random.below(5) == 0 {
            task.non_preemptive = ms(1 + random.below(free.min(3)));
        }
        if strategy == Strategy::MaximumUrgencyFirst {
            task.criticality = Criticality::ALL[2 + random.below(3) as usize];
        }
    }
    let protocol = if random.below(2) == 0 { Protocol::Inheritance } else { Protocol::Ceiling };
    System::new(TaskSet { tasks, protocol }).unwrap()
}

fn accepts_nothing_late(strategy: Strategy, sets: u64) {
    let mut accepted = 0;
    for seed in 0..sets {
        let system = mixed(seed, strategy);
        let verdict = report(&system, strategy);
        let mut scenario = Scenario::of(&system, &verdict, ms(600));
        check_bounds(&system, &verdict, &scenario, &format!("{strategy}, seed {seed}"));
        scenario.offsets = Offsets::Random(seed);
        check_bounds(&system, &verdict, &scenario, &format!("{strategy}, random seed {seed}"));
        accepted += u64::from(verdict.is_schedulable());
    }
    assert!(accepted > sets / 20, "only {accepted} of {sets} were accepted");
}

#[test]
fn fixed_priorities_with_blocking_and_jitter_accept_nothing_late() {
    accepts_nothing_late(Strategy::RateMonotonic, 1_500);
    accepts_nothing_late(Strategy::DeadlineMonotonic, 1_500);
}

#[test]
fn earliest_deadline_first_with_blocking_and_jitter_accepts_nothing_late() {
    accepts_nothing_late(Strategy::EarliestDeadlineFirst, 1_500);
}

#[test]
fn maximum_urgency_first_with_blocking_and_jitter_accepts_nothing_late() {
    accepts_nothing_late(Strategy::MaximumUrgencyFirst, 1_500);
}

/// Chains of calls across two processors and several processes.
fn chained(seed: u64) -> System {
    let mut random = Random::new(seed);
    let total = 0.2 + random.unit() * 0.8;
    let mut tasks = random_tasks(&mut random, total);
    for task in &mut tasks {
        task.processor = format!("cpu{}", random.below(2));
        task.process = format!("process{}", random.below(3));
        task.criticality = Criticality::ALL[random.below(5) as usize];
        task.deadline = task.period.filter(|_| random.below(3) == 0);
    }
    let periodic = tasks.len() as u64;
    for number in 0..1 + random.below(4) {
        let mut task = Task::called(format!("called{number}"), ms(1 + random.below(3)));
        task.processor = format!("cpu{}", random.below(2));
        task.process = format!("process{}", random.below(3));
        let caller = random.below(periodic + number) as usize;
        let kind = if random.below(2) == 0 { CallKind::TwoWay } else { CallKind::OneWay };
        let call = Call { operation: task.name.clone(), kind, delay: ms(random.below(2)) };
        tasks[caller].calls.push(call);
        tasks.push(task);
    }
    System::new(TaskSet { tasks, ..TaskSet::default() }).unwrap()
}

#[test]
fn chains_of_calls_accept_nothing_late() {
    for strategy in Strategy::ALL {
        let (sets, mut accepted) = (1_000, 0);
        for seed in 0..sets {
            let system = chained(seed);
            let verdict = report(&system, strategy);
            let mut scenario = Scenario::of(&system, &verdict, ms(600));
            check_bounds(&system, &verdict, &scenario, &format!("{strategy}, seed {seed}"));
            scenario.offsets = Offsets::Random(seed);
            check_bounds(&system, &verdict, &scenario, &format!("{strategy}, random {seed}"));
            accepted += u64::from(verdict.is_schedulable());
        }
        assert!(accepted > sets / 20, "{strategy}: only {accepted} of {sets} were accepted");
    }
}

/// Periods without a small common multiple.
const ODD_PERIODS: [u64; 10] = [30, 50, 70, 80, 110, 130, 170, 240, 300, 480];

/// Chains with everything that a processor may have: jitter, sections, deadlines beyond periods.
/// `None` if that contradicts itself, such as a deadline that is shorter than the execution.
fn everything(seed: u64) -> Option<System> {
    let mut random = Random::new(seed);
    let total = 0.2 + random.unit() * 0.8;
    let shares = {
        let count = 2 + random.below(5) as usize;
        utilisations(&mut random, count, total)
    };
    let one_of = |random: &mut Random, count| random.below(count);
    let mut tasks = Vec::new();
    for (index, share) in shares.iter().enumerate() {
        let period = ODD_PERIODS[one_of(&mut random, 10) as usize];
        let wcet = ((share * period as f64).round() as u64).clamp(1, period);
        let mut task = task(&format!("task{index}"), period, wcet);
        match random.below(5) {
            0 => task.deadline = Some(ms(wcet.max(period * 2 / 3))),
            1 => task.deadline = Some(ms(period * (1 + random.below(3)))),
            _ => {}
        }
        let deadline = task.deadline.map_or(period, |deadline| deadline.0 / MS);
        task.jitter = ms(if random.below(3) == 0 { random.below(deadline / 2) } else { 0 });
        tasks.push(task);
    }
    for number in 0..1 + random.below(4) {
        let mut task = Task::called(format!("called{number}"), ms(1 + random.below(6)));
        task.deadline = (random.below(4) == 0).then(|| ms(10 + random.below(100)));
        let caller = random.below(tasks.len() as u64) as usize;
        let kind = if random.below(2) == 0 { CallKind::TwoWay } else { CallKind::OneWay };
        let call = Call { operation: task.name.clone(), kind, delay: ms(random.below(3)) };
        tasks[caller].calls.push(call);
        tasks.push(task);
    }
    for task in &mut tasks {
        task.processor = format!("cpu{}", random.below(2));
        task.process = format!("process{}", random.below(3));
        task.criticality = Criticality::ALL[random.below(5) as usize];
        let mut free = task.wcet.0 / MS;
        while free > 0 && random.below(3) > 0 {
            let length = 1 + random.below(free.min(6));
            free -= length;
            let resource =
                format!("{} of {}", ["x", "y", "z"][random.below(3) as usize], task.processor);
            task.sections.push(Section { resource, length: ms(length) });
        }
        if free > 0 && random.below(5) == 0 {
            task.non_preemptive = ms(1 + random.below(free.min(5)));
        }
    }
    let protocol = if random.below(2) == 0 { Protocol::Inheritance } else { Protocol::Ceiling };
    System::new(TaskSet { tasks, protocol }).ok()
}

#[test]
fn chains_with_blocking_and_jitter_accept_nothing_late() {
    for strategy in Strategy::ALL {
        let (mut sets, mut accepted) = (0, 0);
        for seed in 2_000_000..2_000_400 {
            let Some(system) = everything(seed) else { continue };
            let highest = if seed % 3 == 0 { 2 } else { 99 };
            let few = AnalysisOptions {
                sensitivity: false,
                range: PriorityRange::new(1, highest).unwrap(),
                ..AnalysisOptions::of(strategy)
            };
            let verdict = analyse(&system, few).unwrap();
            let mut scenario = Scenario::of(&system, &verdict, ms(2_000));
            check_bounds(&system, &verdict, &scenario, &format!("{strategy}, seed {seed}"));
            for turn in 0..3 {
                scenario.offsets = Offsets::Random(3 * seed + turn);
                let case = format!("{strategy}, seed {seed}, turn {turn}");
                check_bounds(&system, &verdict, &scenario, &case);
            }
            sets += 1;
            accepted += u64::from(verdict.is_schedulable());
        }
        assert!(accepted > sets / 20, "{strategy}: only {accepted} of {sets} were accepted");
    }
}

/// An operation that is called two-way may be called soon after it was called late, and then waits
/// for itself. Found at random.
#[test]
fn two_calls_of_an_operation_may_follow_one_another_sooner_than_a_period() {
    let mut sensor =
        calling(due(task("Sensor::sample", 30, 1), 20), "Filter::add", CallKind::TwoWay, 0);
    sensor.jitter = ms(8);
    let mut sensor = calling(sensor, "Log::write", CallKind::OneWay, 0);
    sensor.process = "sensors".to_owned();
    let on = |mut task: Task, processor: &str| {
        task.processor = processor.to_owned();
        task
    };
    let system = system([
        on(sensor, "cpu0"),
        on(Task::called("Log::write".to_owned(), ms(4)), "cpu0"),
        on(Task::called("Filter::add".to_owned(), ms(5)), "cpu1"),
        on(task("Hud::draw", 30, 19), "cpu1"),
        on(due(task("Map::draw", 80, 3), 240), "cpu1"),
    ]);
    let verdict = report(&system, Strategy::EarliestDeadlineFirst);
    let scenario = Scenario::of(&system, &verdict, ms(600));
    let lived = simulate(&system, &scenario);
    let bound = verdict.operations.iter().find(|one| one.name == "Filter::add").unwrap();
    assert!(lived.tasks[2].longest > ms(5), "{lived:#?}");
    assert!(bound.response.bound().unwrap() >= lived.tasks[2].longest.0, "{bound:#?}");
}
