//! The ids of recent queries, by which a query that comes back over a circle of links is
//! recognized (Trading Object Service 1.0, 2.1.6).

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// The ids of the latest queries.
pub(super) struct RequestIds {
    limit: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    ids: HashSet<Vec<u8>>,
    order: VecDeque<Vec<u8>>,
    /// How many ids this trader has made.
    made: u64,
}

impl RequestIds {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, seen: Mutex::default() }
    }

    /// Notes an id. False if it was seen before.
    pub(super) fn is_new(&self, id: &[u8]) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.ids.insert(id.to_vec()) {
            return false;
        }
        seen.order.push_back(id.to_vec());
        if seen.order.len() > self.limit
            && let Some(oldest) = seen.order.pop_front()
        {
            seen.ids.remove(&oldest);
        }
        true
    }

    /// A number for a new id.
    pub(super) fn next(&self) -> u64 {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.made += 1;
        seen.made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_new_once_and_the_oldest_are_forgotten() {
        let ids = RequestIds::new(2);
        assert!(ids.is_new(b"a"));
        assert!(!ids.is_new(b"a"));
        assert!(ids.is_new(b"b"));
        assert!(ids.is_new(b"c"));
        assert!(ids.is_new(b"a"));
        assert!(!ids.is_new(b"c"));
    }
}
