//! The operations that a scheduler knows: their timing, and what became of their requests.

use crate::measure::scopes;
use armilla_schedule::dispatch::Job;
use armilla_schedule::{Criticality, Importance, Nanos, Report, System};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What became of the requests for an operation, or of what a program has
/// [executed](super::Scheduler::execute) as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationStatistics {
    /// Its scoped name; `unlisted` for all operations that are not in the tables.
    pub operation: String,
    /// Whether late requests are executed all the same.
    pub is_critical: bool,
    /// Requests that arrived.
    pub arrived: u64,
    /// Requests that were executed.
    pub executed: u64,
    /// Those of them that ended after their deadline.
    pub missed: u64,
    /// Requests that were cancelled, because they could no longer end in time (`TIMEOUT`).
    pub cancelled: u64,
    /// Requests that found no room among more urgent ones (`TRANSIENT`).
    pub refused: u64,
}

/// The counts behind the statistics of an operation.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) arrived: AtomicU64,
    pub(super) executed: AtomicU64,
    pub(super) missed: AtomicU64,
    pub(super) cancelled: AtomicU64,
    pub(super) refused: AtomicU64,
}

/// Adds one.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// An operation with its timing.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(super) name: String,
    /// From the arrival of a request; `None` for what nobody has said a deadline of.
    deadline: Option<Nanos>,
    pub(super) wcet: Nanos,
    priority: i32,
    criticality: Criticality,
    importance: Importance,
    pub(super) counts: Arc<Counts>,
}

impl Operation {
    /// What is not in the tables runs when nothing else wants to.
    fn unlisted(counts: Arc<Counts>) -> Self {
        Self {
            name: UNLISTED.to_owned(),
            deadline: None,
            wcet: Nanos::ZERO,
            priority: i32::MIN,
            criticality: Criticality::VeryLow,
            importance: Importance::VeryLow,
            counts,
        }
    }

    /// A request that arrived at `now`.
    pub(super) fn job<W>(&self, work: W, now: Nanos) -> Job<W> {
        let deadline = self.deadline.map_or(u64::MAX, |deadline| now.0.saturating_add(deadline.0));
        Job {
            work,
            priority: self.priority,
            deadline: Nanos(deadline),
            wcet: self.wcet,
            criticality: self.criticality,
            importance: self.importance,
        }
    }

    fn statistics(&self) -> OperationStatistics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counts { arrived, executed, missed, cancelled, refused } = &*self.counts;
        OperationStatistics {
            operation: self.name.clone(),
            is_critical: self.criticality.is_critical(),
            arrived: read(arrived),
            executed: read(executed),
            missed: read(missed),
            cancelled: read(cancelled),
            refused: read(refused),
        }
    }
}

/// How statistics call what is not in the tables.
const UNLISTED: &str = "unlisted";

/// All operations of a scheduler.
#[derive(Debug)]
pub(super) struct Operations {
    all: Vec<Arc<Operation>>,
    /// By the name without scopes, as a request has it.
    by_name: HashMap<String, Vec<Arc<Operation>>>,
    unlisted: Arc<Operation>,
}

impl Operations {
    /// The operations of an analysed system. What `before` has counted goes on.
    pub(super) fn new(system: &System, report: &Report, before: Option<&Self>) -> Self {
        let counts = |name: &str| {
            let same = before?.all.iter().find(|operation| operation.name == name)?;
            Some(same.counts.clone())
        };
        let operations = system.tasks().iter().zip(&report.operations).map(|(task, verdict)| {
            Arc::new(Operation {
                name: task.name.clone(),
                deadline: Some(verdict.deadline),
                wcet: task.wcet,
                priority: verdict.priority.unwrap_or_default(),
                criticality: verdict.criticality,
                importance: task.importance,
                counts: counts(&task.name).unwrap_or_default(),
            })
        });
        let all: Vec<_> = operations.collect();
        let mut by_name = HashMap::<String, Vec<_>>::new();
        for operation in &all {
            let (_, name) = split(&operation.name);
            by_name.entry(name.to_owned()).or_default().push(operation.clone());
        }
        let unlisted = before.map(|before| before.unlisted.counts.clone()).unwrap_or_default();
        Self { all, by_name, unlisted: Arc::new(Operation::unlisted(unlisted)) }
    }

    /// The operation of a request for an object of the interfaces with these repository ids.
    pub(super) fn of_request<'i>(
        &self,
        name: &str,
        interfaces: impl Iterator<Item = &'i str> + Clone,
    ) -> Arc<Operation> {
        let same = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let found = same.iter().find(|operation| {
            let (interface, _) = split(&operation.name);
            interfaces.clone().any(|id| interface.split("::").eq(scopes(id)))
        });
        found.unwrap_or(&self.unlisted).clone()
    }

    /// The operation with this scoped name.
    pub(super) fn named(&self, name: &str) -> Arc<Operation> {
        let found = self.all.iter().find(|operation| operation.name == name);
        found.unwrap_or(&self.unlisted).clone()
    }

    pub(super) fn statistics(&self) -> Vec<OperationStatistics> {
        let all = self.all.iter().chain([&self.unlisted]);
        all.map(|operation| operation.statistics()).collect()
    }
}

/// The interface and the name of an operation.
fn split(scoped: &str) -> (&str, &str) {
    scoped.rsplit_once("::").unwrap_or(("", scoped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_schedule::{AnalysisOptions, Strategy, Task, TaskSet, analyse};

    fn operations(names: &[&str]) -> Operations {
        let task = |name: &&str| Task::periodic(*name, Nanos::from_millis(10), Nanos(1_000));
        let tasks = names.iter().map(task).collect();
        let system = System::new(TaskSet { tasks, ..TaskSet::default() }).unwrap();
        let report = analyse(&system, AnalysisOptions::of(Strategy::RateMonotonic)).unwrap();
        Operations::new(&system, &report, None)
    }

    #[test]
    fn a_request_is_found_by_the_interfaces_of_its_object() {
        let known = operations(&["Nav::Filter::update", "Hud::update", "Nav::Base::reset"]);
        let find =
            |name, ids: &[&'static str]| known.of_request(name, ids.iter().copied()).name.clone();
        assert_eq!(find("update", &["IDL:Nav/Filter:1.0"]), "Nav::Filter::update");
        assert_eq!(find("update", &["IDL:vendor.org/Hud:2.1"]), "Hud::update");
        assert_eq!(find("update", &["IDL:Other/Hud:1.0"]), "unlisted");
        let derived = ["IDL:Nav/Derived:1.0", "IDL:Nav/Base:1.0"];
        assert_eq!(find("reset", &derived), "Nav::Base::reset", "inherited");
        assert_eq!(find("reset", &derived[..1]), "unlisted");
        assert_eq!(find("_is_a", &["IDL:Nav/Filter:1.0"]), "unlisted");
    }

    #[test]
    fn what_is_not_in_the_tables_is_never_late() {
        let known = operations(&["A::f"]);
        let now = Nanos::from_millis(5);
        assert!(!known.named("B::g").job((), now).is_late(Nanos(u64::MAX)));
        let listed = known.named("A::f").job((), now);
        assert_eq!(listed.deadline, Nanos::from_millis(15));
        assert!(listed.is_late(Nanos::from_millis(15)));
    }
}
