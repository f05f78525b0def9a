//! What strategies that go by deadlines need of each step: its deadline, counted from its release,
//! and how late it may be released.
//!
//! A step ends before those that follow it on the same processor if its deadline is earlier by
//! their execution time (Chetto, Silly, Bouchentouf 1990); it then needs no jitter. A step that
//! another processor or a message with a delay releases comes at the latest when the deadline of
//! its caller has passed and the message has arrived. Deadlines that nobody gave divide the time of
//! the chain in proportion to the work of its steps.

use crate::budget::{Exhausted, add, multiply};
use crate::level::Criticality;
use crate::steps::Step;
use crate::system::System;
use crate::task::CallKind;

/// A step as strategies that go by deadlines see it.
#[derive(Debug, Clone)]
pub(crate) struct Timed {
    pub(crate) period: u64,
    /// Its execution, and what it waits for as if it executed meanwhile.
    pub(crate) cost: u64,
    pub(crate) jitter: u64,
    /// From its release, when that is as late as possible, to its deadline.
    pub(crate) first: u64,
    /// Whether its deadline counts from its real release instead of the nominal one.
    pub(crate) from_release: bool,
    /// Whether it waits for replies.
    pub(crate) suspends: bool,
    /// Its own criticality, or that of steps which depend on it.
    pub(crate) criticality: Criticality,
    /// The longest stretch that no step of its level interrupts.
    pub(crate) held: u64,
}

impl Timed {
    /// How much earlier a following deadline may come than a period after the one before.
    pub(crate) fn gap(&self) -> u64 {
        if self.from_release { self.jitter } else { 0 }
    }

    /// The earliest deadline of its job with this number in a window that begins with its latest
    /// release.
    ///
    /// # Errors
    /// When it is beyond all times.
    pub(crate) fn deadline(&self, number: u64) -> Result<u64, Exhausted> {
        let after = multiply(number, self.period)?.saturating_sub(self.gap());
        add(self.first, after)
    }

    /// From the earliest moment that the step may have been released before a window to its
    /// deadline.
    pub(crate) fn latest(&self) -> u64 {
        if self.from_release { self.first } else { self.first.saturating_add(self.jitter) }
    }
}

/// What the steps have to do, with everything that follows in their chains.
struct Work {
    /// The step with the two-way calls that it makes.
    total: Vec<u64>,
    /// From the beginning of the transaction to the end of the step.
    head: Vec<u64>,
}

/// The steps, timed. `least_laxity`: whether they are scheduled by laxity instead of deadline.
pub(crate) fn timed(
    system: &System,
    steps: &[Step],
    least_laxity: bool,
) -> Result<Vec<Timed>, Exhausted> {
    let work = work(steps)?;
    let deadlines = effective_deadlines(steps, &work)?;
    let levels = criticalities(system, steps);
    let blocking = most_blocking(system, steps);
    let mut timed: Vec<Timed> = Vec::with_capacity(steps.len());
    let mut allowed = vec![0; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        let (deadline, jitter, from_release) = match step.cause {
            None => (deadlines[at], step.jitter, false),
            Some(cause) if cause.kind == CallKind::TwoWay => {
                let latest = timed[cause.caller].jitter;
                let caller = allowed[cause.caller];
                let own = share(caller, work.total[at], work.total[cause.caller]);
                let own = if step.given { step.deadline.min(own) } else { own };
                let late = latest + caller.saturating_sub(add(own, cause.delay)?);
                (add(late, own)?, late, true)
            }
            Some(cause) => {
                let caller = &steps[cause.caller];
                let ordered = caller.processor == step.processor
                    && cause.delay == 0
                    && !timed[cause.caller].from_release
                    && (step.waits.is_empty() || !least_laxity);
                // In the order of deadlines the caller precedes it anyway.
                if ordered && deadlines[cause.caller] < deadlines[at] {
                    (deadlines[at], timed[cause.caller].jitter, false)
                } else {
                    let end = add(timed[cause.caller].jitter, timed[cause.caller].first)?;
                    (deadlines[at], add(end, cause.delay)?, false)
                }
            }
        };
        allowed[at] = deadline.saturating_sub(jitter);
        let cost = suspended_cost(steps, at, &work, allowed[at], blocking[step.processor])?;
        timed.push(Timed {
            period: step.period,
            cost,
            jitter,
            first: deadline.saturating_sub(jitter),
            from_release,
            suspends: !step.waits.is_empty(),
            criticality: levels[at],
            held: (step.sections.iter().map(|(_, length)| *length).max().unwrap_or(0))
                .max(step.non_preemptive),
        });
    }
    Ok(timed)
}

/// `part` of `whole`, as a share of `time`.
fn share(time: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(time) * u128::from(part) / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// The execution of a step with the longest waits for replies: twice the delay of the message, and
/// the deadline of the operation. After each wait it may be blocked once more.
fn suspended_cost(
    steps: &[Step],
    at: usize,
    work: &Work,
    allowed: u64,
    blocking: u64,
) -> Result<u64, Exhausted> {
    let mut cost = steps[at].cost;
    for child in &steps[at].waits {
        let own = share(allowed, work.total[*child], work.total[at]);
        let given = &steps[*child];
        let own = if given.given { given.deadline.min(own) } else { own };
        let delay = given.cause.map_or(0, |cause| cause.delay);
        cost = add(cost, add(own, add(multiply(delay, 2)?, blocking)?)?)?;
    }
    Ok(cost)
}

fn work(steps: &[Step]) -> Result<Work, Exhausted> {
    let mut total: Vec<u64> = steps.iter().map(|step| step.cost).collect();
    for at in (0..steps.len()).rev() {
        if let Some(cause) = steps[at].cause.filter(|cause| cause.kind == CallKind::TwoWay) {
            let there = add(total[at], multiply(cause.delay, 2)?)?;
            total[cause.caller] = add(total[cause.caller], there)?;
        }
    }
    let mut head: Vec<u64> = Vec::with_capacity(steps.len());
    for (at, step) in steps.iter().enumerate() {
        let before = match step.cause {
            Some(cause) if cause.kind == CallKind::OneWay => {
                add(head[steps[cause.caller].group], cause.delay)?
            }
            _ => 0,
        };
        head.push(add(before, total[at])?);
    }
    Ok(Work { total, head })
}

/// The deadlines of the steps, early enough for those that follow.
fn effective_deadlines(steps: &[Step], work: &Work) -> Result<Vec<u64>, Exhausted> {
    let mut deadlines: Vec<u64> = steps.iter().map(|step| step.deadline).collect();
    for at in (0..steps.len()).rev() {
        let Some(cause) = steps[at].cause.filter(|cause| cause.kind == CallKind::OneWay) else {
            continue;
        };
        // A caller that is called two-way ends before the step that waits for it.
        let first = steps[cause.caller].group;
        let caller = &steps[first];
        let after = add(work.total[at], cause.delay)?;
        let ordered =
            first == cause.caller && caller.processor == steps[at].processor && cause.delay == 0;
        let latest = if ordered || caller.given {
            deadlines[at].saturating_sub(after)
        } else {
            share(deadlines[at], work.head[first], work.head[at])
        };
        deadlines[first] = deadlines[first].min(latest);
    }
    Ok(deadlines)
}

/// The criticality of each step: at least that of the steps that it releases, and of a step that
/// waits for it.
fn criticalities(system: &System, steps: &[Step]) -> Vec<Criticality> {
    let own = |step: &Step| {
        let members = step.members.iter().map(|task| system.tasks()[*task].criticality);
        members.max().unwrap_or_default()
    };
    let mut levels: Vec<Criticality> = steps.iter().map(own).collect();
    for at in (0..steps.len()).rev() {
        if let Some(cause) = steps[at].cause {
            levels[cause.caller] = levels[cause.caller].max(levels[at]);
        }
    }
    for at in 0..steps.len() {
        if let Some(cause) = steps[at].cause.filter(|cause| cause.kind == CallKind::TwoWay) {
            levels[at] = levels[at].max(levels[cause.caller]);
        }
    }
    levels
}

/// For each processor, more than a step can be blocked there at once.
fn most_blocking(system: &System, steps: &[Step]) -> Vec<u64> {
    let mut most = vec![0_u64; system.processors.len()];
    for step in steps {
        let held = step.sections.iter().map(|(_, length)| *length).max().unwrap_or(0);
        let held = held.saturating_mul(step.threads).saturating_add(step.non_preemptive);
        most[step.processor] = most[step.processor].saturating_add(held);
    }
    most
}
