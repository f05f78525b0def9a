//! One lock set: who holds what, and who waits for what.

use super::mode::{Counts, Mode};
use super::{Holder, Ticket, Time};
use std::collections::HashMap;

/// Somebody waits.
#[derive(Debug, Clone)]
pub(super) struct Wait {
    pub(super) ticket: Ticket,
    pub(super) holder: Holder,
    pub(super) mode: Mode,
    /// The mode of a held lock that it gives for it.
    pub(super) gives: Option<Mode>,
    pub(super) since: Time,
    pub(super) deadline: Option<Time>,
}

/// A lock set. One without locks and waits is the same as none.
#[derive(Debug, Default)]
pub(super) struct Set {
    held: HashMap<Holder, Counts>,
    /// What all hold together.
    total: Counts,
    /// Who waits, in the order in which they came.
    queue: Vec<Wait>,
}

impl Set {
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.queue.is_empty()
    }

    pub(super) fn held(&self) -> impl Iterator<Item = (Holder, &Counts)> {
        self.held.iter().map(|(holder, counts)| (*holder, counts))
    }

    pub(super) fn held_by(&self, holder: Holder) -> Counts {
        self.held.get(&holder).copied().unwrap_or_default()
    }

    pub(super) fn queue(&self) -> &[Wait] {
        &self.queue
    }

    /// Whether a request that stands behind these waits may be granted: no other holder excludes it,
    /// and nobody who came earlier waits for what it excludes. But who waits for this very holder
    /// would wait for ever if that waited for him.
    pub(super) fn may_have(&self, holder: Holder, mode: Mode, earlier: &[Wait]) -> bool {
        let own = self.held_by(holder);
        let mut others = self.total;
        others.take_all(&own);
        let mut before = earlier.iter();
        !others.exclude(mode) && !before.any(|wait| stands_before(wait, holder, &own, mode))
    }

    /// Who keeps a wait from being granted: the holders, and who came earlier.
    pub(super) fn blockers(&self, ticket: Ticket) -> Vec<Holder> {
        let Some(place) = self.queue.iter().position(|wait| wait.ticket == ticket) else {
            return Vec::new();
        };
        let (holder, mode) = (self.queue[place].holder, self.queue[place].mode);
        let own = self.held_by(holder);
        let holds = self.held().filter(|(other, held)| *other != holder && held.exclude(mode));
        let before = self.queue[..place].iter();
        let before = before.filter(|wait| stands_before(wait, holder, &own, mode));
        holds.map(|(other, _)| other).chain(before.map(|wait| wait.holder)).collect()
    }

    pub(super) fn add(&mut self, holder: Holder, mode: Mode) {
        self.held.entry(holder).or_default().add(mode);
        self.total.add(mode);
    }

    /// Takes a lock away. Returns whether there was one.
    pub(super) fn take(&mut self, holder: Holder, mode: Mode) -> bool {
        let Some(held) = self.held.get_mut(&holder) else { return false };
        let had = held.take(mode) && self.total.take(mode);
        if held.is_empty() {
            self.held.remove(&holder);
        }
        had
    }

    /// Takes all locks of a holder away. Returns how many they were.
    pub(super) fn take_all(&mut self, holder: Holder) -> usize {
        let Some(held) = self.held.remove(&holder) else { return 0 };
        self.total.take_all(&held);
        held.total()
    }

    pub(super) fn push(&mut self, wait: Wait) {
        self.queue.push(wait);
    }

    pub(super) fn take_wait(&mut self, ticket: Ticket) -> Option<Wait> {
        let place = self.queue.iter().position(|wait| wait.ticket == ticket)?;
        Some(self.queue.remove(place))
    }

    /// The last wait that gives a lock of this mode, if its holder has fewer of them than such waits.
    pub(super) fn without_lock(&self, holder: Holder, mode: Mode) -> Option<Ticket> {
        let gives = |wait: &&Wait| wait.holder == holder && wait.gives == Some(mode);
        let count = self.queue.iter().filter(gives).count();
        let lacks = count > self.held_by(holder).of(mode) as usize;
        self.queue.iter().rev().find(gives).filter(|_| lacks).map(|wait| wait.ticket)
    }

    /// Grants the first wait that can be, if any can.
    pub(super) fn grant_next(&mut self) -> Option<Wait> {
        let can = |place: &usize| {
            let (earlier, rest) = self.queue.split_at(*place);
            rest.first().is_some_and(|wait| self.may_have(wait.holder, wait.mode, earlier))
        };
        let place = (0..self.queue.len()).find(can)?;
        let wait = self.queue.remove(place);
        if let Some(given) = wait.gives {
            self.take(wait.holder, given);
        }
        self.add(wait.holder, wait.mode);
        Some(wait)
    }
}

/// Whether a wait goes before a request of a holder that has these locks.
fn stands_before(wait: &Wait, holder: Holder, own: &Counts, mode: Mode) -> bool {
    wait.holder != holder && wait.mode.excludes(mode) && !own.exclude(wait.mode)
}
