//! How far the consumers of a log are.

use std::collections::BTreeMap;

/// The longest name of a consumer in octets.
pub(crate) const NAME: usize = 200;

/// How many consumers a log has at most.
pub(crate) const MOST: usize = 10_000;

/// How far the consumers of a log are, by name.
#[derive(Debug, Default)]
pub(crate) struct Consumers {
    pub(crate) positions: BTreeMap<String, u64>,
    /// Whether they are others than on the disk.
    pub(crate) is_changed: bool,
}

impl Consumers {
    /// Moves a consumer forward. Returns whether there may be one with this name.
    pub(crate) fn acknowledge(&mut self, name: &str, position: u64) -> bool {
        if let Some(known) = self.positions.get_mut(name) {
            self.is_changed |= *known < position;
            *known = position.max(*known);
            return true;
        }
        if name.len() > NAME || self.positions.len() >= MOST {
            return false;
        }
        self.positions.insert(name.to_owned(), position);
        self.is_changed = true;
        true
    }

    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let was_there = self.positions.remove(name).is_some();
        self.is_changed |= was_there;
        was_there
    }

    /// Up to where all of them have everything; `None` if there are none.
    pub(crate) fn all(&self) -> Option<u64> {
        self.positions.values().min().copied()
    }
}
