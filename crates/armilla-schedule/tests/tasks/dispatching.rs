//! Dispatching and admission at run time, with a scripted clock.

use crate::support;
use armilla_schedule::dispatch::{Admission, Dispatcher, DynamicPriority, Full, Job};
use armilla_schedule::*;
use support::*;

fn job(work: &'static str, priority: i32, deadline: u64, wcet: u64) -> Job<&'static str> {
    Job {
        work,
        priority,
        deadline: ms(deadline),
        wcet: ms(wcet),
        criticality: Criticality::Medium,
        importance: Importance::Medium,
    }
}

fn order(strategy: Strategy, jobs: Vec<Job<&'static str>>, now: u64) -> Vec<&'static str> {
    let mut ready = Dispatcher::new(strategy, 16);
    jobs.into_iter().for_each(|job| ready.push(job, ms(now)).unwrap());
    std::iter::from_fn(|| ready.next(ms(now))).map(|job| job.work).collect()
}

#[test]
fn static_priorities_take_the_highest_and_keep_equals_in_order() {
    let jobs = vec![job("a", 5, 1, 1), job("b", 9, 9, 1), job("c", 9, 2, 1)];
    assert_eq!(order(Strategy::RateMonotonic, jobs, 0), ["b", "c", "a"]);
}

#[test]
fn earliest_deadline_first_takes_the_earliest() {
    let jobs = vec![job("a", 5, 7, 1), job("b", 9, 9, 1), job("c", 9, 2, 1)];
    assert_eq!(order(Strategy::EarliestDeadlineFirst, jobs, 0), ["c", "a", "b"]);
}

#[test]
fn maximum_urgency_first_goes_by_criticality_then_laxity_then_importance() {
    let critical = Job { criticality: Criticality::High, ..job("critical", 0, 50, 1) };
    let important = Job { importance: Importance::High, ..job("important", 0, 12, 2) };
    // Laxities of 7, 10 and 10.
    let jobs = vec![job("plain", 0, 11, 1), important, job("least", 0, 12, 5), critical];
    let expected = ["critical", "least", "important", "plain"];
    assert_eq!(order(Strategy::MaximumUrgencyFirst, jobs, 0), expected);
}

#[test]
fn late_work_is_cancelled_unless_it_is_critical() {
    let mut ready = Dispatcher::new(Strategy::MaximumUrgencyFirst, 16);
    ready.push(job("late", 0, 10, 3), ms(0)).unwrap();
    ready.push(job("in time", 0, 11, 3), ms(0)).unwrap();
    let critical = Job { criticality: Criticality::VeryHigh, ..job("critical", 0, 4, 3) };
    ready.push(critical, ms(0)).unwrap();
    assert_eq!(ready.next(ms(8)).unwrap().work, "critical");
    assert_eq!(ready.next(ms(8)).unwrap().work, "in time");
    assert!(ready.next(ms(8)).is_none());
    let cancelled: Vec<_> = ready.take_cancelled().into_iter().map(|job| job.work).collect();
    assert_eq!(cancelled, ["late"]);
}

#[test]
fn equally_critical_jobs_may_go_by_deadline_instead_of_laxity() {
    for (dynamic, expected) in
        [(DynamicPriority::Laxity, ["long", "soon"]), (DynamicPriority::Deadline, ["soon", "long"])]
    {
        let mut ready = Dispatcher::new(Strategy::MaximumUrgencyFirst, 16).ordered_by(dynamic);
        ready.push(job("soon", 0, 10, 1), ms(0)).unwrap();
        ready.push(job("long", 0, 12, 8), ms(0)).unwrap();
        let order = std::iter::from_fn(|| ready.next(ms(0))).map(|job| job.work);
        assert_eq!(order.collect::<Vec<_>>(), expected, "{dynamic:?}");
    }
}

#[test]
fn a_full_dispatcher_gives_up_the_least_urgent_job() {
    let mut ready = Dispatcher::new(Strategy::EarliestDeadlineFirst, 2);
    ready.push(job("a", 0, 10, 1), ms(0)).unwrap();
    ready.push(job("b", 0, 20, 1), ms(0)).unwrap();
    let Err(Full(lost)) = ready.push(job("c", 0, 5, 1), ms(0)) else { panic!() };
    assert_eq!((lost.work, ready.len()), ("b", 2));
    let Err(Full(lost)) = ready.push(job("d", 0, 30, 1), ms(0)) else { panic!() };
    assert_eq!(lost.work, "d");
}

#[test]
fn a_waiting_job_preempts_a_less_urgent_one_that_runs() {
    let mut ready = Dispatcher::new(Strategy::MaximumUrgencyFirst, 4);
    let running = job("running", 0, 20, 10);
    ready.push(job("waiting", 0, 15, 3), ms(0)).unwrap();
    // Laxity 12 against 20 − 10 = 10; once 5 of the 10 are done, against 15.
    assert!(!ready.preempts(&running, ms(10), ms(0)));
    assert!(ready.preempts(&running, ms(5), ms(5)));
    // At 13 ms the waiting job can no longer end in time.
    assert!(!ready.preempts(&running, ms(5), ms(13)));
}

#[test]
fn a_task_that_fits_is_admitted_and_another_is_refused_with_the_reason() {
    let mut admission = Admission::new(
        system([task("sample", 10, 3), task("draw", 50, 20)]),
        Strategy::RateMonotonic,
    );
    admission.admit(task("log", 100, 10)).unwrap();
    let refusal = admission.admit(task("video", 20, 6)).unwrap_err();
    let text = refusal.to_string();
    assert!(text.starts_with("video is not admitted: "), "{text}");
    assert!(refusal.reasons.iter().any(|(name, _)| name == "log"), "{text}");
    assert_eq!(admission.system().tasks().len(), 3);
    assert!(admission.leave("draw"));
    admission.admit(task("video", 20, 6)).unwrap();
    let twice = admission.admit(task("video", 20, 6)).unwrap_err().to_string();
    assert!(twice.contains("declared twice"), "{twice}");
}

#[test]
fn under_overload_what_was_late_before_refuses_nothing() {
    let engine = critical(task("engine", 100, 40), Criticality::VeryHigh);
    let overloaded = system([task("display", 10, 8), engine]);
    let mut admission = Admission::new(overloaded, Strategy::MaximumUrgencyFirst);
    let brakes = critical(task("brakes", 100, 20), Criticality::High);
    let report = admission.admit(brakes).unwrap();
    assert_eq!(report.operations[0].verdict, Verdict::Late, "as before");
    let more = critical(task("more", 50, 25), Criticality::VeryHigh);
    let refusal = admission.admit(more).unwrap_err();
    assert!(refusal.reasons.iter().any(|(name, _)| name == "brakes"), "{refusal}");
    assert!(refusal.reasons.iter().all(|(name, _)| name != "display"), "{refusal}");
}
