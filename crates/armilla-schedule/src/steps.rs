//! The system unfolded into steps: what a processor schedules.
//!
//! Each periodic task begins a transaction (Tindell, Clark 1994). An operation that is called
//! becomes a step of its own for each chain of calls that leads to it, because each chain has its
//! own rate. A call that runs in the thread of the caller is part of the caller's step.

use crate::fault::{Faults, InvalidTasks};
use crate::system::{ResolvedCall, System};
use crate::task::CallKind;

/// The largest number of steps of a system: chains of calls can multiply without end.
pub(crate) const MOST_STEPS: usize = 10_000;

/// One execution of an operation within a transaction, with all that runs in its thread.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The operation that it begins with.
    pub(crate) task: usize,
    /// The operations that run in its thread, its own first.
    pub(crate) members: Vec<usize>,
    pub(crate) processor: usize,
    /// The period of the transaction.
    pub(crate) period: u64,
    /// The release jitter of the task that begins the transaction.
    pub(crate) jitter: u64,
    /// The execution time, with all members and threads.
    pub(crate) cost: u64,
    /// Critical sections of all members: resource, length.
    pub(crate) sections: Vec<(usize, u64)>,
    /// How many threads may hold a section at the same time.
    pub(crate) threads: u64,
    pub(crate) non_preemptive: u64,
    /// What releases it, unless it begins the transaction.
    pub(crate) cause: Option<Cause>,
    /// The steps that it waits for.
    pub(crate) waits: Vec<usize>,
    /// The first step of the chain of two-way calls that it belongs to.
    pub(crate) group: usize,
    /// The deadline, from the nominal release of the transaction; of a step that is called
    /// two-way, from its own release.
    pub(crate) deadline: u64,
    /// Whether the deadline was given, not derived.
    pub(crate) given: bool,
}

/// The call that releases a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cause {
    pub(crate) caller: usize,
    pub(crate) kind: CallKind,
    pub(crate) delay: u64,
}

/// Which two-way calls run in the thread of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inline {
    /// Those within a process.
    Process,
    /// Those within a processor: the operation runs at the caller's urgency.
    Processor,
}

/// Unfolds the system. A caller stands before those that it calls.
pub(crate) fn unfold(system: &System, inline: Inline) -> Result<Vec<Step>, InvalidTasks> {
    let mut unfolding = Unfolding { system, inline, steps: Vec::new(), faults: Faults::default() };
    for (task, declared) in system.tasks().iter().enumerate() {
        if let Some(period) = declared.period {
            let root = Root { period: period.0, jitter: declared.jitter.0 };
            unfolding.transaction(task, root);
        }
        if !unfolding.faults.is_empty() {
            break;
        }
    }
    unfolding.faults.none(unfolding.steps)
}

#[derive(Clone, Copy)]
struct Root {
    period: u64,
    jitter: u64,
}

struct Unfolding<'a> {
    system: &'a System,
    inline: Inline,
    steps: Vec<Step>,
    faults: Faults,
}

impl Unfolding<'_> {
    fn transaction(&mut self, task: usize, root: Root) {
        let mut waiting = vec![(task, None::<Cause>)];
        while let Some((task, cause)) = waiting.pop() {
            if self.steps.len() >= MOST_STEPS {
                let problem = format!("the chains of calls have more than {MOST_STEPS} steps");
                let name = &self.system.tasks()[task].name;
                return self.faults.add(name, problem, "call fewer operations from each other");
            }
            let at = self.steps.len();
            let Some((step, calls)) = self.step(task, cause, root, at) else { return };
            if let Some(cause) = cause.filter(|cause| cause.kind == CallKind::TwoWay) {
                self.steps[cause.caller].waits.push(at);
            }
            self.steps.push(step);
            for call in calls.into_iter().rev() {
                let cause = Cause { caller: at, kind: call.kind, delay: call.delay };
                waiting.push((call.callee, Some(cause)));
            }
        }
    }

    /// The step that begins with `task`, and the calls that make other steps.
    fn step(
        &mut self,
        task: usize,
        cause: Option<Cause>,
        root: Root,
        at: usize,
    ) -> Option<(Step, Vec<ResolvedCall>)> {
        let first = &self.system.tasks()[task];
        let two_way = cause.filter(|cause| cause.kind == CallKind::TwoWay);
        let derived = match (two_way, first.period.filter(|_| cause.is_none())) {
            (Some(cause), _) => self.steps[cause.caller].deadline,
            (None, period) => period.map_or(root.period, |period| period.0),
        };
        let mut step = Step {
            task,
            members: Vec::new(),
            processor: self.system.links[task].processor,
            period: root.period,
            jitter: root.jitter,
            cost: 0,
            sections: Vec::new(),
            threads: 1,
            non_preemptive: 0,
            cause,
            waits: Vec::new(),
            group: two_way.map_or(at, |cause| self.steps[cause.caller].group),
            deadline: first.deadline.map_or(derived, |deadline| deadline.0),
            given: first.deadline.is_some(),
        };
        let calls = self.members(&mut step, task)?;
        Some((step, calls))
    }

    /// Adds everything that runs in the thread of the step.
    fn members(&mut self, step: &mut Step, first: usize) -> Option<Vec<ResolvedCall>> {
        let mut outer = Vec::new();
        let mut waiting = vec![first];
        while let Some(member) = waiting.pop() {
            let (task, links) = (&self.system.tasks()[member], &self.system.links[member]);
            let cost = task.wcet.0.checked_mul(u64::from(task.threads));
            let cost = cost.and_then(|cost| step.cost.checked_add(cost));
            let Some(cost) = cost.filter(|_| step.members.len() < MOST_STEPS) else {
                let remedy = "correct the execution times and the number of threads";
                self.faults.add(&task.name, "the execution time exceeds 584 years", remedy);
                return None;
            };
            step.cost = cost;
            step.members.push(member);
            step.sections.extend(&links.sections);
            step.threads = step.threads.max(u64::from(task.threads));
            step.non_preemptive = step.non_preemptive.max(task.non_preemptive.0);
            for call in &links.calls {
                if self.runs_in_thread(member, call) {
                    waiting.push(call.callee);
                } else {
                    outer.push(*call);
                }
            }
        }
        Some(outer)
    }

    fn runs_in_thread(&self, caller: usize, call: &ResolvedCall) -> bool {
        let (from, to) = (&self.system.tasks()[caller], &self.system.tasks()[call.callee]);
        let links = &self.system.links;
        call.kind == CallKind::TwoWay
            && links[caller].processor == links[call.callee].processor
            && (from.process == to.process || self.inline == Inline::Processor)
    }
}
