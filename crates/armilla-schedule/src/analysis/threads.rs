//! Several threads that execute the operations of a processor, each operation to its end, and each
//! thread with a CPU of its own.
//!
//! While a job waits, all threads are busy with others. So it begins in time if the others cannot
//! keep all threads busy from its arrival until its latest beginning. What a task executes in a
//! window at most follows from its deadlines (Bertogna, Cirinei, Lipari 2005), which therefore have
//! to be proven too: if one was missed first, all earlier ones were met. The order of jobs of one
//! level does not matter, so that the result holds for each strategy, and for jobs that take less
//! time or are cancelled. Less urgent levels only have what began before: as many jobs as threads.

use super::Outcome;
use super::fixed::Response;
use crate::budget::Budget;
use crate::priority::Priorities;
use crate::steps::Step;
use crate::strategy::Strategy;
use crate::system::System;
use std::collections::BTreeMap;

/// How many waits are tried until one is proven: the response is as exact.
const TRIES: u128 = 32;

/// The outcomes of all steps, if each processor has `threads` threads.
pub(crate) fn outcomes(
    system: &System,
    steps: &[Step],
    strategy: Strategy,
    priorities: &Priorities,
    threads: usize,
    budget: &mut Budget,
) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = steps.iter().map(|step| outcome(step, "")).collect();
    for processor in 0..system.processors.len() {
        // The most urgent level first. Deadlines are one level.
        let mut levels = BTreeMap::<u64, Vec<usize>>::new();
        for (at, step) in steps.iter().enumerate().filter(|(_, one)| one.processor == processor) {
            let level = match strategy {
                Strategy::EarliestDeadlineFirst => 0,
                Strategy::MaximumUrgencyFirst => {
                    u64::MAX - system.tasks()[step.task].criticality as u64
                }
                _ => priorities.levels[step.task] as u64,
            };
            levels.entry(level).or_default().push(at);
        }
        let levels: Vec<_> = levels.into_values().collect();
        let mut pool = Pool { steps, threads, urgent: Vec::new() };
        let mut obstacle = pool.obstacle(&levels);
        for (at, level) in levels.iter().enumerate() {
            pool.urgent.extend(level);
            let lower = levels[at + 1..].iter().flatten().map(|below| steps[*below].cost).max();
            obstacle = obstacle.or_else(|| {
                let proven = pool.prove(level, lower.unwrap_or(0), &mut outcomes, budget);
                (!proven).then(|| "what is as urgent or more is not proven".to_owned())
            });
            if let Some(reason) = &obstacle {
                let open = level.iter().filter(|at| outcomes[**at].reason.as_deref() == Some(""));
                for at in open.copied().collect::<Vec<_>>() {
                    outcomes[at] = outcome(&steps[at], reason);
                }
            }
        }
    }
    outcomes
}

/// A step of which nothing is proven.
fn outcome(step: &Step, reason: &str) -> Outcome {
    Outcome {
        response: Response::Unproven(step.cost.saturating_add(step.jitter)),
        deadline: step.deadline,
        blocking: 0,
        met: false,
        reason: Some(reason.to_owned()),
        criticality: None,
    }
}

/// The threads of a processor.
struct Pool<'s> {
    steps: &'s [Step],
    threads: usize,
    /// The steps of the levels so far.
    urgent: Vec<usize>,
}

impl Pool<'_> {
    /// Why the analysis does not apply.
    fn obstacle(&self, levels: &[Vec<usize>]) -> Option<String> {
        let any =
            |what: fn(&Step) -> bool| levels.iter().flatten().any(|at| what(&self.steps[*at]));
        let why = if any(|step| step.cause.is_some() || !step.waits.is_empty()) {
            "operations call one another"
        } else if any(|step| !step.sections.is_empty()) {
            "operations hold resources"
        } else if any(|step| step.deadline > step.period) {
            "a deadline is after the end of the period"
        } else if any(|step| step.threads > 1) {
            "an operation executes in several threads at each release"
        } else {
            return None;
        };
        Some(format!("{why}, for which there is no analysis of several threads"))
    }

    /// Proves the steps of a level. Those that it cannot prove say so. Whether it proved all.
    fn prove(
        &self,
        level: &[usize],
        lower: u64,
        outcomes: &mut [Outcome],
        budget: &mut Budget,
    ) -> bool {
        let mut found = Vec::new();
        for at in level {
            let wait = self.longest_wait(*at, lower, budget);
            if wait.is_none() {
                let reason = format!(
                    "all {} threads may be busy with others until it is too late to begin",
                    self.threads
                );
                outcomes[*at] = outcome(&self.steps[*at], &reason);
            }
            found.push(wait);
        }
        // One that is late would execute more than its deadlines say.
        let all = found.iter().all(Option::is_some);
        for (at, wait) in level.iter().zip(found).filter(|_| all) {
            let step = &self.steps[*at];
            let response = wait.unwrap_or(0) + step.jitter + step.cost;
            let blocking = wait.unwrap_or(0).min(lower);
            outcomes[*at] = Outcome {
                response: Response::AtMost(response),
                blocking,
                met: true,
                reason: None,
                ..outcome(step, "")
            };
        }
        all
    }

    /// A time from the arrival of a step after which it has begun for certain, if it ends in time
    /// then.
    fn longest_wait(&self, at: usize, lower: u64, budget: &mut Budget) -> Option<u64> {
        let step = &self.steps[at];
        let longest = step.deadline.checked_sub(step.jitter)?.checked_sub(step.cost)?;
        let others = self.urgent.len() - 1;
        if lower == 0 && others < self.threads {
            return Some(0);
        }
        let tries = (1..=TRIES).map(|part| (u128::from(longest) * part / TRIES) as u64);
        for wait in tries {
            budget.spend(others).ok()?;
            let busy: u128 = self
                .urgent
                .iter()
                .filter(|other| **other != at)
                .map(|other| u128::from(executed(&self.steps[*other], wait)))
                .sum();
            let below = u128::from(lower.min(wait)) * self.threads as u128;
            if busy + below < u128::from(wait) * self.threads as u128 {
                return Some(wait);
            }
        }
        None
    }
}

/// The longest time for which a step that meets its deadlines executes in a window.
fn executed(step: &Step, window: u64) -> u64 {
    let Step { period, deadline, cost, .. } = *step;
    // The first of its jobs ends at its deadline and begins with the window; the others come as
    // soon as they may.
    let window_of = u128::from(window) + u128::from(deadline.saturating_sub(cost));
    let (period, cost) = (u128::from(period.max(1)), u128::from(cost));
    let whole = window_of / period;
    let executed = whole * cost + cost.min(window_of % period);
    u64::try_from(executed.min(u128::from(window))).unwrap_or(window)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Nanos, Task, TaskSet};

    #[test]
    fn the_first_job_in_a_window_is_as_late_as_its_deadline_allows() {
        let task = Task::periodic("a", Nanos(10), Nanos(3));
        let system = System::new(TaskSet { tasks: vec![task], ..TaskSet::default() }).unwrap();
        let steps = crate::steps::unfold(&system, crate::steps::Inline::Processor).unwrap();
        // From 7 to 10, 10 to 13, 20 to 23, 30 to 33: seen from 7 on.
        let found: Vec<_> = [1, 3, 5, 6, 12, 13, 16, 26].map(|w| executed(&steps[0], w)).into();
        assert_eq!(found, [1, 3, 5, 6, 6, 6, 9, 12]);
    }
}
