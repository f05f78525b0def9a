//! Whose connections are: a principal is known at its first call over one, and not before.

use crate::principal::Principal;
use std::collections::HashMap;
use std::mem;

/// Which principal was counted for which connection. Of many, those that were not used for longest are
/// forgotten, and count once more at their next call.
pub(super) struct Connections {
    recent: HashMap<u64, Principal>,
    before: HashMap<u64, Principal>,
    most: usize,
}

impl Connections {
    /// One that remembers so many, and twice as many for a while.
    pub(super) fn new(most: usize) -> Self {
        Self { recent: HashMap::new(), before: HashMap::new(), most: most.max(1) }
    }

    /// Whether this principal has called over this connection before.
    pub(super) fn knows(&mut self, connection: u64, principal: &Principal) -> bool {
        if self.recent.get(&connection) == Some(principal) {
            return true;
        }
        match self.before.remove_entry(&connection) {
            Some((_, known)) if known == *principal => {
                self.add(connection, known);
                true
            }
            _ => false,
        }
    }

    /// Notes that it has.
    pub(super) fn add(&mut self, connection: u64, principal: Principal) {
        if self.recent.len() >= self.most {
            self.before = mem::take(&mut self.recent);
        }
        self.recent.insert(connection, principal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_in_use_are_remembered_and_their_number_is_bounded() {
        let (mut connections, ann) = (Connections::new(8), Principal::LocalUser(1));
        connections.add(0, ann.clone());
        for number in 1..1000 {
            connections.add(number, ann.clone());
            assert!(connections.knows(0, &ann) && connections.knows(number, &ann));
            assert!(!connections.knows(number, &Principal::LocalUser(2)));
            assert!(connections.recent.len() + connections.before.len() <= 16);
        }
        assert!(!connections.knows(500, &ann));
    }
}
