//! How often passwords may be guessed.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// How many wrong passwords are taken before further ones are refused unseen. A right password that
/// was verified before passes all the same, so that guesses of others lock nobody out who is at
/// work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuessLimits {
    /// From one host in the window. Users of this host, over its own transports, are one. Default: 20.
    pub per_host: u32,
    /// For one user in the window, from all hosts. Default: 20.
    pub per_user: u32,
    /// The time after which wrong guesses are forgotten. Default: a minute.
    pub window: Duration,
    /// How many hosts and users with wrong guesses are remembered, each. When there are more, the
    /// oldest is forgotten. Default: 4096.
    pub remembered: usize,
    /// How many passwords are verified at once: each takes 19 MiB with Argon2id. Default: 4.
    pub at_once: usize,
}

impl Default for GuessLimits {
    fn default() -> Self {
        let window = Duration::from_secs(60);
        Self { per_host: 20, per_user: 20, window, remembered: 4096, at_once: 4 }
    }
}

/// The wrong guesses of hosts, or for users.
pub(super) struct Attempts<K>(HashMap<K, (u32, Instant)>);

impl<K> Default for Attempts<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Hash + Eq + Clone> Attempts<K> {
    /// Whether one more guess is refused.
    pub(super) fn is_full<Q: Hash + Eq + ?Sized>(
        &self,
        key: &Q,
        limit: u32,
        window: Duration,
        now: Instant,
    ) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.get(key).is_some_and(|(count, since)| {
            *count >= limit && now.saturating_duration_since(*since) < window
        })
    }

    /// Notes a wrong guess.
    pub(super) fn note(&mut self, key: K, limits: &GuessLimits, now: Instant) {
        let over = |since: &Instant| now.saturating_duration_since(*since) >= limits.window;
        if !self.0.contains_key(&key) && self.0.len() >= limits.remembered {
            self.0.retain(|_, (_, since)| !over(since));
            if self.0.len() >= limits.remembered {
                let oldest = self.0.iter().min_by_key(|(_, (_, since))| *since);
                if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                    self.0.remove(&oldest);
                }
            }
        }
        let (count, since) = self.0.entry(key).or_insert((0, now));
        if over(since) {
            (*count, *since) = (0, now);
        }
        *count = count.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_are_counted_in_a_window_and_forgotten_after_it() {
        let limits = GuessLimits { per_host: 2, remembered: 2, ..Default::default() };
        let (start, mut attempts) = (Instant::now(), Attempts::default());
        let later = start + limits.window;
        attempts.note("a", &limits, start);
        assert!(!attempts.is_full(&"a", 2, limits.window, start));
        attempts.note("a", &limits, start);
        assert!(attempts.is_full(&"a", 2, limits.window, start));
        assert!(!attempts.is_full(&"a", 2, limits.window, later));
        attempts.note("a", &limits, later);
        assert!(!attempts.is_full(&"a", 2, limits.window, later));
        for key in ["b", "c", "d"] {
            attempts.note(key, &limits, later);
        }
        assert_eq!(attempts.0.len(), 2);
    }
}
