//! Response times under fixed priorities.
//!
//! The response time of a step is the smallest solution of a recurrence (Joseph, Pandya 1986;
//! Audsley et al. 1993), with blocking, release jitter and deadlines beyond the period (Tindell,
//! Burns, Wellings 1994). Steps that others release inherit the response times of these as jitter,
//! so that all recurrences are solved together (Tindell, Clark 1994: holistic analysis).
//!
//! A step that waits for a reply suspends itself. It is analysed as if it executed meanwhile; to
//! the others it is a step whose execution may come late (Chen et al. 2019, sections 4.1 and 4.2).

mod chains;

use super::blocking;
use crate::bounds::Utilisation;
use crate::budget::{Budget, Exhausted, add, multiply};
use crate::priority::Priorities;
use crate::steps::Step;
use crate::system::System;
use crate::task::CallKind;
use chains::Unit;
use std::collections::BTreeMap;

/// What is known of the longest response time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// No response takes longer.
    AtMost(u64),
    /// The analysis ended before it had found the longest response; there may be one that takes
    /// this long.
    Unproven(u64),
    /// The processor has more work than time: the responses grow without end.
    Unbounded,
}

impl Response {
    /// The bound, if there is one.
    pub fn bound(self) -> Option<u64> {
        match self {
            Self::AtMost(time) => Some(time),
            Self::Unproven(_) | Self::Unbounded => None,
        }
    }
}

/// The result for one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FixedResponse {
    /// From the release of the step; of a step that no two-way call releases, from the nominal
    /// release of its transaction.
    pub(crate) response: Response,
    pub(crate) blocking: u64,
}

/// The response times of all steps.
pub(crate) fn responses(
    system: &System,
    steps: &[Step],
    priorities: &Priorities,
    budget: &mut Budget,
) -> Vec<FixedResponse> {
    let mut analysis = Analysis::new(system, steps, priorities, budget);
    analysis.solve(budget);
    analysis.results()
}

/// What is known of a step so far.
#[derive(Debug, Clone, Copy)]
struct State {
    /// How late it may be released after the nominal release of its transaction.
    jitter: u64,
    /// From its release to its end.
    window: u64,
    /// When it ends at the latest, after the nominal release of its transaction.
    latest: u64,
    blocking: u64,
    end: Option<End>,
}

/// Why a step has no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Overload,
    Exhausted,
}

impl From<Exhausted> for End {
    fn from(_: Exhausted) -> Self {
        End::Exhausted
    }
}

/// The longest response that is worth working out: far beyond any deadline.
fn limit(step: &Step) -> u64 {
    step.deadline.max(step.period).saturating_mul(64)
}

struct Analysis<'a> {
    steps: &'a [Step],
    levels: Vec<usize>,
    /// The steps of each processor.
    local: Vec<Vec<usize>>,
    states: Vec<State>,
    /// What executes without a gap, by its first step.
    units: Vec<Option<Unit>>,
    /// What each step takes with all that it waits for, if nothing delays it.
    least: Vec<u64>,
    /// The first step of the transaction of each step.
    origins: Vec<usize>,
    /// How long a level of a processor is blocked at once.
    blockings: BTreeMap<(usize, usize), u64>,
}

impl<'a> Analysis<'a> {
    fn new(
        system: &System,
        steps: &'a [Step],
        priorities: &Priorities,
        budget: &mut Budget,
    ) -> Self {
        let levels: Vec<usize> = steps.iter().map(|step| priorities.levels[step.task]).collect();
        let mut local = vec![Vec::new(); system.processors.len()];
        for (at, step) in steps.iter().enumerate() {
            local[step.processor].push(at);
        }
        let states = steps.iter().map(|step| State {
            jitter: step.jitter,
            window: step.cost,
            latest: step.jitter.saturating_add(step.cost),
            blocking: 0,
            end: None,
        });
        let states = states.collect();
        let (units, origins, blockings) = (Vec::new(), Vec::new(), BTreeMap::new());
        let least = chains::least(steps);
        let mut analysis = Self { steps, levels, local, states, units, least, origins, blockings };
        analysis.units = analysis.units();
        analysis.origins = analysis.origins();
        analysis.find_overloads();
        for at in 0..steps.len() {
            match analysis.blocking(system, at, budget) {
                Ok(blocking) => analysis.states[at].blocking = blocking,
                Err(Exhausted) => analysis.states[at].end = Some(End::Exhausted),
            }
        }
        analysis
    }

    /// Finds the steps whose processor has more work of their priority or higher than time.
    fn find_overloads(&mut self) {
        for local in &self.local {
            let mut order = local.clone();
            order.sort_by_key(|at| self.levels[*at]);
            let mut sum = Utilisation::default();
            for same in order.chunk_by(|left, right| self.levels[*left] == self.levels[*right]) {
                for at in same {
                    let step = &self.steps[*at];
                    sum = sum.plus(Utilisation::of(step.cost, step.period));
                }
                if sum.is_overload() {
                    same.iter().for_each(|at| self.states[*at].end = Some(End::Overload));
                }
            }
        }
    }

    fn blocking(
        &mut self,
        system: &System,
        at: usize,
        budget: &mut Budget,
    ) -> Result<u64, Exhausted> {
        let (step, level) = (&self.steps[at], self.levels[at]);
        let local = &self.local[step.processor];
        budget.spend(local.len())?;
        // The ceiling of a resource is the highest priority of its users.
        let mut reached = vec![false; system.resources.len()];
        for other in local.iter().filter(|other| self.levels[**other] <= level) {
            let sections = &self.steps[*other].sections;
            sections.iter().for_each(|(resource, _)| reached[*resource] = true);
        }
        let lower = local.iter().filter(|other| self.levels[**other] > level);
        let lower = lower.map(|other| &self.steps[*other]);
        let once =
            blocking::longest(lower, |resource| reached[resource], system.protocol(), budget)?;
        self.blockings.insert((step.processor, level), once);
        // Each time that it waits for a reply, lower ones may enter their sections again.
        multiply(once, step.waits.len() as u64 + 1)
    }

    /// Solves all recurrences, each from the solution of the others so far, until none changes.
    fn solve(&mut self, budget: &mut Budget) {
        loop {
            let mut changed = false;
            for at in 0..self.steps.len() {
                if self.states[at].end.is_some() {
                    continue;
                }
                match budget.share(8, |share| self.update(at, share)) {
                    Ok(update) => changed |= update,
                    Err(end) => {
                        self.states[at].end = Some(end);
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Solves the recurrence of one step. Whether it changed.
    fn update(&mut self, at: usize, budget: &mut Budget) -> Result<bool, End> {
        let step = &self.steps[at];
        let mut jitter = self.jitter(at, budget)?;
        let before = self.states[at];
        let ends = self.chain_ends(at, jitter, budget)?;
        let latest = ends.response.min(jitter.saturating_add(ends.window));
        jitter = jitter.min(latest.saturating_sub(step.cost));
        let window = if step.group == at { latest - jitter } else { ends.window };
        self.states[at].jitter = before.jitter.max(jitter);
        let state = &mut self.states[at];
        state.window = state.window.max(window);
        state.latest = state.latest.max(latest);
        let state = &self.states[at];
        if state.window > limit(step) {
            return Err(End::Exhausted);
        }
        Ok(state.window != before.window
            || state.jitter != before.jitter
            || state.latest != before.latest)
    }

    /// How late the step may be released.
    fn jitter(&self, at: usize, budget: &mut Budget) -> Result<u64, End> {
        let (step, least) = (&self.steps[at], self.least[at]);
        let Some(cause) = step.cause else { return Ok(step.jitter) };
        let caller = &self.states[cause.caller];
        caller.end.map_or(Ok(()), Err)?;
        match cause.kind {
            CallKind::OneWay => Ok(add(caller.latest, cause.delay)?),
            // The reply has to be made and to travel back before the caller can end.
            CallKind::TwoWay => {
                let called = add(self.calls(cause.caller, at, budget)?, cause.delay)?;
                Ok(called.min(caller.latest.saturating_sub(add(least, cause.delay)?)))
            }
        }
    }

    /// How long the step waits for replies.
    fn suspension(&self, step: &Step) -> Result<u64, End> {
        let mut sum = 0;
        for child in &step.waits {
            let state = &self.states[*child];
            state.end.map_or(Ok(()), Err)?;
            let delay = self.steps[*child].cause.map_or(0, |cause| cause.delay);
            sum = (multiply(delay, 2).and_then(|both| add(both, state.window)))
                .and_then(|time| add(sum, time))?;
        }
        Ok(sum)
    }

    /// How a step delays lower ones: jitter, period, execution time.
    fn interference(&self, other: usize) -> Result<(u64, u64, u64), Exhausted> {
        let (step, state) = (&self.steps[other], &self.states[other]);
        if state.end.is_some() {
            return Err(Exhausted);
        }
        if step.waits.is_empty() {
            return Ok((state.jitter, step.period, step.cost));
        }
        let response = state.latest;
        if response <= step.period {
            return Ok((response.saturating_sub(step.cost), step.period, step.cost));
        }
        let waited = self.suspension(step).map_err(|_| Exhausted)?;
        Ok((state.jitter, step.period, add(step.cost, waited)?))
    }

    fn results(&self) -> Vec<FixedResponse> {
        let result = |(step, state): (&Step, &State)| {
            let two_way = step.cause.is_some_and(|cause| cause.kind == CallKind::TwoWay);
            let time = if two_way { state.window } else { state.latest };
            let response = match state.end {
                None => Response::AtMost(time),
                Some(End::Overload) => Response::Unbounded,
                Some(End::Exhausted) => Response::Unproven(time),
            };
            FixedResponse { response, blocking: state.blocking }
        };
        self.steps.iter().zip(&self.states).map(result).collect()
    }
}
