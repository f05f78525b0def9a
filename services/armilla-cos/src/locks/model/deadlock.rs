//! Circles of holders that wait for each other, across all sets.

use super::{Holder, Locks, Ticket};
use std::collections::HashMap;

/// A holder on a circle, with the wait that keeps it there.
type Step = (Holder, Ticket);

impl Locks {
    /// A circle that leads from a holder back to it, if there is one.
    pub(super) fn circle(&self, from: Holder) -> Option<Vec<Step>> {
        if !self.is_waited_for(from) {
            return None;
        }
        // By whom each holder was found, and with which wait that waits for it.
        let mut found: HashMap<Holder, Step> = HashMap::new();
        let mut open = vec![from];
        while let Some(holder) = open.pop() {
            for (ticket, blocker) in self.waits_for(holder) {
                if blocker == from {
                    return Some(back(from, (holder, ticket), &found));
                }
                found.entry(blocker).or_insert_with(|| {
                    open.push(blocker);
                    (holder, ticket)
                });
            }
        }
        None
    }

    /// Whether anybody may wait for a holder: it has locks, or stands before others.
    fn is_waited_for(&self, holder: Holder) -> bool {
        let Some(known) = self.holders.get(&holder) else { return false };
        known.locks > 0
            || known.waits.iter().any(|(ticket, set)| {
                let last = self.sets.get(set).and_then(|set| set.queue().last());
                last.is_some_and(|last| last.ticket != *ticket)
            })
    }

    /// Whom a holder waits for, with the wait.
    fn waits_for(&self, holder: Holder) -> Vec<(Ticket, Holder)> {
        let waits = self.holders.get(&holder).map(|known| &known.waits).into_iter().flatten();
        let blockers = |(ticket, set): (&Ticket, _)| {
            let ticket = *ticket;
            let blockers = self.sets.get(set).map(|set| set.blockers(ticket)).unwrap_or_default();
            blockers.into_iter().map(move |blocker| (ticket, blocker))
        };
        waits.flat_map(blockers).collect()
    }
}

/// The circle that ends with this step.
fn back(from: Holder, last: Step, found: &HashMap<Holder, Step>) -> Vec<Step> {
    let mut circle = vec![last];
    let mut step = last;
    while step.0 != from
        && let Some(before) = found.get(&step.0)
    {
        circle.push(*before);
        step = *before;
    }
    circle
}
