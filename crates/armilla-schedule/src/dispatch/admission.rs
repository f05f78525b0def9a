//! Which further tasks may join those that run.

use crate::analysis::{AnalysisOptions, Report, Verdict, analyse};
use crate::strategy::Strategy;
use crate::system::System;
use crate::task::Task;
use std::fmt;

/// The tasks that run, and whether another one may join them.
#[derive(Debug, Clone)]
pub struct Admission {
    system: System,
    question: AnalysisOptions,
}

/// Why a task is not admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The task.
    pub task: String,
    /// The operations that could miss their deadlines, each with the reason; or what is wrong with
    /// the task.
    pub reasons: Vec<(String, String)>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not admitted", self.task)?;
        for (at, (operation, reason)) in self.reasons.iter().enumerate() {
            write!(f, "{} {operation}: {reason}", if at == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

impl Admission {
    /// Admission to a system that runs under a strategy. The system itself need not be
    /// schedulable: under overload, what is late already refuses nothing, unless it is critical.
    pub fn new(system: System, strategy: Strategy) -> Self {
        Self {
            system,
            question: AnalysisOptions { sensitivity: false, ..AnalysisOptions::of(strategy) },
        }
    }

    /// The same, with this many threads on each processor, which execute operations to their end
    /// ([`AnalysisOptions::threads`]).
    #[must_use]
    pub const fn threads(mut self, threads: usize) -> Self {
        self.question.threads = threads;
        self
    }

    /// The tasks that run.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Admits a task if its deadline is met, and all those that were met before. The refusal says
    /// which would not be. Returns the verdicts on all tasks.
    ///
    /// It analyses the whole system, which takes milliseconds for dozens of tasks and at most about
    /// a second: call it from a thread that has no deadline.
    pub fn admit(&mut self, task: Task) -> Result<Report, Refusal> {
        let name = task.name.clone();
        let refuse = |reasons| Err(Refusal { task: name.clone(), reasons });
        let mut set = self.system.task_set().clone();
        set.tasks.push(task);
        let found = System::new(set)
            .and_then(|system| analyse(&system, self.question).map(|report| (system, report)));
        let (system, report) = match found {
            Ok(found) => found,
            Err(invalid) => {
                let faults = invalid.faults.into_iter();
                let reasons = faults
                    .map(|fault| (fault.subject, format!("{}; {}", fault.problem, fault.remedy)));
                return refuse(reasons.collect());
            }
        };
        let before = self.late();
        let late = report.operations.iter().filter(|one| {
            one.verdict != Verdict::Schedulable
                && (one.criticality.is_critical() || !before.contains(&one.name))
        });
        let reasons: Vec<(String, String)> =
            late.map(|one| (one.name.clone(), one.reason.clone().unwrap_or_default())).collect();
        if !reasons.is_empty() {
            return refuse(reasons);
        }
        self.system = system;
        Ok(report)
    }

    /// The operations that may be late as it is.
    fn late(&self) -> Vec<String> {
        let Ok(report) = analyse(&self.system, self.question) else { return Vec::new() };
        let late = report.operations.into_iter();
        late.filter(|one| one.verdict != Verdict::Schedulable).map(|one| one.name).collect()
    }

    /// Removes a task that no longer runs. Whether there was one of that name; one that others call
    /// stays, and so does the last one.
    pub fn leave(&mut self, name: &str) -> bool {
        let mut set = self.system.task_set().clone();
        let before = set.tasks.len();
        set.tasks.retain(|task| task.name != name);
        match System::new(set) {
            Ok(system) if system.tasks().len() < before => {
                self.system = system;
                true
            }
            _ => false,
        }
    }
}
