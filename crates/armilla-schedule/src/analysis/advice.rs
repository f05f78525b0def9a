//! What to change so that late operations become schedulable. Each change was tried.

use super::report::{OperationVerdict, Report, Verdict};
use super::{AnalysisOptions, analyse_once};
use crate::system::System;
use crate::task::{Task, TaskSet};
use crate::time::Nanos;
use std::cmp::Reverse;

/// How many changes are tried for one report, each by an analysis.
const TRIES: usize = 60;

/// How many operations are tried elsewhere for one that is late.
const MOVES: usize = 6;

/// The processor to which an operation is moved. No task names it.
const ELSEWHERE: &str = "\u{0}elsewhere";

/// Adds advice to the operations that are not schedulable.
pub(crate) fn advise(system: &System, question: AnalysisOptions, report: &mut Report) {
    let mut trial = Trial { system, question, left: TRIES };
    let advice: Vec<Option<String>> =
        report.operations.iter().map(|one| trial.advice(report, one)).collect();
    for (operation, advice) in report.operations.iter_mut().zip(advice) {
        operation.advice = advice;
    }
}

struct Trial<'a> {
    system: &'a System,
    question: AnalysisOptions,
    /// How many analyses may still be made.
    left: usize,
}

impl Trial<'_> {
    fn advice(&mut self, report: &Report, late: &OperationVerdict) -> Option<String> {
        if late.verdict == Verdict::Schedulable {
            return None;
        }
        let mut ways = Vec::new();
        // The growth was found by trying.
        if let Some(factor) = report.growth.filter(|factor| (1..1_000).contains(factor)) {
            ways.push(format!("shorten all execution times to {}.{} %", factor / 10, factor % 10));
        }
        ways.extend(self.longer_deadline(late));
        ways.extend(self.shorter_sections(late));
        ways.extend(self.elsewhere(report, late));
        if ways.is_empty() {
            let processor = &late.processor;
            return Some(format!(
                "give {processor} less to do: no change was found of one deadline, of the \
                 resources that are held, or of one operation's processor that is enough"
            ));
        }
        Some(ways.join(", or "))
    }

    /// A deadline that the operation meets.
    fn longer_deadline(&mut self, late: &OperationVerdict) -> Option<String> {
        let time = late.response.bound().filter(|time| *time > late.deadline.0)?;
        let helps = self.helps(late, |set| {
            let task = set.tasks.iter_mut().find(|task| task.name == late.name)?;
            task.deadline = Some(Nanos(time));
            Some(())
        });
        helps.then(|| format!("extend its deadline to {}", Nanos(time)))
    }

    /// Less time for which others hold resources or cannot be preempted.
    fn shorter_sections(&mut self, late: &OperationVerdict) -> Option<String> {
        let time = late.response.bound().filter(|time| *time > late.deadline.0)?;
        let over = time - late.deadline.0;
        if late.blocking.0 < over {
            return None;
        }
        let helps = self.helps(late, |set| {
            for task in set.tasks.iter_mut().filter(|task| task.processor == late.processor) {
                for section in &mut task.sections {
                    section.length = Nanos(section.length.0.saturating_sub(over).max(1));
                }
                task.non_preemptive.0 = task.non_preemptive.0.saturating_sub(over);
            }
            Some(())
        });
        helps.then(|| format!("hold resources for {} less in what blocks it", Nanos(over)))
    }

    /// The operation with the largest load whose move to another processor helps.
    fn elsewhere(&mut self, report: &Report, late: &OperationVerdict) -> Option<String> {
        let tasks = self.system.tasks();
        let load = |(other, task): &(&OperationVerdict, &Task)| {
            let cost = u128::from(task.wcet.0) * u128::from(task.threads);
            cost * 1_000_000 / u128::from(other.period.0.max(1))
        };
        let others = report.operations.iter().zip(tasks);
        let mut others: Vec<_> = others
            .filter(|(other, _)| other.processor == late.processor && other.name != late.name)
            .collect();
        others.sort_by_key(|other| Reverse(load(other)));
        let moved = others.into_iter().take(MOVES).find(|(other, _)| {
            self.helps(late, |set| {
                let task = set.tasks.iter_mut().find(|task| task.name == other.name)?;
                task.processor = ELSEWHERE.to_owned();
                Some(())
            })
        });
        moved.map(|(other, _)| format!("move `{}` to another processor", other.name))
    }

    /// Whether the operation is in time after the change.
    fn helps(
        &mut self,
        late: &OperationVerdict,
        change: impl FnOnce(&mut TaskSet) -> Option<()>,
    ) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let mut set = self.system.task_set().clone();
        if change(&mut set).is_none() {
            return false;
        }
        // What contradicts itself after the change is no advice.
        let Ok(system) = System::new(set) else { return false };
        let Ok(report) = analyse_once(&system, self.question) else { return false };
        let found = report.operations.iter().find(|one| one.name == late.name);
        found.is_some_and(|one| one.verdict == Verdict::Schedulable)
    }
}
