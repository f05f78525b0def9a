//! Response times in chains of calls, which count nothing twice and leave nothing out.
//!
//! Holistic analysis takes a step for a task of its own, whose releases come as late as its caller
//! ends. So it lets the caller delay the step once more, and what delayed the caller too. But the
//! steps of a chain follow one another. What delays a step is found in its *busy window*: the time
//! up to its end in which the processor only executes work of a level L or above, L being at most
//! the priority of the step. Of its chain, the window has the steps from one on that was released
//! in it, or in whose middle it begins. That step either begins the chain, or what precedes it ran
//! elsewhere, below L, or with a gap; otherwise the window would begin earlier (compare Palencia,
//! González Harbour 1999). The response is at most the longest one over all such beginnings, and
//! that for each L, so the least of these counts.
//!
//! A step and what it waits for on its processor are one unit: one of them is always ready, at the
//! lowest of their priorities or above, but while a message is on its way. What waits for another
//! processor, or for a message, is taken to execute meanwhile (Chen et al. 2019, section 4.1); what
//! is blocked may be blocked again afterwards.

use super::{Analysis, End};
use crate::budget::{Budget, Exhausted, add, multiply, released};
use crate::steps::Step;
use crate::task::CallKind;

/// How many levels below its own are tried for a step.
const LEVELS: usize = 8;

/// A step and all that it waits for, on one processor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    /// Its execution, and the messages on their way.
    cost: u64,
    /// The lowest priority of a member.
    level: usize,
    /// How often it waits for a message.
    gaps: u64,
    /// Whether it is one step.
    single: bool,
}

/// What is known of a step that ends its chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    /// From the nominal release of the transaction at most.
    pub(super) response: u64,
    /// From its own release at most.
    pub(super) window: u64,
}

/// What a step that released another one does while that one runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    /// It is the step itself.
    Looked,
    /// It waits for it.
    Suspended,
    /// It has ended.
    Ended,
    /// It goes on.
    Concurrent,
}

/// When a step of the same instance of the chain executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// With the step of the path that has this number.
    With(usize),
    /// With that one, too, which may go on while the step that is looked at executes.
    Meanwhile(usize),
    /// At any time.
    Concurrent,
    /// After the end of the step that is looked at.
    After,
}

/// Work of the chain in instances other than the one that is looked at.
#[derive(Debug, Clone, Copy)]
struct Own {
    cost: u64,
    jitter: u64,
    /// Whether later instances may delay the step.
    later: bool,
}

/// The steps that lead to one, itself first, and what they do meanwhile.
struct Path {
    steps: Vec<usize>,
    statuses: Vec<Status>,
    /// What the step calls only then.
    next: Option<usize>,
}

/// The busy windows of one level that end with one step, whatever they begin with.
struct Windows {
    blocking: u64,
    /// What may execute in each window, in the instance that is looked at, without what its callers
    /// do meanwhile.
    always: u64,
    /// What each step of the path may do meanwhile.
    meanwhile: Vec<u64>,
    /// What executes with each step of the path, in that instance.
    with: Vec<u64>,
    own: Vec<Own>,
    /// Jitter, period and execution time of the work of others.
    others: Vec<(u64, u64, u64)>,
    period: u64,
}

/// What each step takes with all that it waits for, if nothing delays it.
pub(super) fn least(steps: &[Step]) -> Vec<u64> {
    let mut least: Vec<u64> = steps.iter().map(|step| step.cost).collect();
    // A caller stands before those that it calls.
    for at in (0..steps.len()).rev() {
        if let Some(cause) = steps[at].cause.filter(|cause| cause.kind == CallKind::TwoWay) {
            let there = least[at].saturating_add(cause.delay.saturating_mul(2));
            least[cause.caller] = least[cause.caller].saturating_add(there);
        }
    }
    least
}

impl Analysis<'_> {
    /// The unit of each step; `None` if it waits for another processor.
    pub(super) fn units(&self) -> Vec<Option<Unit>> {
        let own = |at: usize| Unit {
            cost: self.steps[at].cost,
            level: self.levels[at],
            gaps: 0,
            single: true,
        };
        let mut units: Vec<_> = (0..self.steps.len()).map(|at| Some(own(at))).collect();
        // A caller stands before those that it calls.
        for at in (0..self.steps.len()).rev() {
            let step = &self.steps[at];
            let Some(cause) = step.cause.filter(|cause| cause.kind == CallKind::TwoWay) else {
                continue;
            };
            let here = self.steps[cause.caller].processor == step.processor;
            let both = units[cause.caller].zip(units[at].filter(|_| here));
            units[cause.caller] = both.and_then(|(outer, inner)| {
                let messages = cause.delay.checked_mul(2)?;
                let cost = outer.cost.checked_add(inner.cost)?.checked_add(messages)?;
                let gaps = outer.gaps + inner.gaps + if messages > 0 { 2 } else { 0 };
                Some(Unit { cost, level: outer.level.max(inner.level), gaps, single: false })
            });
        }
        units
    }

    /// The unit of `at`. Of a step that waits for another processor, it is what the step executes
    /// and how long it waits.
    fn unit(&self, at: usize) -> Result<Unit, End> {
        if let Some(unit) = self.units[at] {
            return Ok(unit);
        }
        let step = &self.steps[at];
        let waited = self.suspension(step)?;
        let cost = add(step.cost, waited)?;
        let gaps = 2 * step.waits.len() as u64;
        Ok(Unit { cost, level: self.levels[at], gaps, single: false })
    }

    /// For each step, the one that begins its transaction.
    pub(super) fn origins(&self) -> Vec<usize> {
        let mut origins: Vec<usize> = Vec::with_capacity(self.steps.len());
        for (at, step) in self.steps.iter().enumerate() {
            origins.push(step.cause.map_or(at, |cause| origins[cause.caller]));
        }
        origins
    }

    /// When the unit of `at` ends, which is released at most `jitter` after the nominal release of
    /// its transaction.
    pub(super) fn chain_ends(
        &self,
        at: usize,
        jitter: u64,
        budget: &mut Budget,
    ) -> Result<Ends, End> {
        let unit = self.unit(at)?;
        self.ends(at, unit, None, jitter, budget)
    }

    /// When the step `at` calls `callee` at the latest, after the nominal release of the
    /// transaction: when it has executed, and all other calls have been answered.
    pub(super) fn calls(&self, at: usize, callee: usize, budget: &mut Budget) -> Result<u64, End> {
        let step = &self.steps[at];
        let single = step.waits.len() == 1;
        let mut unit = Unit { cost: step.cost, level: self.levels[at], gaps: 0, single };
        for other in step.waits.iter().filter(|other| **other != callee) {
            let delay = self.steps[*other].cause.map_or(0, |cause| cause.delay);
            let here = self.steps[*other].processor == step.processor;
            let inner = self.units[*other].filter(|_| here);
            let waited = match inner {
                Some(inner) => inner.cost,
                None => {
                    let state = &self.states[*other];
                    state.end.map_or(Ok(()), Err)?;
                    state.window
                }
            };
            unit.cost = add(unit.cost, add(waited, multiply(delay, 2)?)?)?;
            unit.level = unit.level.max(inner.map_or(0, |inner| inner.level));
            unit.gaps += 2 + inner.map_or(0, |inner| inner.gaps);
        }
        let jitter = self.states[at].jitter;
        Ok(self.ends(at, unit, Some(callee), jitter, budget)?.response)
    }

    /// When `unit` ends, with which `at` begins; before it calls `next`, if there is such a step.
    fn ends(
        &self,
        at: usize,
        unit: Unit,
        next: Option<usize>,
        jitter: u64,
        budget: &mut Budget,
    ) -> Result<Ends, End> {
        let path = Path { next, ..self.path(at) };
        let processor = self.steps[at].processor;
        let mut levels: Vec<usize> = (path.steps.iter())
            .filter(|step| self.steps[**step].processor == processor)
            .map(|step| self.levels[*step])
            .filter(|level| *level > unit.level)
            .chain([unit.level])
            .collect();
        levels.sort_unstable();
        levels.dedup();
        levels.truncate(LEVELS);
        let mut least = Ends { response: u64::MAX, window: u64::MAX };
        for level in levels {
            let found = self.ends_at(&path, unit, level, jitter, budget)?;
            least.response = least.response.min(found.response);
            least.window = least.window.min(found.window);
        }
        Ok(least)
    }

    fn path(&self, at: usize) -> Path {
        let (mut steps, mut statuses) = (vec![at], vec![Status::Looked]);
        let (mut next, mut status) = (at, Status::Looked);
        while let Some(cause) = self.steps[next].cause {
            status = match (cause.kind, status) {
                (CallKind::OneWay, _) => Status::Ended,
                (CallKind::TwoWay, Status::Looked | Status::Suspended) => Status::Suspended,
                // What it waited for has ended.
                (CallKind::TwoWay, Status::Ended | Status::Concurrent) => Status::Concurrent,
            };
            next = cause.caller;
            steps.push(next);
            statuses.push(status);
        }
        Path { steps, statuses, next: None }
    }

    /// When `step` of the same transaction executes, seen from the last step of the path.
    fn place(&self, step: usize, path: &Path) -> Place {
        let (mut next, mut detached, mut kind) = (step, false, CallKind::TwoWay);
        loop {
            if Some(next) == path.next {
                return Place::After;
            }
            // The path ends with the step that begins the transaction.
            if let Some(at) = path.steps.iter().position(|other| *other == next) {
                let released_at_its_end = next != step && kind == CallKind::OneWay;
                return match path.statuses[at] {
                    Status::Looked | Status::Suspended if released_at_its_end => Place::After,
                    _ if detached => Place::Concurrent,
                    Status::Concurrent => Place::Meanwhile(at),
                    _ => Place::With(at),
                };
            }
            let Some(cause) = self.steps[next].cause else { return Place::Concurrent };
            kind = cause.kind;
            detached |= kind == CallKind::OneWay;
            next = cause.caller;
        }
    }

    /// The ends over all beginnings of the busy windows of `level`.
    fn ends_at(
        &self,
        path: &Path,
        unit: Unit,
        level: usize,
        jitter: u64,
        budget: &mut Budget,
    ) -> Result<Ends, Exhausted> {
        let windows = self.windows(path, unit, level, budget)?;
        let processor = self.steps[path.steps[0]].processor;
        let mut ends = Ends { response: 0, window: 0 };
        let mut preceding = 0;
        for (at, first) in path.steps.iter().enumerate() {
            let step = &self.steps[*first];
            if at > 0 && step.processor == processor && self.levels[*first] > level {
                // It cannot run in such a window.
                break;
            }
            if at > 0 {
                preceding = add(preceding, windows.with[at])?;
            }
            let Some(before) = self.executed_before(path, at, level, &windows) else { continue };
            let late = if at == 0 { jitter } else { self.states[*first].jitter };
            let preceding = add(preceding, before)?;
            let executed = add(add(windows.always, unit.cost)?, preceding)?;
            let (inside, outside) = windows.meanwhile.split_at(at + 1);
            let sum = |all: &[u64]| all.iter().try_fold(0, |sum, next| add(sum, *next));
            let (inside, outside) = (sum(inside)?, sum(outside)?);
            let executed = add(executed, add(inside, outside)?)?;
            let (response, window) = windows.longest(late, executed, budget)?;
            // What a caller does later than its call, it has not done before: the release is
            // earlier by that.
            ends.response = ends.response.max(response.saturating_sub(outside));
            ends.window = ends.window.max(window.saturating_sub(preceding));
        }
        Ok(ends)
    }

    /// What the step before step `at` of the path may have executed in a window that begins before
    /// that one was released, but after itself; `None` if the window would begin earlier.
    fn executed_before(
        &self,
        path: &Path,
        at: usize,
        level: usize,
        windows: &Windows,
    ) -> Option<u64> {
        let Some(before) = path.steps.get(at + 1) else { return Some(0) };
        let here = self.steps[path.steps[0]].processor;
        let gap = self.steps[path.steps[at]].cause.is_some_and(|cause| cause.delay > 0);
        let remote = self.steps[*before].processor != here;
        let whole = self.units[*before].is_some_and(|unit| unit.level <= level && unit.gaps == 0);
        match (whole && !remote, gap) {
            (true, false) => None,
            (true, true) => Some(0),
            (false, _) => Some(windows.with[at + 1]),
        }
    }

    fn windows(
        &self,
        path: &Path,
        unit: Unit,
        level: usize,
        budget: &mut Budget,
    ) -> Result<Windows, Exhausted> {
        let at = path.steps[0];
        let step = &self.steps[at];
        let local = &self.local[step.processor];
        budget.spend(local.len())?;
        let blocking = self.blockings.get(&(step.processor, level)).copied().ok_or(Exhausted)?;
        let blocking = multiply(blocking, unit.gaps + 1)?;
        let mut windows = Windows {
            blocking,
            always: blocking,
            meanwhile: vec![0; path.steps.len()],
            with: vec![0; path.steps.len()],
            own: Vec::new(),
            others: Vec::new(),
            period: step.period,
        };
        for other in local.iter().copied().filter(|other| self.levels[*other] <= level) {
            if self.origins[other] != self.origins[at] {
                windows.others.push(self.interference(other)?);
                continue;
            }
            budget.spend(path.steps.len())?;
            let (cost, state) = (self.steps[other].cost, &self.states[other]);
            if state.end.is_some() {
                return Err(Exhausted);
            }
            let place = self.place(other, path);
            match place {
                // Its unit has it.
                Place::With(0) | Place::After => {}
                Place::With(number) => {
                    windows.with[number] = add(windows.with[number], cost)?;
                }
                Place::Meanwhile(number) => {
                    windows.meanwhile[number] = add(windows.meanwhile[number], cost)?;
                }
                Place::Concurrent => windows.always = add(windows.always, cost)?,
            }
            // Its own later instances come after it.
            let later = !(unit.single && place == Place::With(0));
            windows.own.push(Own { cost, jitter: state.jitter, later });
        }
        Ok(windows)
    }
}

impl Windows {
    /// The longest response from the nominal release, and the longest window, if the instance
    /// executes `executed` and what begins the window is released at most `late`. A window begins
    /// when some work of the chain is released as late as possible.
    fn longest(
        &self,
        late: u64,
        executed: u64,
        budget: &mut Budget,
    ) -> Result<(u64, u64), Exhausted> {
        let late = i128::from(late);
        let mut releases: Vec<i128> = self.own.iter().map(|own| i128::from(own.jitter)).collect();
        releases.push(late);
        releases.sort_unstable();
        releases.dedup();
        let period = i128::from(self.period);
        let busy = i128::from(self.busy(budget)?);
        let (mut response, mut longest) = (0_i128, 0);
        for release in releases {
            // The first that is not after `late`, then a period earlier each.
            let surplus = (release - late).max(0);
            let mut begin = release - (surplus + period - 1) / period * period;
            while begin >= -busy {
                let window = self.fixed_point(begin, executed, budget)?;
                response = response.max(begin + i128::from(window));
                longest = longest.max(window);
                begin -= period;
            }
        }
        Ok((u64::try_from(response).map_err(|_| Exhausted)?, longest))
    }

    /// The length of the window that begins at `begin` after the nominal release.
    fn fixed_point(
        &self,
        begin: i128,
        executed: u64,
        budget: &mut Budget,
    ) -> Result<u64, Exhausted> {
        let period = i128::from(self.period);
        let mut work = executed;
        for own in &self.own {
            let earlier = (i128::from(own.jitter) - begin).max(0) / period;
            work = add(work, times(own.cost, earlier)?)?;
        }
        let mut window = work;
        loop {
            budget.spend(self.others.len() + self.own.len())?;
            let mut next = work;
            let ends = begin + i128::from(window);
            let later = ((ends + period - 1).div_euclid(period) - 1).max(0);
            for own in self.own.iter().filter(|own| own.later) {
                next = add(next, times(own.cost, later)?)?;
            }
            for (jitter, period, cost) in &self.others {
                next = add(next, released(window, *jitter, *period, *cost)?)?;
            }
            if next == window {
                return Ok(window);
            }
            window = next;
        }
    }

    /// The longest time in which the processor only executes such work.
    fn busy(&self, budget: &mut Budget) -> Result<u64, Exhausted> {
        let mut window = self.blocking.max(1);
        loop {
            budget.spend(self.others.len() + self.own.len())?;
            let mut next = self.blocking;
            for own in &self.own {
                next = add(next, released(window, own.jitter, self.period, own.cost)?)?;
            }
            for (jitter, period, cost) in &self.others {
                next = add(next, released(window, *jitter, *period, *cost)?)?;
            }
            if next <= window {
                return Ok(window);
            }
            window = next;
        }
    }
}

fn times(cost: u64, count: i128) -> Result<u64, Exhausted> {
    let count = u64::try_from(count).map_err(|_| Exhausted)?;
    cost.checked_mul(count).ok_or(Exhausted)
}
