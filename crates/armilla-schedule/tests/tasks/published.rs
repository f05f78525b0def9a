//! Examples of the literature, with what their authors say of them.

use crate::support;
use armilla_schedule::*;
use support::*;

/// Liu, Layland 1973, section 4: periods 2 and 5, execution 1 each. With the higher priority for
/// the shorter period the second task may take 2, and no more.
#[test]
fn the_shorter_period_leaves_room_for_two() {
    for (wcet, fits) in [(1, true), (2, true), (3, false)] {
        let system = system([task("first", 2, 1), task("second", 5, wcet)]);
        assert_eq!(report(&system, Strategy::RateMonotonic).is_schedulable(), fits, "{wcet}");
    }
}

/// Burns, Wellings, "Real-Time Systems and Programming Languages", the sets A to D of the chapter
/// on scheduling. A needs 82 % and fails with fixed priorities; B meets the bound for three tasks;
/// C uses all of the processor, and passes all the same.
#[test]
fn the_sets_of_burns_and_wellings() {
    let set = |of: [(u64, u64); 3]| {
        let names = ["a", "b", "c"];
        let tasks = names.iter().zip(of).map(|(name, (period, wcet))| task(name, period, wcet));
        system(tasks.collect::<Vec<_>>())
    };
    let (a, b) = (set([(50, 12), (40, 10), (30, 10)]), set([(80, 32), (40, 5), (16, 4)]));
    let (c, d) = (set([(80, 40), (40, 10), (20, 5)]), set([(7, 3), (12, 3), (20, 5)]));
    let rm = Strategy::RateMonotonic;
    let bound = |system: &System| report(system, rm).processors[0].bounds[0].holds;

    // a: 12 + 2 × 10 + 2 × 10 = 52 > 50.
    let verdict = report(&a, rm);
    assert_eq!(bound(&a), Ok(false));
    assert_eq!(verdict.operations[0].verdict, Verdict::Late);
    assert_eq!(verdict.operations[0].response, Response::AtMost(52 * MS));
    assert!(report(&a, Strategy::EarliestDeadlineFirst).is_schedulable());

    assert_eq!(bound(&b), Ok(true));
    assert!(report(&b, rm).is_schedulable());

    assert_eq!(bound(&c), Ok(false));
    assert_eq!(responses(&c, rm), [Some(80), Some(15), Some(5)]);
    assert!(report(&c, rm).is_schedulable());

    // The response times that the book works out: 3, 6 and 20.
    assert_eq!(responses(&d, rm), [Some(3), Some(6), Some(20)]);
}

/// Lehoczky 1990: execution 26 and 62, periods 70 and 100. The first response of the second task
/// takes 114, but the fifth one 118: 5 × 62 + 8 × 26 − 4 × 100.
#[test]
fn with_a_deadline_beyond_the_period_the_fifth_response_is_the_longest() {
    let system = system([task("first", 70, 26), due(task("second", 100, 62), 118)]);
    let verdict = report(&system, Strategy::RateMonotonic);
    assert_eq!(verdict.operations[1].response, Response::AtMost(118 * MS));
    assert!(verdict.is_schedulable());
    assert_eq!(together(&system, &verdict, 700).tasks[1].longest, ms(118));
}

/// Buttazzo, "Hard Real-Time Computing Systems", the example of the processor demand criterion:
/// execution 2, 2, 3, deadlines 4, 5, 7, periods 6, 8, 9. The demand until 4, 5, 7, 10, 13, 16 is
/// 2, 4, 7, 9, 11, 16: it fits. Deadline-monotonic priorities fail: 3 + 2 × 2 + 2 × 2 = 11 > 7.
#[test]
fn the_demand_until_each_deadline_fits() {
    let tasks = [(6, 2, 4), (8, 2, 5), (9, 3, 7)];
    let tasks = tasks.iter().map(|(period, wcet, deadline)| {
        due(task(&format!("of {period}"), *period, *wcet), *deadline)
    });
    let system = system(tasks.collect::<Vec<_>>());
    assert!(report(&system, Strategy::EarliestDeadlineFirst).is_schedulable());
    let fixed = report(&system, Strategy::DeadlineMonotonic);
    assert_eq!(fixed.operations[2].response, Response::AtMost(11 * MS));
    assert_eq!(fixed.operations[2].verdict, Verdict::Late);
}

/// Sha, Rajkumar, Lehoczky 1990: with a ceiling a task waits for one section at most, with
/// inheritance for one of each lower task. Worked out by hand: `high` uses both resources, which
/// the others hold for 3 and 4.
#[test]
fn a_ceiling_bounds_blocking_by_one_section() {
    let high = holding(holding(task("high", 20, 4), "x", 1), "y", 1);
    let middle = holding(task("middle", 50, 5), "x", 3);
    let low = holding(task("low", 100, 6), "y", 4);
    let mut set = TaskSet { tasks: vec![high, middle, low], ..TaskSet::default() };
    for (protocol, blocking) in [(Protocol::Inheritance, [7, 4, 0]), (Protocol::Ceiling, [4, 4, 0])]
    {
        set.protocol = protocol;
        let system = System::new(set.clone()).unwrap();
        let verdict = report(&system, Strategy::RateMonotonic);
        let found: Vec<_> = verdict.operations.iter().map(|one| one.blocking.0 / MS).collect();
        assert_eq!(found, blocking, "{protocol:?}");
        assert_eq!(verdict.operations[0].response, Response::AtMost((4 + blocking[0]) * MS));
    }
}

/// Audsley et al. 1993, section 4: release jitter of a higher task is added to the window. Worked
/// out by hand: 6 + ⌈(6 + 4)/10⌉ × 3 = 9, ⌈(9 + 4)/10⌉ = 2, 12; ⌈16/10⌉ = 2, 12.
#[test]
fn jitter_of_a_higher_task_delays_lower_ones() {
    let mut high = task("high", 10, 3);
    high.jitter = ms(4);
    let system = system([high, task("low", 40, 6)]);
    assert_eq!(responses(&system, Strategy::RateMonotonic), [Some(7), Some(12)]);
}

/// Tindell, Clark 1994: a step inherits the response of the one that releases it as jitter. Worked
/// out by hand: `sample` takes 4 behind nothing; the message 2; `steer` of 5 behind `log` of 3
/// takes 8, and `log` has no jitter: 4 + 2 + 8 = 14.
#[test]
fn a_chain_across_processors_adds_up() {
    let sample = calling(task("sample", 50, 4), "steer", CallKind::OneWay, 2);
    let mut steer = Task::called("steer", ms(5));
    steer.processor = "cpu1".to_owned();
    let mut log = task("log", 20, 3);
    log.processor = "cpu1".to_owned();
    let system = system([sample, steer, log]);
    assert_eq!(responses(&system, Strategy::RateMonotonic), [Some(4), Some(14), Some(3)]);
    // If all are released together, `log` has ended when the message arrives.
    let verdict = report(&system, Strategy::RateMonotonic);
    assert_eq!(together(&system, &verdict, 50).tasks[1].longest, ms(11));
}

/// Stewart, Khosla 1991: under transient overload, rate-monotonic priorities and earliest deadline
/// first let any task fail, maximum urgency first only those that are not critical.
#[test]
fn at_120_per_cent_maximum_urgency_first_misses_no_critical_deadline() {
    let flight = critical(task("flight", 50, 20), Criticality::High);
    let engine = critical(task("engine", 100, 20), Criticality::VeryHigh);
    // 40 % and 20 % are critical; 60 % are not, and have shorter periods.
    let tasks = [task("display", 10, 3), task("radio", 20, 6), flight, engine];
    let system = system(tasks);
    for strategy in Strategy::ALL {
        let verdict = report(&system, strategy);
        assert!(!verdict.is_schedulable());
        let mut scenario = simulation::Scenario::of(&system, &verdict, ms(10_000));
        scenario.cancel = strategy == Strategy::MaximumUrgencyFirst;
        let lived = simulation::simulate(&system, &scenario);
        let critical = lived.tasks[2].misses + lived.tasks[3].misses;
        if strategy == Strategy::MaximumUrgencyFirst {
            assert_eq!(critical, 0);
            assert_eq!(lived.tasks[2].completed + lived.tasks[3].completed, 300);
            assert!(lived.tasks[0].cancelled > 0);
            // The analysis said so.
            assert_eq!(verdict.operations[2].verdict, Verdict::Schedulable);
            assert_eq!(verdict.operations[3].verdict, Verdict::Schedulable);
            assert_eq!(verdict.operations[1].verdict, Verdict::Late);
        } else {
            assert!(critical > 0, "{strategy}");
        }
    }
}

/// Hundreds of tasks are proven, not given up.
#[test]
fn a_thousand_tasks_are_analysed_in_bounded_time() {
    let periods = [10, 20, 40, 50, 100, 200, 500, 1_000];
    let tasks: Vec<Task> = (0..1_000_u64)
        .map(|at| {
            let period = periods[at as usize % periods.len()];
            // 0.08 % of the processor each.
            Task::periodic(format!("task{at}"), ms(period), Nanos(period * 800))
        })
        .collect();
    let system = system(tasks);
    for strategy in Strategy::ALL {
        let verdict = report(&system, strategy);
        assert!(verdict.is_schedulable(), "{strategy}: {:?}", verdict.operations[999]);
    }
}

/// Buttazzo, "Hard Real-Time Computing Systems", section 7.6: the longest sections of four tasks by
/// three semaphores, and the blocking that follows: 17, 14, 6 and 0 with inheritance. With a
/// ceiling it is the longest single section: 9, 8, 6 and 0.
#[test]
fn blocking_is_that_of_the_table_of_buttazzo() {
    let sections: [&[(&str, u64)]; 4] = [
        &[("s1", 1), ("s2", 2)],
        &[("s2", 9), ("s3", 3)],
        &[("s1", 8), ("s2", 7)],
        &[("s1", 6), ("s2", 5), ("s3", 4)],
    ];
    let tasks = sections.iter().enumerate().map(|(at, sections)| {
        let all = task(&format!("task{}", at + 1), 1_000 + at as u64, 20);
        sections.iter().fold(all, |task, (resource, length)| holding(task, resource, *length))
    });
    let mut set = TaskSet { tasks: tasks.collect(), ..TaskSet::default() };
    for (protocol, expected) in
        [(Protocol::Inheritance, [17, 14, 6, 0]), (Protocol::Ceiling, [9, 8, 6, 0])]
    {
        set.protocol = protocol;
        let verdict = report(&System::new(set.clone()).unwrap(), Strategy::RateMonotonic);
        let found: Vec<_> = verdict.operations.iter().map(|one| one.blocking.0 / MS).collect();
        assert_eq!(found, expected, "{protocol:?}");
    }
}

/// Buttazzo, the same book, exercises of chapter 4. Execution 3, 1, 1 and periods 5, 8, 10 exceed
/// the bound of Liu and Layland (0.825 > 0.779), but not the hyperbolic one: 1.6 × 1.125 × 1.1 =
/// 1.98. Execution 1, 2, 3 and periods 4, 6, 8 fail with fixed priorities (3 + 3 × 1 + 2 × 2 = 10 >
/// 8), but not by deadline: 23/24 of the processor.
#[test]
fn what_two_bounds_and_the_exact_test_say_of_the_exercises() {
    let set = |of: [(u64, u64); 3]| {
        let tasks = of.iter().map(|(wcet, period)| task(&format!("of {period}"), *period, *wcet));
        system(tasks.collect::<Vec<_>>())
    };
    let (rm, edf) = (Strategy::RateMonotonic, Strategy::EarliestDeadlineFirst);
    let verdict = report(&set([(3, 5), (1, 8), (1, 10)]), rm);
    let bounds: Vec<_> = verdict.processors[0].bounds.iter().map(|it| it.holds).collect();
    assert_eq!(bounds, [Ok(false), Ok(true)]);
    assert!(verdict.is_schedulable());
    let three = set([(1, 4), (2, 6), (3, 8)]);
    let verdict = report(&three, rm);
    assert_eq!(verdict.operations[2].response, Response::AtMost(10 * MS));
    assert_eq!(verdict.operations[2].verdict, Verdict::Late);
    assert!(report(&three, edf).is_schedulable());
}

/// Leung, Whitehead 1982: where deadlines are before the ends of periods, priorities by deadline
/// may meet what priorities by rate do not. Worked out by hand: the longer period has the shorter
/// deadline.
#[test]
fn priorities_by_deadline_meet_what_priorities_by_rate_do_not() {
    let system = system([task("often", 10, 4), due(task("seldom", 40, 5), 6)]);
    assert!(!report(&system, Strategy::RateMonotonic).is_schedulable());
    let verdict = report(&system, Strategy::DeadlineMonotonic);
    assert_eq!(responses(&system, Strategy::DeadlineMonotonic), [Some(9), Some(5)]);
    assert!(verdict.is_schedulable());
}

/// All of a processor is used by periods that divide one another: fixed priorities meet every
/// deadline (Liu, Layland 1973, section 5), and one nanosecond more is too much.
#[test]
fn harmonic_periods_use_the_whole_processor_and_nothing_more() {
    for strategy in Strategy::ALL {
        let mut tasks = vec![task("a", 10, 5), task("b", 20, 5), task("c", 40, 10)];
        let verdict = report(&system(tasks.clone()), strategy);
        assert!(verdict.is_schedulable(), "{strategy}");
        // Only laxity or deadlines decide among equally critical tasks.
        let full = verdict.processors[0].bounds[0].holds;
        assert_eq!(full, Ok(strategy.is_dynamic()), "{strategy}");
        tasks[2].wcet = Nanos(tasks[2].wcet.0 + 1);
        assert!(!report(&system(tasks), strategy).is_schedulable(), "{strategy}");
    }
}
