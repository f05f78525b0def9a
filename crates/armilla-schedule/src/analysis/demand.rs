//! The processor demand of tasks that are scheduled by deadline or by laxity.
//!
//! If in every window the execution that has to end within it fits, no deadline is missed (Baruah,
//! Rosier, Howell 1990). Quick processor-demand analysis (Zhang, Burns 2009) goes through the
//! windows from the longest to the shortest and skips those that cannot overflow.

use super::blocking;
use super::deadlines::Timed;
use crate::budget::{Budget, Exhausted, add, multiply, released};
use crate::level::Criticality;
use crate::steps::Step;
use crate::task::Protocol;

/// The outcome of a test of windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Every window has room.
    Fits,
    /// A window of this length has to hold more execution than it is long.
    Overflow { window: u64, demand: u64 },
    /// The analysis ended before it had looked at all windows.
    Unproven,
}

/// What makes up the demand of one level of criticality on one processor.
pub(crate) struct Level<'a> {
    /// The steps that are scheduled by deadline or laxity.
    pub(crate) own: Vec<&'a Timed>,
    /// The steps that always precede these.
    pub(crate) above: Vec<&'a Timed>,
    pub(crate) blocking: Blocking<'a>,
    /// Whether execution counts before its deadline already: by laxity, with blocking.
    pub(crate) early: bool,
}

/// Who may block the steps of a level, and by which resources.
pub(crate) struct Blocking<'a> {
    /// Steps of the level with their critical sections.
    pub(crate) own: Vec<(&'a Step, &'a Timed)>,
    pub(crate) above: Vec<&'a Step>,
    pub(crate) below: Vec<&'a Step>,
    pub(crate) resources: usize,
    pub(crate) protocol: Protocol,
    /// Whether any resource of the level is contended, whatever the window.
    pub(crate) always: bool,
}

impl Blocking<'_> {
    /// The longest blocking in windows of this length.
    pub(crate) fn within(&self, window: u64, budget: &mut Budget) -> Result<u64, Exhausted> {
        let mut contended = vec![false; self.resources];
        budget.spend(self.own.len() + self.above.len() + self.below.len())?;
        let urgent = self.own.iter().filter(|(_, timed)| self.always || timed.first <= window);
        for step in urgent.map(|(step, _)| *step).chain(self.above.iter().copied()) {
            step.sections.iter().for_each(|(resource, _)| contended[*resource] = true);
        }
        let late = self.own.iter().filter(|(_, timed)| timed.latest() > window);
        let blockers = late.map(|(step, _)| *step).chain(self.below.iter().copied());
        blocking::longest(blockers, |resource| contended[resource], self.protocol, budget)
    }

    /// The lengths at which the blocking may change.
    fn breakpoints(&self) -> Vec<u64> {
        let points = self.own.iter().flat_map(|(_, timed)| [timed.first, timed.latest()]);
        let mut points: Vec<u64> = points.chain([0]).collect();
        points.sort_unstable();
        points.dedup();
        points
    }
}

impl Level<'_> {
    /// Whether all deadlines of the level are met.
    pub(crate) fn fits(&self, budget: &mut Budget) -> Fit {
        self.search(budget).unwrap_or(Fit::Unproven)
    }

    fn search(&self, budget: &mut Budget) -> Result<Fit, Exhausted> {
        let mut top = self.busy_period(budget)?;
        let points = self.blocking.breakpoints();
        let mut last = None;
        for from in points.into_iter().rev() {
            if from > top {
                continue;
            }
            let blocking = match last.filter(|_| self.is_unshared()) {
                Some(same) => same,
                None => self.blocking.within(from, budget)?,
            };
            last = Some(blocking);
            // All windows from `from` to `top` have this blocking.
            let mut window = top;
            while window >= from {
                let due = self.due(window, budget)?;
                if due == 0 {
                    // No deadline lies in so short a window.
                    return Ok(Fit::Fits);
                }
                let end = self.end_of(add(due, blocking)?, window, budget)?;
                if end > window {
                    return Ok(Fit::Overflow { window, demand: end });
                }
                // What is due in shorter windows ends no later, so none down to `end` overflows.
                window = end - 1;
            }
            let Some(below) = from.checked_sub(1) else { break };
            top = below;
        }
        Ok(Fit::Fits)
    }

    fn is_unshared(&self) -> bool {
        let free = |step: &Step| step.sections.is_empty() && step.non_preemptive == 0;
        self.blocking.own.iter().all(|(step, _)| free(step))
            && self.blocking.below.iter().all(|step| free(step))
    }

    /// The longest time for which the processor is busy with the level and those above.
    pub(crate) fn busy_period(&self, budget: &mut Budget) -> Result<u64, Exhausted> {
        let blocking = self.blocking.most(budget)?;
        let all = || self.own.iter().chain(&self.above);
        let mut window = all().try_fold(blocking, |sum, timed| add(sum, timed.cost))?;
        loop {
            budget.spend(self.own.len() + self.above.len())?;
            let mut next = blocking;
            for timed in all() {
                next = add(next, released(window, timed.jitter, timed.period, timed.cost)?)?;
            }
            if next == window {
                return Ok(window);
            }
            window = next;
        }
    }

    /// The execution that must end within a window.
    fn due(&self, window: u64, budget: &mut Budget) -> Result<u64, Exhausted> {
        budget.spend(self.own.len())?;
        self.own.iter().try_fold(0, |sum, timed| {
            let complete = complete(timed, window)?;
            let sum = add(sum, multiply(complete, timed.cost)?)?;
            if self.early { add(sum, early(timed, window, complete)?) } else { Ok(sum) }
        })
    }

    /// When `work` has ended at the latest, beside the steps that precede it. A time after `limit`
    /// need not be the latest.
    fn end_of(&self, work: u64, limit: u64, budget: &mut Budget) -> Result<u64, Exhausted> {
        let mut end = work;
        loop {
            budget.spend(self.above.len())?;
            let mut next = work;
            for timed in &self.above {
                next = add(next, released(end, timed.jitter, timed.period, timed.cost)?)?;
            }
            if next == end || next > limit {
                return Ok(next);
            }
            end = next;
        }
    }
}

impl Blocking<'_> {
    /// At least the blocking in any window.
    fn most(&self, budget: &mut Budget) -> Result<u64, Exhausted> {
        let steps = self.own.iter().map(|(step, _)| *step).chain(self.below.iter().copied());
        blocking::longest(steps, |_| true, self.protocol, budget)
    }
}

/// How many deadlines of the step lie in a window.
fn complete(timed: &Timed, window: u64) -> Result<u64, Exhausted> {
    match window.checked_sub(timed.first) {
        None => Ok(0),
        Some(after) => add(add(after, timed.gap())? / timed.period, 1),
    }
}

/// What executions with later deadlines may take of the window because their laxity is smaller:
/// the part before their laxity has grown enough, and a critical section in which they are then.
fn early(timed: &Timed, window: u64, complete: u64) -> Result<u64, Exhausted> {
    let mut sum = 0;
    for next in complete..complete.saturating_add(4) {
        let gap = if next == 0 { 0 } else { timed.gap() };
        let deadline = add(timed.first, multiply(next, timed.period)?)?.saturating_sub(gap);
        let later = deadline.saturating_sub(window);
        if later > timed.cost {
            return Ok(sum);
        }
        sum = add(sum, add(timed.cost - later, timed.held)?.min(timed.cost))?;
    }
    Err(Exhausted)
}

/// Steps by criticality, from the highest level.
pub(crate) fn by_criticality(local: &[usize], timed: &[Timed]) -> Vec<Vec<usize>> {
    let levels = Criticality::ALL.into_iter().rev().map(|level| {
        let same = |at: &usize| timed[*at].criticality == level;
        local.iter().copied().filter(same).collect::<Vec<_>>()
    });
    levels.filter(|level| !level.is_empty()).collect()
}
