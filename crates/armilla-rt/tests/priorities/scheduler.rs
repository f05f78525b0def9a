//! Requests in the order of a scheduler: deadlines, criticality, cancellation, admission.

use crate::common;
use armilla::{Completion, ExceptionKind, Orb, SystemException};
use armilla_rt::{
    OperationStatistics, PriorityModel, RtOrb, Scheduler, SchedulerOptions, ThreadpoolOptions,
};
use armilla_schedule::{Criticality, Nanos, Strategy, Task, TaskSet, Verdict};
use common::*;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

/// An operation with its period in seconds, long beside what a test takes.
fn task(name: &str, seconds: u64, criticality: Criticality) -> Task {
    let mut task = Task::periodic(name, Nanos::from_millis(seconds * 1_000), Nanos::from_millis(1));
    task.criticality = criticality;
    task
}

fn tasks(tasks: impl Into<Vec<Task>>) -> TaskSet {
    TaskSet { tasks: tasks.into(), ..TaskSet::default() }
}

const MEDIUM: Criticality = Criticality::Medium;

/// Short deadline, long deadline, and two critical ones.
fn usual() -> TaskSet {
    tasks([
        task("Test::soon", 1_000, MEDIUM),
        task("Test::later", 2_000, MEDIUM),
        task("Test::critical", 4_000, Criticality::High),
        task("Test::vital", 5_000, Criticality::VeryHigh),
    ])
}

fn scheduler(rt: &RtOrb, options: SchedulerOptions) -> Scheduler {
    rt.create_scheduler(options.priorities([priority(20)])).unwrap()
}

fn of<'s>(statistics: &'s [OperationStatistics], operation: &str) -> &'s OperationStatistics {
    statistics.iter().find(|one| one.operation == operation).unwrap()
}

/// How many requests wait in a scheduler or run.
fn present(scheduler: &Scheduler) -> u64 {
    let all = scheduler.statistics().into_iter();
    all.map(|one| one.arrived - one.executed - one.cancelled - one.refused).sum()
}

/// Executes operations that arrive while another one runs, and returns their order.
fn order(scheduler: &Scheduler, operations: &[&'static str]) -> Vec<&'static str> {
    let ran = Mutex::new(Vec::new());
    let (release, held) = mpsc::channel::<()>();
    let before = present(scheduler);
    thread::scope(|scope| {
        scope.spawn(move || scheduler.execute("Test::vital", || held.recv()).unwrap());
        until("one runs", || present(scheduler) == before + 1);
        for (number, operation) in operations.iter().enumerate() {
            let ran = &ran;
            let work = move || ran.lock().unwrap().push(*operation);
            scope.spawn(move || scheduler.execute(operation, work).unwrap());
            until("it waits", || present(scheduler) == before + 2 + number as u64);
        }
        release.send(()).unwrap();
    });
    ran.into_inner().unwrap()
}

#[test]
fn waiting_requests_run_in_the_order_of_the_strategy() {
    let (orb, rt) = server();
    let waiting = ["Test::critical", "Test::later", "Else::where", "Test::soon"];
    for (strategy, expected) in [
        (
            Strategy::EarliestDeadlineFirst,
            ["Test::soon", "Test::later", "Test::critical", "Else::where"],
        ),
        (Strategy::RateMonotonic, ["Test::soon", "Test::later", "Test::critical", "Else::where"]),
        (
            Strategy::MaximumUrgencyFirst,
            ["Test::critical", "Test::soon", "Test::later", "Else::where"],
        ),
    ] {
        let scheduler = scheduler(&rt, SchedulerOptions::new("order", strategy, usual()));
        assert!(scheduler.report().is_schedulable(), "{strategy}");
        assert_eq!(order(&scheduler, &waiting), expected, "{strategy}");
        let statistics = scheduler.statistics();
        assert_eq!(of(&statistics, "unlisted").executed, 1, "{strategy}");
        assert!(statistics.iter().all(|one| one.missed == 0), "{strategy}");
    }
    orb.shutdown();
}

#[test]
fn what_can_no_longer_end_in_time_is_cancelled_unless_it_is_critical() {
    let (orb, rt) = server();
    let brief = |name: &str, period, criticality| {
        let mut task = Task::periodic(name, Nanos::from_millis(period), Nanos::from_millis(1));
        task.criticality = criticality;
        task
    };
    let both = tasks([
        brief("Test::log", 40, Criticality::Low),
        brief("Test::steer", 20, Criticality::High),
        task("Test::vital", 5_000, Criticality::VeryHigh),
    ]);
    let muf = SchedulerOptions::new("late", Strategy::MaximumUrgencyFirst, both);
    let scheduler = scheduler(&rt, muf);
    let (release, held) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let of_thread = scheduler.clone();
        scope.spawn(move || of_thread.execute("Test::vital", || held.recv()).unwrap());
        until("one runs", || present(&scheduler) == 1);
        let steer = scope.spawn(|| scheduler.execute("Test::steer", || ()));
        until("one waits", || present(&scheduler) == 2);
        // Ends without that the one that runs does.
        let error = scheduler.execute("Test::log", || panic!("it runs")).unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout);
        assert_eq!(error.completed(), Completion::No);
        for part in ["Test::log", "takes up to 1 ms", "not critical"] {
            assert!(error.to_string().contains(part), "{error}");
        }
        release.send(()).unwrap();
        steer.join().unwrap().unwrap();
    });
    let statistics = scheduler.statistics();
    let log = of(&statistics, "Test::log");
    assert_eq!((log.arrived, log.executed, log.cancelled), (1, 0, 1));
    let steer = of(&statistics, "Test::steer");
    assert_eq!((steer.executed, steer.missed, steer.cancelled), (1, 1, 0), "late, but critical");
    orb.shutdown();
}

#[test]
fn the_least_urgent_request_is_refused_when_the_queue_is_full() {
    let (orb, rt) = server();
    let options = SchedulerOptions::new("full", Strategy::EarliestDeadlineFirst, usual());
    let scheduler = scheduler(&rt, options.capacity(1));
    let (release, held) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let of_thread = scheduler.clone();
        scope.spawn(move || of_thread.execute("Test::vital", || held.recv()).unwrap());
        until("one runs", || present(&scheduler) == 1);
        let later = scope.spawn(|| scheduler.execute("Test::later", || ()));
        until("one waits", || present(&scheduler) == 2);
        let soon = scope.spawn(|| scheduler.execute("Test::soon", || ()));
        let error = later.join().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.completed()), (ExceptionKind::Transient, Completion::No));
        assert!(error.to_string().contains("Test::later"), "{error}");
        release.send(()).unwrap();
        soon.join().unwrap().unwrap();
    });
    orb.shutdown();
}

#[test]
fn an_operation_is_admitted_while_others_run_or_refused_with_what_would_be_late() {
    let (orb, rt) = server();
    let half = |name: &str, percent: u64| {
        Task::periodic(name, Nanos::from_millis(100), Nanos::from_millis(percent))
    };
    let options = SchedulerOptions::new(
        "admission",
        Strategy::EarliestDeadlineFirst,
        tasks([half("Test::soon", 60)]),
    );
    let levels = [20, 21, 22].map(priority);
    let scheduler = rt.create_scheduler(options.priorities(levels)).unwrap();
    scheduler.admit(half("Test::later", 30)).unwrap();
    let refusal = scheduler.admit(half("Test::video", 20)).unwrap_err();
    let text = refusal.to_string();
    assert!(text.contains("Test::video is not admitted"), "{text}");
    assert!(refusal.reasons.iter().any(|(name, _)| name == "Test::soon"), "{text}");
    assert!(scheduler.admit(half("Test::later", 1)).is_err(), "it is there");
    scheduler.execute("Test::later", || ()).unwrap();
    scheduler.execute("Test::video", || ()).unwrap();
    let statistics = scheduler.statistics();
    assert_eq!(of(&statistics, "Test::later").executed, 1);
    assert_eq!(of(&statistics, "unlisted").executed, 1);
    assert!(scheduler.leave("Test::soon") && !scheduler.leave("Test::soon"));
    scheduler.admit(half("Test::video", 20)).unwrap();
    scheduler.execute("Test::video", || ()).unwrap();
    let statistics = scheduler.statistics();
    assert_eq!(of(&statistics, "Test::later").executed, 1, "counts go on");
    assert_eq!(of(&statistics, "Test::video").executed, 1);
    orb.shutdown();
}

/// A pool whose requests a scheduler orders, and a sensor of it that another ORB calls.
fn scheduled(scheduler: &Scheduler, orb: &Orb, rt: &RtOrb) -> (Arc<Station>, SensorRef, Orb) {
    let options = ThreadpoolOptions::new("scheduled", 2, 0, priority(50));
    let pool = rt.create_threadpool(options.scheduled_by(scheduler)).unwrap();
    assert!(pool.to_string().contains(&scheduler.strategy().to_string()), "{pool}");
    let poa = rt.poa(orb.root_poa().create_poa("scheduled")).threadpool(&pool).build().unwrap();
    let station = Station::new(rt);
    let own = poa.activate(sensor_of(station.clone())).unwrap();
    let client = Orb::new().unwrap();
    let sensor = remote(orb, &client, &own);
    (station, sensor, client)
}

/// `wait` is critical, `ping` is not and soon late, `priority` has time.
fn of_station() -> TaskSet {
    let mut ping = task("Station::Sensor::ping", 1, Criticality::Low);
    ping.period = Some(Nanos::from_millis(30));
    tasks([
        ping,
        task("Station::Sensor::priority", 1_000, MEDIUM),
        task("Station::Sensor::scheduling", 1_000, Criticality::High),
        task("Station::Sensor::wait", 2_000, Criticality::VeryHigh),
    ])
}

#[test]
fn requests_of_a_pool_wait_for_their_turn_or_fail_with_a_truthful_status() {
    let (orb, rt) = server();
    let muf = SchedulerOptions::new("pool", Strategy::MaximumUrgencyFirst, of_station());
    let scheduler = scheduler(&rt, muf.capacity(4));
    let (station, sensor, client) = scheduled(&scheduler, &orb, &rt);
    thread::scope(|scope| {
        scope.spawn(|| sensor.wait().unwrap());
        station.await_inside(1);
        let medium = scope.spawn(|| sensor.priority().unwrap());
        until("two are there", || present(&scheduler) == 2);
        let error: SystemException = sensor.ping().unwrap_err();
        assert_eq!((error.kind(), error.completed()), (ExceptionKind::Timeout, Completion::No));
        assert!(error.to_string().contains("Station::Sensor::ping"), "{error}");
        assert!(!medium.is_finished());
        station.open();
        assert_eq!(medium.join().unwrap(), 20, "the priority of the scheduler");
    });
    let statistics = scheduler.statistics();
    assert_eq!(of(&statistics, "Station::Sensor::ping").executed, 0);
    assert_eq!(of(&statistics, "Station::Sensor::wait").executed, 1);
    client.shutdown();
    orb.shutdown();
}

#[test]
fn a_more_critical_request_preempts_at_the_next_priority() {
    let (orb, rt) = server();
    let muf = SchedulerOptions::new("levels", Strategy::MaximumUrgencyFirst, of_station());
    let levels = [20, 21, 22, 23].map(priority);
    let scheduler = rt.create_scheduler(muf.priorities(levels)).unwrap();
    let (station, sensor, client) = scheduled(&scheduler, &orb, &rt);
    // Not in the tables: anything preempts it.
    let waiting = thread::spawn({
        let (scheduler, station) = (scheduler.clone(), station.clone());
        move || scheduler.execute("Test::unlisted", || Sensor::wait(&*station).unwrap()).unwrap()
    });
    station.await_inside(1);
    assert_eq!(sensor.priority().unwrap(), 21, "above what it preempts");
    if may_be_real_time() {
        assert_eq!(sensor.scheduling().unwrap(), "SCHED_FIFO 21");
    }
    station.open();
    waiting.join().unwrap();
    assert_eq!(sensor.priority().unwrap(), 20);
    client.shutdown();
    orb.shutdown();
}

#[test]
fn a_servant_may_call_objects_of_its_own_scheduler() {
    let (orb, rt) = server();
    let options = SchedulerOptions::new("own", Strategy::EarliestDeadlineFirst, of_station());
    let scheduler = scheduler(&rt, options);
    let (_station, sensor, client) = scheduled(&scheduler, &orb, &rt);
    assert_eq!(sensor.ask(&sensor).unwrap(), 20, "there is one thread, and it calls itself");
    scheduler.execute("Test::a", || scheduler.execute("Test::b", || ()).unwrap()).unwrap();
    client.shutdown();
    orb.shutdown();
}

#[test]
fn contradictions_are_errors_that_name_both_sides() {
    let (orb, rt) = server();
    let edf = || SchedulerOptions::new("edf", Strategy::EarliestDeadlineFirst, usual());
    let refused = |options: SchedulerOptions| rt.create_scheduler(options).unwrap_err().to_string();
    assert!(refused(edf()).contains("priorities none"));
    let several = edf().priorities([1, 2].map(priority)).threads(2);
    assert!(refused(several).contains("for each processor"));
    let one = || edf().priorities([priority(20)]);
    assert!(refused(one().capacity(0)).contains("capacity 0"));
    assert!(refused(edf().priorities([priority(200)])).contains("no native priority"));
    let mut wrong = usual();
    wrong.tasks[0].wcet = Nanos(0);
    let wrong = SchedulerOptions::new("wrong", Strategy::EarliestDeadlineFirst, wrong);
    let text = refused(wrong.priorities([priority(20)]));
    assert!(text.contains("Test::soon: wcet is 0"), "{text}");

    let scheduler = rt.create_scheduler(one()).unwrap();
    let pool = |options: ThreadpoolOptions| rt.create_threadpool(options).unwrap_err().to_string();
    let low = ThreadpoolOptions::new("low", 1, 0, priority(20)).scheduled_by(&scheduler);
    assert!(pool(low).contains("runs operations at 20"));
    let lanes = ThreadpoolOptions::with_lanes("lanes").lane(priority(50), 1, 0);
    assert!(pool(lanes.scheduled_by(&scheduler)).contains("of a pool with lanes"));

    let scheduled = ThreadpoolOptions::new("own", 1, 0, priority(50)).scheduled_by(&scheduler);
    let pool = rt.create_threadpool(scheduled).unwrap();
    let model = PriorityModel::ServerDeclared(priority(50));
    let builder = rt.poa(orb.root_poa().create_poa("both")).threadpool(&pool);
    let text = builder.priority_model(model).build().unwrap_err().to_string();
    for part in ["POA \"both\"", "ServerDeclared", "scheduler \"edf\""] {
        assert!(text.contains(part), "{text}");
    }
    orb.shutdown();
}

#[test]
fn several_threads_are_analysed_as_such_and_admit_only_what_is_proven() {
    let (orb, rt) = server();
    let long = |name: &str| {
        let (period, wcet) = (Nanos::from_millis(40), Nanos::from_millis(10));
        Task::periodic(name, period, wcet)
    };
    let edf = |name: &str, threads: usize| {
        let set = tasks([long("Test::first"), long("Test::second"), long("Test::third")]);
        let options = SchedulerOptions::new(name, Strategy::EarliestDeadlineFirst, set);
        scheduler(&rt, options.threads(threads))
    };
    let cpus = armilla_ipc::affinity::allowed_cpus().unwrap().len();
    let many = edf("many", cpus + 1);
    let report = many.report();
    assert!(report.operations.iter().all(|one| one.verdict == Verdict::Unproven));
    let reason = report.operations[0].reason.clone().unwrap();
    assert!(reason.contains("needs a CPU for each"), "{reason}");
    let refusal = many.admit(long("Test::fourth")).unwrap_err().to_string();
    assert!(refusal.contains("needs a CPU for each"), "{refusal}");
    if cpus > 1 {
        let two = edf("two", 2);
        assert!(two.report().is_schedulable(), "{:?}", two.report());
        let mut urgent = long("Test::urgent");
        (urgent.wcet, urgent.deadline) = (Nanos(1_000_000), Some(Nanos(5_000_000)));
        let refusal = two.admit(urgent).unwrap_err().to_string();
        assert!(refusal.contains("Test::urgent: ") && refusal.contains("2 threads"), "{refusal}");
        let mut short = long("Test::short");
        short.wcet = Nanos::from_millis(5);
        two.admit(short).unwrap();
    }
    orb.shutdown();
}
