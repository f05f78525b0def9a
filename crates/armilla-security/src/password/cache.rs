//! Passwords that were verified a moment ago, as keyed hashes.

use crate::hash::KeyedHash;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Hashes of names with passwords, each with the time until which it is believed.
pub(super) struct Verified {
    /// The generation of the verifier that has accepted them.
    generation: u64,
    until: HashMap<KeyedHash, Instant>,
    /// How many there are at most.
    limit: usize,
    /// How long each is believed.
    time: Duration,
}

impl Verified {
    pub(super) fn new(limit: usize, time: Duration) -> Self {
        Self { generation: 0, until: HashMap::new(), limit, time }
    }

    /// Whether this was verified, by a verifier that still says the same.
    pub(super) fn has(&self, hash: &KeyedHash, generation: u64, now: Instant) -> bool {
        self.generation == generation && self.until.get(hash).is_some_and(|until| now < *until)
    }

    /// Notes what was verified.
    pub(super) fn note(&mut self, hash: KeyedHash, generation: u64, now: Instant) {
        if self.generation != generation {
            self.until.clear();
            self.generation = generation;
        }
        if self.until.len() >= self.limit {
            self.until.retain(|_, until| now < *until);
            if self.until.len() >= self.limit {
                let first = self.until.iter().min_by_key(|(_, until)| **until);
                if let Some(first) = first.map(|(hash, _)| *hash) {
                    self.until.remove(&first);
                }
            }
        }
        if self.limit > 0 {
            self.until.insert(hash, now + self.time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_verified_is_believed_for_a_while() {
        let time = Duration::from_secs(5);
        let (mut verified, now) = (Verified::new(2, time), Instant::now());
        verified.note([1; 32], 0, now);
        assert!(verified.has(&[1; 32], 0, now) && !verified.has(&[2; 32], 0, now));
        assert!(!verified.has(&[1; 32], 0, now + time), "the time is over");
        assert!(!verified.has(&[1; 32], 1, now), "the file was changed");
        verified.note([2; 32], 1, now);
        assert!(!verified.has(&[1; 32], 1, now));
        verified.note([3; 32], 1, now);
        verified.note([4; 32], 1, now);
        assert_eq!(verified.until.len(), 2);
    }
}
