//! The analysis of earliest deadline first and of maximum urgency first.
//!
//! Among steps of one criticality, least laxity meets all deadlines that can be met (Dertouzos, Mok
//! 1989), so that a level without blocking passes if earliest deadline first would. Less critical
//! levels have what the higher ones leave.

use super::deadlines::{Timed, timed};
use super::demand::{Blocking, Fit, Level, by_criticality};
use super::fixed::Response;
use super::{Outcome, dynamic};
use crate::bounds::Utilisation;
use crate::budget::{Budget, Exhausted};
use crate::steps::Step;
use crate::system::System;
use crate::time::Nanos;

/// The outcomes of all steps. `muf`: maximum urgency first, otherwise earliest deadline first.
pub(crate) fn outcomes(
    system: &System,
    steps: &[Step],
    muf: bool,
    budget: &mut Budget,
) -> Vec<Outcome> {
    let Ok(timed) = timed(system, steps, muf) else {
        let reason = "the execution times and delays of its chain exceed 584 years";
        return steps.iter().map(|step| unproven(step, reason)).collect();
    };
    let mut outcomes: Vec<Option<Outcome>> = vec![None; steps.len()];
    for processor in 0..system.processors.len() {
        let local: Vec<usize> =
            (0..steps.len()).filter(|at| steps[*at].processor == processor).collect();
        let found = budget.share(system.processors.len() - processor, |share| {
            processor_outcomes(system, steps, &timed, &local, muf, share)
        });
        for (at, outcome) in found {
            outcomes[at] = Some(outcome);
        }
    }
    let missing = "its processor was not analysed";
    let mut outcomes: Vec<Outcome> = outcomes
        .into_iter()
        .zip(steps)
        .map(|(outcome, step)| outcome.unwrap_or_else(|| unproven(step, missing)))
        .collect();
    follow_causes(system, steps, &mut outcomes);
    outcomes
}

fn unproven(step: &Step, reason: &str) -> Outcome {
    Outcome {
        response: Response::Unproven(step.cost),
        deadline: step.deadline,
        blocking: 0,
        met: false,
        reason: Some(reason.to_owned()),
        criticality: None,
    }
}

/// A step that others release meets its deadline only if these do, on whatever processor, because
/// its release is derived from their deadlines; and the other way round for replies.
fn follow_causes(system: &System, steps: &[Step], outcomes: &mut [Outcome]) {
    let name = |at: usize| &system.tasks()[steps[at].task].name;
    for at in (0..steps.len()).rev() {
        let late = steps[at].waits.iter().find(|child| !outcomes[**child].met);
        if let Some(child) = late.filter(|_| outcomes[at].met) {
            let reason = format!("it waits for {}, which is late", name(*child));
            (outcomes[at].met, outcomes[at].reason) = (false, Some(reason));
        }
    }
    for at in 0..steps.len() {
        let Some(cause) = steps[at].cause.filter(|cause| !outcomes[cause.caller].met) else {
            continue;
        };
        if outcomes[at].met {
            let reason = format!("{}, which releases it, is late", name(cause.caller));
            (outcomes[at].met, outcomes[at].reason) = (false, Some(reason));
        }
    }
}

fn processor_outcomes(
    system: &System,
    steps: &[Step],
    timed: &[Timed],
    local: &[usize],
    muf: bool,
    budget: &mut Budget,
) -> Vec<(usize, Outcome)> {
    let levels = if muf { by_criticality(local, timed) } else { vec![local.to_vec()] };
    let mut found = Vec::new();
    for (number, own) in levels.iter().enumerate() {
        let pairs = |at: &usize| (&steps[*at], &timed[*at]);
        let above: Vec<_> = levels[..number].iter().flatten().map(pairs).collect();
        let below = levels[number + 1..].iter().flatten().map(|at| &steps[*at]).collect();
        let pairs: Vec<_> = own.iter().map(pairs).collect();
        let level = level(system, &pairs, &above, below, muf);
        found.extend(own.iter().copied().zip(level_outcomes(&level, muf, budget)));
    }
    found
}

fn level<'a>(
    system: &System,
    own: &[(&'a Step, &'a Timed)],
    above: &[(&'a Step, &'a Timed)],
    below: Vec<&'a Step>,
    muf: bool,
) -> Level<'a> {
    let holds = |step: &Step| !step.sections.is_empty() || step.non_preemptive > 0;
    let suspends = own.iter().any(|(_, timed)| timed.suspends);
    let blocks = own.iter().any(|(step, _)| holds(step)) || below.iter().any(|step| holds(step));
    Level {
        own: own.iter().map(|(_, timed)| *timed).collect(),
        above: above.iter().map(|(_, timed)| *timed).collect(),
        blocking: Blocking {
            own: own.to_vec(),
            above: above.iter().map(|(step, _)| *step).collect(),
            below,
            resources: system.resources.len(),
            protocol: system.protocol(),
            always: muf,
        },
        early: muf && (suspends || blocks),
    }
}

fn level_outcomes(level: &Level<'_>, muf: bool, budget: &mut Budget) -> Vec<Outcome> {
    let all = level.own.iter().chain(&level.above);
    let utilisation = all.fold(Utilisation::default(), |sum, timed| {
        sum.plus(Utilisation::of(timed.cost, timed.period))
    });
    let overload = utilisation.is_overload();
    let fit = if overload { Fit::Unproven } else { budget.share(2, |share| level.fits(share)) };
    let mut outcomes = Vec::with_capacity(level.own.len());
    for (at, timed) in level.own.iter().enumerate() {
        let deadline = timed.first.saturating_add(timed.jitter);
        let (blocking, found) = budget.share(level.own.len() - at, |share| {
            let blocking = level.blocking.within(timed.first, share).unwrap_or(0);
            let found = if overload { Ok(None) } else { response(level, at, muf, share).map(Some) };
            (blocking, found)
        });
        let response = match found {
            Ok(None) => Response::Unbounded,
            Ok(Some(time)) if fit == Fit::Fits => Response::AtMost(time.min(deadline)),
            Ok(Some(time)) => Response::AtMost(time),
            Err(Exhausted) if fit == Fit::Fits => Response::AtMost(deadline),
            Err(Exhausted) => Response::Unproven(timed.cost),
        };
        let met = timed.cost <= timed.first
            && (fit == Fit::Fits || response.bound().is_some_and(|time| time <= deadline));
        outcomes.push(Outcome {
            // From the release of an operation that is called two-way.
            response: if timed.from_release { minus(response, timed.jitter) } else { response },
            deadline: if timed.from_release { timed.first } else { deadline },
            blocking,
            met,
            reason: (!met).then(|| reason(timed, fit)).flatten(),
            criticality: muf.then_some(timed.criticality),
        });
    }
    outcomes
}

fn minus(response: Response, time: u64) -> Response {
    match response {
        Response::AtMost(bound) => Response::AtMost(bound.saturating_sub(time)),
        other => other,
    }
}

fn response(
    level: &Level<'_>,
    at: usize,
    muf: bool,
    budget: &mut Budget,
) -> Result<u64, Exhausted> {
    if !muf {
        let busy = level.busy_period(budget)?;
        return dynamic::earliest_deadline(level, at, busy, budget);
    }
    let blocking = level.blocking.within(0, budget)?;
    dynamic::any_order(level, at, blocking, budget)
}

fn reason(timed: &Timed, fit: Fit) -> Option<String> {
    if timed.cost > timed.first {
        return Some(format!(
            "it may be released {} after the chain began; then only {} are left of its deadline \
             for {} of work",
            Nanos(timed.jitter),
            Nanos(timed.first),
            Nanos(timed.cost)
        ));
    }
    match fit {
        Fit::Overflow { window, demand } => Some(format!(
            "within {} the processor has to do {} of work",
            Nanos(window),
            Nanos(demand)
        )),
        Fit::Fits | Fit::Unproven => None,
    }
}
