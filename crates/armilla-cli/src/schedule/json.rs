//! The reports as JSON.

use armilla_schedule::{Bound, OperationVerdict, ProcessorVerdict, Report, Response, Verdict};
use serde_json::{Value, json};

pub(crate) fn reports(reports: &[Report]) -> Value {
    json!({ "reports": reports.iter().map(report).collect::<Vec<_>>() })
}

fn report(report: &Report) -> Value {
    json!({
        "strategy": report.strategy.abbreviation(),
        "schedulable": report.is_schedulable(),
        "growth": report.growth,
        "notes": report.notes,
        "processors": report.processors.iter().map(processor).collect::<Vec<_>>(),
        "operations": report.operations.iter().map(operation).collect::<Vec<_>>(),
    })
}

fn processor(processor: &ProcessorVerdict) -> Value {
    let bounds = processor.bounds.iter().map(|result| {
        json!({
            "bound": match result.bound {
                Bound::LiuLayland => "liu-layland",
                Bound::Hyperbolic => "hyperbolic",
                Bound::Full => "full",
            },
            "limit_ppm": result.limit,
            "holds": result.holds.ok(),
            "not_applicable": result.holds.err(),
        })
    });
    json!({
        "name": processor.name,
        "utilisation_ppm": processor.utilisation.parts_per_million(),
        "bounds": bounds.collect::<Vec<_>>(),
    })
}

fn operation(operation: &OperationVerdict) -> Value {
    let (response, bounded) = match operation.response {
        Response::AtMost(time) => (Some(time), true),
        Response::Unproven(time) => (Some(time), false),
        Response::Unbounded => (None, false),
    };
    json!({
        "name": operation.name,
        "process": operation.process,
        "processor": operation.processor,
        "in_thread_of": operation.in_thread_of,
        "priority": operation.priority,
        "criticality": operation.criticality.name(),
        "period": operation.period.0,
        "deadline": operation.deadline.0,
        "response": response,
        "response_is_bound": bounded,
        "slack": operation.slack().and_then(|slack| i64::try_from(slack).ok()),
        "blocking": operation.blocking.0,
        "verdict": match operation.verdict {
            Verdict::Schedulable => "schedulable",
            Verdict::Late => "late",
            Verdict::Unproven => "unproven",
        },
        "reason": operation.reason,
        "advice": operation.advice,
    })
}
