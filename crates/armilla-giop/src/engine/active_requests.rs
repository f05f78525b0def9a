//! The requests in progress on a server's connection, by their ids.

use alloc::collections::VecDeque;

/// Requests in the order of their ids, which is mostly that of their arrival, so that most go to
/// the end. Nothing is allocated once there was room for as many.
#[derive(Debug)]
pub(super) struct ActiveRequests {
    /// The only request in progress, as on a connection that carries one call at a time.
    only: Option<Entry>,
    /// All requests, once more than one is in progress and until none is.
    entries: VecDeque<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    id: u32,
    cancelled: bool,
}

impl ActiveRequests {
    pub(super) const fn new() -> Self {
        Self { only: None, entries: VecDeque::new() }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.entries.len() + usize::from(self.only.is_some())
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.only.is_none() && self.entries.is_empty()
    }

    /// Whether there is more than one request.
    #[inline(always)]
    pub(super) fn has_several(&self) -> bool {
        self.entries.len() > 1
    }

    /// Inserts a request. A client that uses an id twice at once harms only itself.
    #[inline(always)]
    pub(super) fn insert(&mut self, id: u32) {
        let entry = Entry { id, cancelled: false };
        match self.only {
            None if self.entries.is_empty() => self.only = Some(entry),
            _ => self.insert_among(entry),
        }
    }

    /// Removes a request; `true` if it was not cancelled.
    #[inline(always)]
    pub(super) fn remove(&mut self, id: u32) -> bool {
        match self.only {
            Some(only) if only.id == id => {
                self.only = None;
                !only.cancelled
            }
            _ => self.remove_among(id),
        }
    }

    /// Marks a request as cancelled; `false` if it is not in progress.
    pub(super) fn cancel(&mut self, id: u32) -> bool {
        let found = match &mut self.only {
            Some(only) => Some(only).filter(|only| only.id == id),
            None => self.position(id).ok().and_then(|index| self.entries.get_mut(index)),
        };
        found.map(|entry| entry.cancelled = true).is_some()
    }

    pub(super) fn is_cancelled(&self, id: u32) -> bool {
        let found = match &self.only {
            Some(only) => Some(only).filter(|only| only.id == id),
            None => self.position(id).ok().and_then(|index| self.entries.get(index)),
        };
        found.is_some_and(|entry| entry.cancelled)
    }

    fn insert_among(&mut self, entry: Entry) {
        self.entries.extend(self.only.take());
        match self.entries.back() {
            Some(last) if last.id > entry.id => {
                let (Ok(index) | Err(index)) = self.position(entry.id);
                self.entries.insert(index, entry);
            }
            _ => self.entries.push_back(entry),
        }
    }

    fn remove_among(&mut self, id: u32) -> bool {
        let found = match self.entries.back() {
            Some(last) if last.id == id => self.entries.pop_back(),
            _ => self.position(id).ok().and_then(|index| self.entries.remove(index)),
        };
        found.is_some_and(|entry| !entry.cancelled)
    }

    fn position(&self, id: u32) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&id, |entry| entry.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_found_in_whatever_order_they_come_and_go() {
        let mut active = ActiveRequests::new();
        for id in [7, 9, 8, u32::MAX, 0, 8] {
            active.insert(id);
        }
        assert!(active.cancel(9) && !active.cancel(10));
        assert!(active.is_cancelled(9) && !active.is_cancelled(7));
        for (id, wanted) in [(0, true), (9, false), (8, true), (9, false), (8, true), (7, true)] {
            assert_eq!(active.remove(id), wanted, "{id}");
        }
        assert_eq!(active.len(), 1);
        assert!(active.remove(u32::MAX));
        assert_eq!(active.len(), 0);
    }

    #[test]
    fn the_only_request_is_like_any_other() {
        let mut active = ActiveRequests::new();
        active.insert(3);
        assert_eq!(active.len(), 1);
        assert!(!active.cancel(4) && !active.is_cancelled(3) && !active.remove(4));
        assert!(active.cancel(3) && active.is_cancelled(3));
        active.insert(2);
        assert_eq!(active.len(), 2);
        assert!(active.is_cancelled(3) && !active.is_cancelled(2));
        assert!(active.remove(2) && !active.remove(3) && !active.remove(3));
        active.insert(5);
        assert!(active.remove(5));
        assert_eq!(active.len(), 0);
    }
}
