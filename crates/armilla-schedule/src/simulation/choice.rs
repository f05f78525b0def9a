//! Which job a processor executes.

use super::run::{Job, Run, Stage};
use crate::strategy::Strategy;
use crate::task::Protocol;
use std::cmp::Reverse;

/// How urgent a job is: less is more urgent.
pub(crate) type Urgency = (i128, i128, i128);

impl Run<'_> {
    /// How urgent a job is by itself.
    pub(crate) fn urgency(&self, job: &Job) -> Urgency {
        let task = &self.system.tasks()[job.task];
        let scenario = self.scenario;
        match scenario.strategy {
            Strategy::RateMonotonic | Strategy::DeadlineMonotonic => {
                (-i128::from(scenario.priorities[job.task]), 0, 0)
            }
            Strategy::EarliestDeadlineFirst => (i128::from(job.deadline), 0, 0),
            Strategy::MaximumUrgencyFirst => {
                let level = -(scenario.criticalities[job.task] as i128);
                (level, self.laxity(job), -(task.importance as i128))
            }
        }
    }

    /// How long the job may wait without missing its deadline.
    pub(crate) fn laxity(&self, job: &Job) -> i128 {
        i128::from(job.deadline) - i128::from(self.now) - i128::from(job.remaining)
    }

    /// The jobs that each processor executes now.
    pub(crate) fn choose(&self, processor: usize) -> Option<usize> {
        let local = |at: &usize| self.jobs[*at].processor == processor;
        let active: Vec<usize> = self.active.iter().copied().filter(local).collect();
        let held = |at: &&usize| self.jobs[**at].non_preemptive;
        if let Some(at) = active.iter().find(held) {
            return Some(*at);
        }
        let mut urgencies: Vec<Urgency> = active.iter().map(|at| self.raised(*at)).collect();
        self.inherit(&active, &mut urgencies);
        let order = |(index, at): (usize, usize)| {
            let job = &self.jobs[at];
            // Of two equally urgent jobs the one that already runs goes on, otherwise the one with
            // the earlier deadline, otherwise the one that was released first.
            let dynamic = self.scenario.strategy.is_dynamic();
            let running = dynamic && self.running[processor] == Some(at);
            let deadline = if dynamic { job.deadline } else { 0 };
            (urgencies[index], Reverse(running), deadline, at)
        };
        let ready = active.iter().copied().enumerate().filter(|(_, at)| self.is_ready(*at));
        ready.map(order).min().map(|(.., at)| at)
    }

    /// The urgency of a job, raised by the ceiling of what it holds.
    fn raised(&self, at: usize) -> Urgency {
        let job = &self.jobs[at];
        let own = self.urgency(job);
        let Some(resource) = job.holds.filter(|_| self.system.protocol() == Protocol::Ceiling)
        else {
            return own;
        };
        match self.scenario.strategy {
            // The stack resource policy keeps others from starting instead.
            Strategy::EarliestDeadlineFirst => own,
            Strategy::MaximumUrgencyFirst => {
                (self.ceilings[resource].min(own.0), i128::MIN, i128::MIN)
            }
            _ => (self.ceilings[resource].min(own.0), 0, 0),
        }
    }

    /// Lends the urgency of jobs that wait for a resource to its holder.
    fn inherit(&self, active: &[usize], urgencies: &mut [Urgency]) {
        // Sections do not nest, so that nobody waits for somebody who waits.
        for (index, at) in active.iter().enumerate() {
            let Some(resource) = self.wanted(*at) else { continue };
            let Some(holder) = self.holders[resource] else { continue };
            if let Some(place) = active.iter().position(|other| *other == holder) {
                urgencies[place] = urgencies[place].min(urgencies[index]);
            }
        }
    }

    /// The resource that a job would have to acquire next.
    fn wanted(&self, at: usize) -> Option<usize> {
        let job = &self.jobs[at];
        match self.programs[job.task].get(job.next) {
            Some(super::program::Action::Lock(resource)) if job.stage == Stage::Ready => {
                Some(*resource)
            }
            _ => None,
        }
    }

    fn is_ready(&self, at: usize) -> bool {
        let job = &self.jobs[at];
        if job.stage != Stage::Ready {
            return false;
        }
        let free = |resource: usize| self.holders[resource].is_none_or(|holder| holder == at);
        if self.wanted(at).is_some_and(|resource| !free(resource)) {
            return false;
        }
        let stack = self.scenario.strategy == Strategy::EarliestDeadlineFirst
            && self.system.protocol() == Protocol::Ceiling;
        // Stack resource policy: a job starts if its deadline, counted from the latest release, is
        // shorter than those of all that might want what is held.
        !stack
            || job.started
            || self.holders.iter().enumerate().all(|(resource, holder)| {
                holder.is_none_or(|holder| {
                    self.jobs[holder].processor != job.processor
                        || i128::from(self.level(job.task)) < self.ceilings[resource]
                })
            })
    }

    /// The preemption level of a task as a length of time: less is higher.
    pub(crate) fn level(&self, task: usize) -> u64 {
        let jitter = self.system.tasks()[task].jitter.0;
        self.scenario.deadlines[task].saturating_sub(jitter)
    }
}
