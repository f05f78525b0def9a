//! How long less urgent work may keep more urgent work waiting.

use crate::budget::{Budget, Exhausted, add};
use crate::steps::Step;
use crate::task::Protocol;
use std::collections::BTreeMap;

/// The longest time for which steps of `blockers` delay work that uses or outranks the resources
/// in `contended`: those whose holder may have to be waited for.
///
/// With inheritance, each blocker holds at most one of its sections, and each resource is held by
/// at most one blocker (Buttazzo 2011, 7.6). With a ceiling, one section of one blocker is all. A
/// stretch without preemption may have just begun; with inheritance the blockers that were
/// preempted hold resources besides.
pub(crate) fn longest<'a>(
    blockers: impl Iterator<Item = &'a Step>,
    contended: impl Fn(usize) -> bool,
    protocol: Protocol,
    budget: &mut Budget,
) -> Result<u64, Exhausted> {
    let mut stretch = 0;
    let mut one = 0;
    let mut by_step = 0_u64;
    let mut by_resource = BTreeMap::<usize, u64>::new();
    for step in blockers {
        budget.spend(step.sections.len())?;
        stretch = stretch.max(step.non_preemptive);
        let mut own = 0;
        let held = step.sections.iter().filter(|(resource, _)| contended(*resource));
        for (resource, length) in held {
            own = own.max(*length);
            let longest = by_resource.entry(*resource).or_default();
            *longest = (*longest).max(*length);
        }
        one = one.max(own);
        by_step = by_step.saturating_add(own.saturating_mul(step.threads));
    }
    if protocol == Protocol::Ceiling {
        return Ok(one.max(stretch));
    }
    let resources = by_resource.values().fold(0_u64, |sum, next| sum.saturating_add(*next));
    add(by_step.min(resources), stretch)
}
