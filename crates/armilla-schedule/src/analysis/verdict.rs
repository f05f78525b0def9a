//! From what was found of steps to verdicts on operations, with reasons.

use super::impossible;
use super::report::{OperationVerdict, ProcessorVerdict, Report, Verdict};
use super::{AnalysisOptions, Outcome, Response};
use crate::priority::Priorities;
use crate::steps::Step;
use crate::system::System;
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
    for (at, (step, outcome)) in steps.iter().zip(&outcomes).enumerate() {
        for member in &step.members {
            let priority = fixed.then(|| priorities.native[step.task]);
            let mut verdict = operation(system, step, *member, priority, outcome);
            if verdict.verdict != Verdict::Schedulable && question.threads == 1 {
                let never = impossible::reason(system, steps, at, verdict.deadline);
                verdict.reason = never.or(verdict.reason);
            }
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
