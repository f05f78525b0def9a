//! The segments of a log, from the oldest to the one that is written.

use crate::segment::Segment;
use std::collections::VecDeque;

/// A segment, and how long its file is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) segment: Segment,
    pub(crate) length: u64,
}

/// The segments of a log. There is one at least, from the first [`push`](Self::push) on.
#[derive(Debug, Default)]
pub(crate) struct Segments(VecDeque<Entry>);

impl Segments {
    pub(crate) fn push(&mut self, entry: Entry) {
        self.0.push_back(entry);
    }

    /// Removes the oldest.
    pub(crate) fn pop(&mut self) -> Option<Entry> {
        self.0.pop_front()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// The position of the first record.
    pub(crate) fn first(&self) -> u64 {
        self.0.front().map_or(0, |entry| entry.segment.base)
    }

    pub(crate) fn last(&self) -> Option<&Entry> {
        self.0.back()
    }

    /// How many octets their files take.
    pub(crate) fn octets(&self) -> u64 {
        self.0.iter().map(|entry| entry.length).sum()
    }

    /// The segment with a position, and where its records end; `None` for the one that is written.
    pub(crate) fn find(&self, position: u64) -> Option<(Segment, Option<u64>)> {
        let behind = self.0.partition_point(|entry| entry.segment.base <= position);
        let entry = self.0.get(behind.checked_sub(1)?)?;
        Some((entry.segment, self.0.get(behind).map(|next| next.segment.base)))
    }
}

impl Segments {
    /// Removes the newest, which another one replaces.
    pub(crate) fn pop_last(&mut self) -> Option<Entry> {
        self.0.pop_back()
    }
}
