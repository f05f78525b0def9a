//! The utilisation of processors, and the bounds on it.

use super::AnalysisOptions;
use super::report::{Bound, BoundResult, ProcessorVerdict};
use crate::bounds::{Utilisation, hyperbolic, liu_layland, liu_layland_bound};
use crate::steps::Step;
use crate::strategy::Strategy;
use crate::system::System;

/// The verdict on each processor.
pub(crate) fn verdicts(
    system: &System,
    steps: &[Step],
    question: AnalysisOptions,
) -> Vec<ProcessorVerdict> {
    let verdict = |(processor, name): (usize, &String)| {
        let local: Vec<&Step> = steps.iter().filter(|step| step.processor == processor).collect();
        let each: Vec<Utilisation> =
            local.iter().map(|step| Utilisation::of(step.cost, step.period)).collect();
        let utilisation = each.iter().fold(Utilisation::default(), |sum, next| sum.plus(*next));
        let bounds = bounds(system, &local, &each, utilisation, question);
        ProcessorVerdict { name: name.clone(), utilisation, bounds }
    };
    system.processors.iter().enumerate().map(verdict).collect()
}

fn bounds(
    system: &System,
    local: &[&Step],
    each: &[Utilisation],
    sum: Utilisation,
    AnalysisOptions { strategy, threads, .. }: AnalysisOptions,
) -> Vec<BoundResult> {
    let several = (threads > 1).then_some("several threads execute the operations, to their end");
    let obstacle = several.or_else(|| obstacle(local));
    let result = |bound, limit, holds: bool| BoundResult {
        bound,
        limit,
        holds: obstacle.map_or(Ok(holds), Err),
    };
    if strategy.is_dynamic() {
        let full = !sum.is_overload();
        let mut result = result(Bound::Full, Some(1_000_000), full);
        let by_level = strategy == Strategy::MaximumUrgencyFirst && !one_criticality(system, local);
        if by_level && result.holds == Ok(true) {
            result.holds = Err("it is for tasks of one criticality");
        }
        return vec![result];
    }
    vec![
        result(Bound::LiuLayland, Some(liu_layland_bound(local.len())), liu_layland(each)),
        result(Bound::Hyperbolic, None, hyperbolic(each)),
    ]
}

/// Whether all operations of the steps are equally critical, so that only laxity decides.
fn one_criticality(system: &System, local: &[&Step]) -> bool {
    let tasks = local.iter().flat_map(|step| &step.members);
    let mut levels = tasks.map(|task| system.tasks()[*task].criticality);
    let first = levels.next();
    levels.all(|level| Some(level) == first)
}

/// Why the bounds say nothing about these steps.
fn obstacle(local: &[&Step]) -> Option<&'static str> {
    let any = |what: fn(&Step) -> bool| local.iter().any(|step| what(step));
    if any(|step| step.deadline < step.period) {
        Some("a deadline is before the end of the period")
    } else if any(|step| step.cause.is_some() || !step.waits.is_empty()) {
        Some("operations call one another")
    } else if any(|step| step.jitter > 0) {
        Some("a release has jitter")
    } else if any(|step| !step.sections.is_empty() || step.non_preemptive > 0) {
        Some("operations may block one another")
    } else {
        None
    }
}
