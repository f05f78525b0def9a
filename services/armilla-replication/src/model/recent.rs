//! The last records of a history, for members that lack only these.

use super::record::{Entry, Position, Record};
use std::collections::{BTreeSet, VecDeque};

/// The octets of the records that every member keeps.
const USUAL: usize = 1 << 20;

/// The octets of the records that a primary keeps while newcomers take an older state.
const MOST: usize = 64 << 20;

/// The most newcomers at once for which records are kept.
const MOST_LEARNERS: usize = 16;

/// What a record takes beside its octets, about.
const OVERHEAD: usize = 200;

/// Records that follow each other, up to the last one.
#[derive(Debug, Default)]
pub(super) struct Recent {
    records: VecDeque<Record>,
    octets: usize,
    /// The newcomers that were given a state, and have not come back yet.
    learners: BTreeSet<String>,
}

fn size(record: &Record) -> usize {
    let entry = |entry: &Entry| entry.body.len() + entry.client.len();
    OVERHEAD + record.change.size() + record.entry.as_ref().map_or(0, entry)
}

impl Recent {
    /// Adds a record. Older ones make room for it; one that does not follow the last takes the place
    /// of all.
    pub(super) fn push(&mut self, record: Record) {
        if self.records.back().is_some_and(|last| last.position != record.after) {
            self.clear();
        }
        self.octets += size(&record);
        self.records.push_back(record);
        let most = if self.learners.is_empty() { USUAL } else { MOST };
        if self.octets > most {
            // Whoever takes so long begins anew.
            self.learners.clear();
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        while self.octets > USUAL
            && let Some(oldest) = self.records.pop_front()
        {
            self.octets -= size(&oldest);
        }
    }

    /// Forgets all: the member has another history.
    pub(super) fn clear(&mut self) {
        (self.records, self.octets) = Default::default();
    }

    /// The records after a place, if that is where one of them begins.
    pub(super) fn since(&self, place: Position) -> Option<impl Iterator<Item = &Record>> {
        let first = self.records.iter().position(|record| record.after == place)?;
        Some(self.records.range(first..))
    }

    /// The first of these records that one message may have, at least one, and whether that is all.
    pub(super) fn first_of<'r>(
        records: impl Iterator<Item = &'r Record>,
        mut octets: usize,
    ) -> (Vec<Record>, bool) {
        let mut records = records.peekable();
        let mut first = Vec::new();
        while let Some(record) =
            records.next_if(|record| first.is_empty() || size(record) <= octets)
        {
            octets = octets.saturating_sub(size(record));
            first.push(record.clone());
        }
        (first, records.peek().is_none())
    }

    /// A newcomer was given a state: what follows is kept until it comes back.
    pub(super) fn hold(&mut self, learner: &str) {
        if self.learners.len() < MOST_LEARNERS {
            self.learners.insert(learner.to_owned());
        }
    }

    /// The newcomer has come back.
    pub(super) fn release(&mut self, learner: &str) {
        self.learners.remove(learner);
        if self.learners.is_empty() {
            self.shrink();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Change;

    fn record(number: u64, octets: usize) -> Record {
        let place = |number| Position { view: 1, number };
        let (after, position) = (place(number - 1), place(number));
        Record { after, position, entry: None, change: Change::Update(vec![0; octets]) }
    }

    fn since(recent: &Recent, number: u64) -> Option<Vec<u64>> {
        let found = recent.since(Position { view: 1, number })?;
        Some(found.map(|record| record.position.number).collect())
    }

    #[test]
    fn what_follows_a_place_is_found() {
        let mut recent = Recent::default();
        (1..=4).for_each(|number| recent.push(record(number, 10)));
        assert_eq!(since(&recent, 0), Some(vec![1, 2, 3, 4]));
        assert_eq!(since(&recent, 3), Some(vec![4]));
        assert_eq!(since(&recent, 4), None);
        assert!(recent.since(Position { view: 2, number: 3 }).is_none(), "another history");
        recent.push(record(9, 10));
        assert_eq!((since(&recent, 3), since(&recent, 8)), (None, Some(vec![9])));
    }

    #[test]
    fn memory_is_bounded_also_for_learners() {
        let mut recent = Recent::default();
        recent.push(record(1, USUAL / 2));
        recent.push(record(2, USUAL / 2));
        assert_eq!((since(&recent, 0), since(&recent, 1)), (None, Some(vec![2])));
        (0..100).for_each(|number| recent.hold(&number.to_string()));
        assert_eq!(recent.learners.len(), MOST_LEARNERS);
        (3..=9).for_each(|number| recent.push(record(number, USUAL)));
        assert!(since(&recent, 1).is_some(), "it is kept for a newcomer");
        (10..=99).for_each(|number| recent.push(record(number, USUAL)));
        assert!(recent.octets <= MOST && recent.learners.is_empty());
        recent.hold("a");
        (100..=109).for_each(|number| recent.push(record(number, USUAL / 4)));
        recent.release("a");
        assert!(recent.octets <= USUAL && since(&recent, 108).is_some());
    }
}
