//! Response times of tasks that are scheduled by deadline or by laxity.

use super::deadlines::Timed;
use super::demand::Level;
use crate::budget::{Budget, Exhausted, add, multiply, released};

/// The longest response of step `at` of the level under earliest deadline first (Spuri 1996), from
/// the nominal release.
///
/// It is found in a busy period in which all other steps are released at its beginning and the
/// deadline of the step coincides with that of another one.
pub(crate) fn earliest_deadline(
    level: &Level<'_>,
    at: usize,
    busy: u64,
    budget: &mut Budget,
) -> Result<u64, Exhausted> {
    let own = level.own[at];
    let mut longest = add(own.jitter, own.cost)?;
    for other in &level.own {
        // Deadlines of the other step, as releases of this one with the same deadline.
        let first = u64::from(other.first < own.first);
        let later = add(own.first, other.gap())?.saturating_sub(other.first);
        for number in std::iter::once(first).chain(later.div_ceil(other.period).max(1)..) {
            let deadline = other.deadline(number)?;
            let Some(release) = deadline.checked_sub(own.first) else { continue };
            if release >= busy {
                break;
            }
            let end = end_of_busy_period(level, at, release, budget)?;
            longest = longest.max(add(end.saturating_sub(release), own.jitter)?);
        }
    }
    Ok(longest)
}

/// When the execution of step `at`, released at `release`, ends in a busy period that begins at 0,
/// at the latest.
fn end_of_busy_period(
    level: &Level<'_>,
    at: usize,
    release: u64,
    budget: &mut Budget,
) -> Result<u64, Exhausted> {
    let own = level.own[at];
    let deadline = add(release, own.first)?;
    let blocking = level.blocking.within(deadline, budget)?;
    // Releases of an operation that is called may follow one another sooner than a period.
    let before = add(release, own.gap())? / own.period;
    let base = add(blocking, multiply(before + 1, own.cost)?)?;
    let mut end = base;
    loop {
        budget.spend(level.own.len())?;
        let mut next = base;
        for (index, other) in level.own.iter().enumerate() {
            let Some(after) = deadline.checked_sub(other.first).filter(|_| index != at) else {
                continue;
            };
            let due = multiply(add(after, other.gap())? / other.period + 1, other.cost)?;
            let released = released(end, other.jitter, other.period, other.cost)?;
            next = add(next, due.min(released))?;
        }
        if next == end {
            return Ok(end);
        }
        end = next;
    }
}

/// A bound on the response of step `at` whatever the order within its level: as if all other steps
/// of the level preceded it. From the nominal release.
pub(crate) fn any_order(
    level: &Level<'_>,
    at: usize,
    blocking: u64,
    budget: &mut Budget,
) -> Result<u64, Exhausted> {
    let own = level.own[at];
    let others = level.own.iter().enumerate().filter(|(index, _)| *index != at);
    let others: Vec<&Timed> =
        others.map(|(_, timed)| *timed).chain(level.above.iter().copied()).collect();
    let mut longest = 0;
    for before in 0_u64.. {
        let work = add(blocking, multiply(before + 1, own.cost)?)?;
        let mut end = work;
        loop {
            budget.spend(others.len())?;
            let mut next = work;
            for other in &others {
                next = add(next, released(end, other.jitter, other.period, other.cost)?)?;
            }
            if next == end {
                break;
            }
            end = next;
        }
        let nominal = multiply(before, own.period)?;
        // The first release is late; those that follow may be early.
        let release = nominal.saturating_sub(own.gap());
        longest = longest.max(add(end.saturating_sub(release), own.jitter)?);
        if end <= add(nominal, own.period)?.saturating_sub(own.jitter) {
            return Ok(longest);
        }
    }
    Err(Exhausted)
}
