//! Chains of calls that no schedule can execute in time.

use crate::steps::Step;
use crate::system::System;
use crate::task::CallKind;
use crate::time::Nanos;

/// How many operations of a chain are named.
const NAMED: usize = 8;

/// Why no schedule can meet the deadline of step `at`; `None` if one might.
pub(crate) fn reason(
    system: &System,
    steps: &[Step],
    at: usize,
    deadline: Nanos,
) -> Option<String> {
    let (tasks, time) = chain(steps, at);
    if time <= deadline.0 {
        return None;
    }
    let names = tasks.iter().map(|task| system.tasks()[*task].name.as_str());
    let mut names: Vec<&str> = names.collect();
    if names.len() > NAMED {
        names.splice(NAMED - 2..names.len() - 1, ["…"]);
    }
    let chain = names.join(" → ");
    let time = Nanos(time);
    Some(format!(
        "{chain} takes {time} if nothing delays it, and the deadline is {deadline}: no schedule \
         can meet that"
    ))
}

/// The operations of the chain up to the end of step `at`, and the time that they take if nothing
/// delays them: from the release of the transaction, or of a step that is called two-way.
fn chain(steps: &[Step], at: usize) -> (Vec<usize>, u64) {
    let (mut tasks, mut time) = whole(steps, at);
    let mut next = at;
    while let Some(cause) = steps[next].cause.filter(|cause| cause.kind == CallKind::OneWay) {
        let (before, taken) = whole(steps, cause.caller);
        tasks.splice(0..0, before);
        time = time.saturating_add(taken).saturating_add(cause.delay);
        next = cause.caller;
    }
    (tasks, time)
}

/// A step with all that it waits for.
fn whole(steps: &[Step], at: usize) -> (Vec<usize>, u64) {
    let (mut tasks, mut time) = (Vec::new(), 0_u64);
    let mut open = vec![at];
    while let Some(next) = open.pop() {
        let step = &steps[next];
        tasks.extend(&step.members);
        let delay = step.cause.filter(|_| next != at).map_or(0, |cause| cause.delay);
        time = time.saturating_add(step.cost).saturating_add(delay.saturating_mul(2));
        open.extend(step.waits.iter().rev());
    }
    (tasks, time)
}

#[cfg(test)]
mod tests {
    use crate::{AnalysisOptions, Call, CallKind, Nanos, Strategy, System, Task, TaskSet, analyse};

    /// 4, 0.1 and 1 ms, the last one due in so many microseconds.
    fn chain(deadline: u64) -> System {
        let us = Nanos::from_micros;
        let call = |operation: &str| Call {
            operation: operation.to_owned(),
            kind: CallKind::OneWay,
            delay: us(0),
        };
        let mut first = Task::periodic("Sensor::sample", us(20_000), us(4_000));
        first.calls.push(call("Filter::add"));
        let mut second = Task::called("Filter::add", us(100));
        second.calls.push(call("Valve::set"));
        let mut last = Task::called("Valve::set", us(1_000));
        last.deadline = Some(us(deadline));
        let logger = Task::periodic("Logger::write", us(100_000), us(10_000));
        let tasks = vec![first, second, last, logger];
        System::new(TaskSet { tasks, ..TaskSet::default() }).unwrap()
    }

    #[test]
    fn a_chain_that_takes_longer_than_its_deadline_is_named() {
        for strategy in Strategy::ALL {
            let report = analyse(&chain(5_000), AnalysisOptions::of(strategy)).unwrap();
            let reason = report.operations[2].reason.as_deref().unwrap();
            let named = "Sensor::sample → Filter::add → Valve::set takes 5.1 ms";
            assert!(reason.starts_with(named), "{strategy}: {reason}");
            // The logger is less urgent: without it the chain takes as long.
            let advice = report.operations[2].advice.as_deref().unwrap();
            assert!(!advice.contains("Logger"), "{strategy}: {advice}");
        }
    }

    #[test]
    fn the_bound_of_a_chain_counts_each_step_once() {
        for strategy in [Strategy::RateMonotonic, Strategy::DeadlineMonotonic] {
            let report = analyse(&chain(5_100), AnalysisOptions::of(strategy)).unwrap();
            assert_eq!(report.operations[2].response.bound(), Some(5_100_000), "{strategy}");
        }
    }

    #[test]
    fn advice_works() {
        let us = Nanos::from_micros;
        let mut tasks = vec![
            Task::periodic("Motor::turn", us(10_000), us(4_000)),
            Task::periodic("Camera::grab", us(20_000), us(9_000)),
            Task::periodic("Plan::make", us(40_000), us(12_000)),
        ];
        let set = TaskSet { tasks: tasks.clone(), ..TaskSet::default() };
        let options = AnalysisOptions::of(Strategy::RateMonotonic);
        let report = analyse(&System::new(set).unwrap(), options).unwrap();
        let advice = report.operations[2].advice.clone().unwrap();
        assert!(advice.contains("move `Camera::grab` to another processor"), "{advice}");
        tasks[1].processor = "cpu1".to_owned();
        let set = TaskSet { tasks, ..TaskSet::default() };
        assert!(analyse(&System::new(set).unwrap(), options).unwrap().is_schedulable());
    }
}
