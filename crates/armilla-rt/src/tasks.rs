//! From the timing that generated code carries (`RT_INFO`) to the tasks of the run-time scheduler.

use crate::error::{RtError, RtErrorKind};
use armilla::{RtInfo, RtLevel};
use armilla_schedule::{Call, CallKind, Criticality, Importance, Nanos, Section, Task, TaskSet};
use std::time::Duration;

/// The operations of a process, as tasks to be analysed: what `armilla schedule` reads from IDL, a
/// running program has in its generated code.
///
/// ```
/// use armilla::{RtInfo, RtLevel};
/// use armilla_rt::tasks_of;
/// use std::time::Duration;
///
/// // In a program this is the constant RT_INFO of an interface.
/// const RT_INFO: &[RtInfo] = &[RtInfo {
///     operation: "Sensor::sample",
///     oneway: false,
///     period: Some(Duration::from_millis(10)),
///     deadline: None,
///     wcet: Some(Duration::from_micros(300)),
///     jitter: Duration::ZERO,
///     criticality: RtLevel::High,
///     importance: RtLevel::Medium,
///     threads: 1,
///     calls: &[],
///     holds: &[],
/// }];
/// let tasks = tasks_of([("sensors", RT_INFO)])?;
/// assert_eq!(tasks.tasks[0].process, "sensors");
/// # Ok::<(), armilla_rt::RtError>(())
/// ```
///
/// # Errors
/// If an operation has no worst-case execution time, or a time is beyond 584 years.
pub fn tasks_of<'i>(
    processes: impl IntoIterator<Item = (&'i str, &'i [RtInfo])>,
) -> Result<TaskSet, RtError> {
    let processes: Vec<_> = processes.into_iter().collect();
    let operations = || processes.iter().flat_map(|(_, infos)| infos.iter());
    let is_oneway =
        |name: &str| operations().find(|info| info.operation == name).is_some_and(|it| it.oneway);
    let tasks = processes
        .iter()
        .flat_map(|(process, infos)| infos.iter().map(|info| task(process, info, &is_oneway)));
    Ok(TaskSet { tasks: tasks.collect::<Result<_, _>>()?, ..TaskSet::default() })
}

fn task(process: &str, info: &RtInfo, is_oneway: &dyn Fn(&str) -> bool) -> Result<Task, RtError> {
    let nanos = |policy, time| nanos(info.operation, policy, time);
    let Some(wcet) = info.wcet else {
        return Err(RtError::new(
            RtErrorKind::Value,
            format_args!("operation {}", info.operation),
            "wcet",
            "none",
            "an analysis needs the worst-case execution time",
            "annotate it with @wcet, or measure it with `armilla rt measure`",
        ));
    };
    let mut task = Task::called(info.operation, nanos("wcet", wcet)?);
    task.process = process.to_owned();
    task.period = info.period.map(|time| nanos("period", time)).transpose()?;
    task.deadline = info.deadline.map(|time| nanos("deadline", time)).transpose()?;
    task.jitter = nanos("jitter", info.jitter)?;
    task.criticality = criticality(info.criticality);
    task.importance = importance(info.importance);
    task.threads = info.threads;
    for section in info.holds {
        let length = nanos("holds", section.length)?;
        task.sections.push(Section { resource: section.resource.to_owned(), length });
    }
    for call in info.calls {
        let kind = if is_oneway(call.operation) { CallKind::OneWay } else { CallKind::TwoWay };
        let delay = nanos("calls", call.delay)?;
        task.calls.push(Call { operation: call.operation.to_owned(), kind, delay });
    }
    Ok(task)
}

fn nanos(operation: &str, policy: &'static str, time: Duration) -> Result<Nanos, RtError> {
    u64::try_from(time.as_nanos()).map(Nanos).map_err(|_| {
        RtError::new(
            RtErrorKind::Value,
            format_args!("operation {operation}"),
            policy,
            format_args!("{time:?}"),
            "times end at 584 years",
            "choose a shorter time",
        )
    })
}

const fn criticality(level: RtLevel) -> Criticality {
    match level {
        RtLevel::VeryLow => Criticality::VeryLow,
        RtLevel::Low => Criticality::Low,
        RtLevel::Medium => Criticality::Medium,
        RtLevel::High => Criticality::High,
        RtLevel::VeryHigh => Criticality::VeryHigh,
    }
}

const fn importance(level: RtLevel) -> Importance {
    match level {
        RtLevel::VeryLow => Importance::VeryLow,
        RtLevel::Low => Importance::Low,
        RtLevel::Medium => Importance::Medium,
        RtLevel::High => Importance::High,
        RtLevel::VeryHigh => Importance::VeryHigh,
    }
}
