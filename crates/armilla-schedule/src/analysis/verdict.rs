//! From what was found of steps to verdicts on operations, with reasons and advice.

use super::report::{OperationVerdict, ProcessorVerdict, Report, Verdict};
use super::{AnalysisOptions, Outcome, Response};
use crate::priority::Priorities;
use crate::steps::Step;
use crate::system::System;
use crate::task::Task;
use crate::time::Nanos;
use std::collections::BTreeMap;

/// Puts a report together.
pub(crate) fn report(
    system: &System,
    steps: &[Step],
    question: AnalysisOptions,
    priorities: Priorities,
    outcomes: Vec<Outcome>,
    processors: Vec<ProcessorVerdict>,
) -> Report {
    let fixed = !question.strategy.is_dynamic();
    let mut worst: Vec<Option<OperationVerdict>> = vec![None; system.tasks().len()];
    for (step, outcome) in steps.iter().zip(&outcomes) {
        for member in &step.members {
            let priority = fixed.then(|| priorities.native[step.task]);
            let verdict = operation(system, step, *member, priority, outcome);
            let place = &mut worst[*member];
            if place.as_ref().is_none_or(|other| is_worse(&verdict, other)) {
                *place = Some(verdict);
            }
        }
    }
    let mut notes: Vec<String> = several_threads(question).into_iter().collect();
    if fixed {
        notes.append(&mut shared_priorities(system, question, &priorities));
    }
    let operations = worst.into_iter().flatten().collect();
    let mut report =
        Report { strategy: question.strategy, operations, processors, growth: None, notes };
    note_criticalities(system, &mut report);
    report
}

fn operation(
    system: &System,
    step: &Step,
    member: usize,
    priority: Option<i32>,
    outcome: &Outcome,
) -> OperationVerdict {
    let task = &system.tasks()[member];
    let first = &system.tasks()[step.task];
    let inner = (member != step.task).then_some(task.deadline).flatten();
    let deadline = inner.map_or(outcome.deadline, |own| own.0.min(outcome.deadline));
    let in_time = outcome.response.bound().is_some_and(|time| time <= deadline) || inner.is_none();
    let verdict = match outcome.response {
        _ if outcome.met && in_time => Verdict::Schedulable,
        Response::Unproven(time) if time <= deadline => Verdict::Unproven,
        _ => Verdict::Late,
    };
    OperationVerdict {
        name: task.name.clone(),
        process: task.process.clone(),
        processor: first.processor.clone(),
        in_thread_of: (member != step.task).then(|| first.name.clone()),
        priority,
        criticality: outcome.criticality.unwrap_or(task.criticality),
        period: Nanos(step.period),
        response: outcome.response,
        deadline: Nanos(deadline),
        blocking: Nanos(outcome.blocking),
        verdict,
        reason: (verdict != Verdict::Schedulable).then(|| reason(outcome, deadline)),
        advice: None,
    }
}

fn reason(outcome: &Outcome, deadline: u64) -> String {
    let found = match outcome.response {
        Response::AtMost(time) if time > deadline => format!(
            "it may take {}, {} longer than its deadline",
            Nanos(time),
            Nanos(time - deadline)
        ),
        Response::AtMost(_) => String::new(),
        Response::Unproven(time) => format!(
            "the analysis ended without a bound on the response; it may take {} or longer",
            Nanos(time)
        ),
        Response::Unbounded => {
            "the processor has more work of this urgency or higher than time".to_owned()
        }
    };
    match &outcome.reason {
        Some(reason) if found.is_empty() => reason.clone(),
        Some(reason) => format!("{found}: {reason}"),
        None => found,
    }
}

fn is_worse(left: &OperationVerdict, right: &OperationVerdict) -> bool {
    let rank = |verdict: &OperationVerdict| match verdict.verdict {
        Verdict::Schedulable => 0,
        Verdict::Unproven => 1,
        Verdict::Late => 2,
    };
    let slack = |verdict: &OperationVerdict| verdict.slack().unwrap_or(i128::MIN);
    (rank(left), -slack(left).max(-i128::MAX)) > (rank(right), -slack(right).max(-i128::MAX))
}

/// Says what several threads are taken for.
fn several_threads(question: AnalysisOptions) -> Option<String> {
    (question.threads > 1).then(|| {
        format!(
            "each processor stands for {} threads, each with a CPU of its own; an operation that \
             has begun runs to its end",
            question.threads
        )
    })
}

/// Says which operations have to share a priority.
fn shared_priorities(
    system: &System,
    question: AnalysisOptions,
    priorities: &Priorities,
) -> Vec<String> {
    let mut sharing = BTreeMap::<(usize, i32), Vec<&str>>::new();
    for (task, native) in priorities.native.iter().enumerate() {
        let processor = system.links[task].processor;
        let name = system.tasks()[task].name.as_str();
        sharing.entry((processor, *native)).or_default().push(name);
    }
    let sharing = sharing.into_iter().filter(|(_, names)| names.len() > 1);
    sharing
        .map(|((processor, native), names)| {
            let range = question.range;
            let count = system.links.iter().filter(|links| links.processor == processor).count();
            let processor = &system.processors[processor];
            let shown = if names.len() > 8 {
                format!("{} and {} others", names[..8].join(", "), names.len() - 8)
            } else {
                names.join(", ")
            };
            format!(
                "{processor}: {shown} share the priority {native}, because {} to {} are {} \
                 priorities for {count} operations; the analysis lets them delay each other",
                range.lowest(),
                range.highest(),
                range.count(),
            )
        })
        .collect()
}

/// Says which operations are more critical than declared.
fn note_criticalities(system: &System, report: &mut Report) {
    // Each task has an operation, in the same order.
    for (operation, task) in report.operations.iter().zip(system.tasks()) {
        if task.criticality < operation.criticality && operation.in_thread_of.is_none() {
            report.notes.push(format!(
                "{}: its criticality is {} instead of {}, because a more critical operation \
                 depends on it",
                operation.name, operation.criticality, task.criticality
            ));
        }
    }
}

/// Says what to change so that late operations become schedulable.
pub(crate) fn advise(system: &System, report: &mut Report) {
    let growth = report.growth;
    let advice: Vec<Option<String>> = (report.operations.iter())
        .map(|operation| advice(system, report, operation, growth))
        .collect();
    for (operation, advice) in report.operations.iter_mut().zip(advice) {
        operation.advice = advice;
    }
}

fn advice(
    system: &System,
    report: &Report,
    operation: &OperationVerdict,
    growth: Option<u64>,
) -> Option<String> {
    if operation.verdict == Verdict::Schedulable {
        return None;
    }
    let mut ways = Vec::new();
    if let Some(factor) = growth.filter(|factor| (1..1_000).contains(factor)) {
        ways.push(format!("shorten all execution times to {}.{} %", factor / 10, factor % 10));
    }
    let response = operation.response.bound().filter(|time| *time > operation.deadline.0);
    if let Some(time) = response {
        ways.push(format!("extend its deadline to {}", Nanos(time)));
        let over = time - operation.deadline.0;
        if operation.blocking.0 >= over {
            let over = Nanos(over);
            ways.push(format!("hold resources for {over} less in what blocks it"));
        }
    }
    let largest = largest_load(system, report, operation);
    ways.push(match largest {
        Some(name) if name != operation.name => {
            format!("move `{name}`, the largest load of {}, elsewhere", operation.processor)
        }
        _ => format!("give {} less to do", operation.processor),
    });
    Some(ways.join(", or "))
}

/// The other operation that uses most of the operation's processor.
fn largest_load<'a>(
    system: &System,
    report: &'a Report,
    operation: &OperationVerdict,
) -> Option<&'a str> {
    let others = report.operations.iter().zip(system.tasks()).filter(|(other, _)| {
        other.processor == operation.processor && other.name != operation.name
    });
    let load = |(other, task): &(&OperationVerdict, &Task)| {
        let cost = u128::from(task.wcet.0) * u128::from(task.threads);
        cost * 1_000_000 / u128::from(other.period.0.max(1))
    };
    others.max_by_key(load).map(|(other, _)| other.name.as_str())
}
